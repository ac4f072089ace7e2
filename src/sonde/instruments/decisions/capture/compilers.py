"""Compiling so that LLVM's remarks are left: clang, zig, rustc, cargo, and what `sonde vm run` compiles.

The command runs as it is. What its compiler decides is then asked of a second compilation with the same options, into a
folder of its own: so nothing that the command makes, prints or returns is different.
"""

from collections.abc import Sequence
from pathlib import Path

from sonde.instruments.decisions.capture import c_compilers, own_programs, rust_compilers
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.model import CompilerKind

KINDS: tuple[CompilerKind, ...] = ("llvm",)


def recognises(command: Sequence[str]) -> bool:
    """Whether a command is that of a compiler, or a program in C, C++ or LLVM's language."""
    return any(module.recognises(command) for module in (c_compilers, rust_compilers, own_programs))


def run(command: Sequence[str], folder: Path, options: CaptureOptions) -> Captured:
    """Run it, and compile again for the remarks.

    Raises:
        UsageError: `no-remarks-compiler`, `nothing-compiled`.
        SondeError: `cannot-execute`.
    """
    if c_compilers.recognises(command):
        return c_compilers.run(command, folder, options)
    if rust_compilers.recognises(command):
        return rust_compilers.run(command, folder, options)
    return own_programs.run(command, folder, options)
