"""Capturing what clang and `zig cc` decide."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture.c_command import CCommand, c_command
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.remark_folder import REMARKS, Compilation, compile_all, remark_file
from sonde.launch import run_to_end

_CLANG = re.compile(r"(?:[\w.]+-)*clang(?:\+\+)?(?:-cl)?(?:-\d+)?")
_OTHERS = re.compile(r"(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+)(?:-\d+)?")
_ZIG_COMMANDS = ("cc", "c++", "clang")


def recognises(command: Sequence[str]) -> bool:
    """Whether a command is that of a C compiler; also of one that cannot be captured, to say so."""
    name = Path(command[0]).name
    return _begin(command) > 0 or _OTHERS.fullmatch(name) is not None


def run(command: Sequence[str], folder: Path, _: CaptureOptions) -> Captured:
    """Run it, and compile its sources again for the remarks.

    Raises:
        UsageError: `no-remarks-compiler`, `nothing-compiled`.
        SondeError: `cannot-execute`.
    """
    begin = _begin(command) or (1 if _is_clang(command[0]) else 0)
    if not begin:
        raise UsageError(
            f"cannot capture what '{command[0]}' decides: it is no clang, and leaves no record that sonde reads",
            slug="no-remarks-compiler",
            hint="compile with clang, or with 'python -m ziglang cc' of the package ziglang",
        )
    parsed = c_command(command[begin:])
    if not parsed.sources or not parsed.makes_code:
        fact = "it names no source file" if not parsed.sources else "it makes no code"
        raise UsageError(
            f"cannot capture '{' '.join(command)}': {fact}",
            slug="nothing-compiled",
            hint="capture the command that compiles, with 'clang -c' or without",
        )
    exit_code = run_to_end(command).shell_code
    said = _about(parsed)
    if exit_code == 0:
        said += compile_again(command[:begin], parsed, folder)
    (folder / REMARKS).mkdir(exist_ok=True)
    return Captured("llvm", exit_code, folder / REMARKS, compiler=_version(command[:begin]), remarks=tuple(said))


def compile_again(compiler: Sequence[str], command: CCommand, folder: Path) -> list[str]:
    """Compile the sources of a command for their remarks; returns lines for people."""
    taken: set[Path] = set()
    with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
        jobs = []
        for number, (source, language) in enumerate(command.sources):
            path = remark_file(folder, source, taken)
            argv = (
                *compiler,
                *command.options,
                # Names of inlined functions are in full debug information only; the code is thrown away.
                *(("-g",) if command.debug in ("", "-g0") else ()),
                "-w",
                "-c",
                "-fsave-optimization-record",
                f"-foptimization-record-file={path.resolve()}",
                "-o",
                str(Path(made) / f"{number}.o"),
                *(("-x", language) if language else ()),
                source,
            )
            jobs.append(Compilation(source, argv, path))
        # Zig keeps what it compiled, and would not compile it again.
        return compile_all(jobs, {**os.environ, "ZIG_LOCAL_CACHE_DIR": made})


def _about(command: CCommand) -> list[str]:
    said = []
    if command.debug in ("", "-g0"):
        said.append("compiled again with -g for the remarks' lines; what the command made is without")
    if command.level in ("", "-O0"):
        said.append("the command asks for no optimization (-O2), so there is little to decide")
    if command.reads_stdin:
        said.append("what was compiled from the standard input has no remarks")
    return said


def _begin(command: Sequence[str]) -> int:
    """How many words the name of the compiler has; 0: it is none that we know by name."""
    name = Path(command[0]).name
    if _CLANG.fullmatch(name):
        return 1
    if name == "zig" and len(command) > 1 and command[1] in _ZIG_COMMANDS:
        return 2
    is_module = len(command) > 3 and tuple(command[1:3]) == ("-m", "ziglang")
    return 4 if name.startswith("python") and is_module and command[3] in _ZIG_COMMANDS else 0


def _is_clang(name: str) -> bool:
    """Whether `cc` is a clang on this system."""
    return shutil.which(name) is not None and "clang" in _version([name])


def _version(compiler: Sequence[str]) -> str:
    try:
        done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return compiler[0]
    return (done.stdout.splitlines() or [compiler[0]])[0]
