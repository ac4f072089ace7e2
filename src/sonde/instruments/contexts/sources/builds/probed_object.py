"""A C or C++ file to an object file with probes: by clang to LLVM IR, optimised as asked, and from there to code."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sonde.ir import parse_module, print_module
from sonde.passes import CallProbes, InterpreterEnds, is_for_shared_library

_BEFORE = (
    "-fPIE",  # as gcc does where it is configured as distributions do; what is asked for comes later, and wins
    # Errors of newer clangs that gcc warns of.
    *(f"-Wno-error={each}" for each in ("implicit-function-declaration", "implicit-int", "int-conversion")),
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-unknown-warning-option",
    "-Qunused-arguments",
)
_AFTER = ("-Wno-error", "-fno-lto", "-S", "-emit-llvm")
_LINES_ONLY = "-gline-tables-only"
"""All that is needed of C, and read much sooner; of C++ it leaves out the names of the linker."""
_OF_CODE = ("-O", "-m", "-f", "-gz", "-Wa,", "-pthread")
"""Beginnings of options that matter to code that is optimised already."""
_UNKNOWN = re.compile(
    r"(?:unknown argument:|unsupported (?:option|argument)|invalid (?:value|argument)|optimization flag) '([^']+)'"
    r"(?: to option '([^']*)')?"
)
_ERROR = re.compile(r"(?:fatal )?error: (.*)")


@dataclass(slots=True)
class Compiled:
    """What became of a file."""

    functions: int = 0
    """With probes."""
    reason: str = ""
    """Why there is no object file; empty: there is one."""
    dropped: tuple[str, ...] = ()
    """Options that clang does not know."""


def compile_with_probes(
    clang: Sequence[str],
    source: str,
    language: str,
    options: Sequence[str],
    target: str,
    folder: Path,
    *,
    bursts: bool,
) -> Compiled:
    """Compile one file. Nothing is said: what another compiler warns of is not what its author is used to.

    Args:
        clang: command, without options of the file.
        target: the object file.
        folder: for what is made on the way.
        bursts: whether the probes can be switched.
    """
    text, words, dropped = folder / "probed.ll", [*options], list[str]()
    lines = _LINES_ONLY if language == "c" and not any(word.startswith("-g") for word in options) else "-g"
    while True:
        command = [*clang, *_BEFORE, *words, lines, *_AFTER, "-x", language, source, "-o", str(text)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        messages = done.stderr.decode("utf-8", "replace")
        unknown = {each for match in _UNKNOWN.finditer(messages) for each in match.groups() if each}
        found = [word for word in words if word in unknown or word.partition("=")[0] + "=" in unknown]
        dropped += found
        if not done.returncode or not found:
            break
        words = [word for word in words if word not in found]
    if done.returncode:
        error = _ERROR.search(messages)
        return Compiled(reason=error[1] if error else f"clang ended with status {done.returncode}")
    module = parse_module(text.read_text(encoding="utf-8", errors="surrogateescape"))
    if is_for_shared_library(module):
        InterpreterEnds().insert(module)
    functions = CallProbes(None, switch="linked" if bursts else None).insert(module)
    text.write_text(print_module(module), encoding="utf-8", errors="surrogateescape")
    of_code = [word for word in words if word.startswith(_OF_CODE) and not word.startswith("-fdiagnostics")]
    command = [*clang, "-fPIE", "-Qunused-arguments", *of_code, "-Xclang", "-disable-llvm-passes"]
    done = subprocess.run([*command, "-c", "-x", "ir", str(text), "-o", target], capture_output=True, check=False)
    if done.returncode:
        error = _ERROR.search(done.stderr.decode("utf-8", "replace"))
        return Compiled(reason=error[1] if error else f"clang ended with status {done.returncode}")
    return Compiled(len(functions), "", tuple(dropped))
