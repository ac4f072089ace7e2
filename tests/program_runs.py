"""Modules made into executables, and what they do when they run: for edits of IR that must change nothing."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from debian_sources import run_quietly
from measuring import environment
from real_programs import Check, RealProgram
from sonde.jit.compilers import find_compiler
from sonde.llvm import LlvmModule

_PATIENCE_S = 600


class Outcome(NamedTuple):
    """What a run left behind."""

    status: int
    stdout: bytes
    stderr: bytes
    files: tuple[bytes, ...]


def build_module(module: LlvmModule, program: RealProgram, path: Path, *, level: int) -> None:
    """Generate code for a whole program and link it, without further passes on its IR."""
    compiler = find_compiler().command[0]
    command = [compiler, "cc"] if Path(compiler).name == "zig" else [compiler]
    if program.is_cxx:  # it was compiled with g++'s headers, and needs its library
        command = ["g++"]
    path.with_suffix(".o").write_bytes(module.object(level))
    libraries = [f"-l{each}" for each in program.libraries]
    run_quietly([*command, str(path.with_suffix(".o")), *libraries, "-lm", "-o", str(path)], path.parent)


def run_check(path: Path, check: Check, folder: Path, variables: Mapping[str, str] | None = None) -> Outcome:
    """One run in an empty folder of its own.

    Args:
        variables: of the environment, besides the usual ones.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for fresh in check.fresh:
        shutil.copy(fresh, folder)
    with (check.stdin or Path("/dev/null")).open("rb") as stdin:
        done = subprocess.run(
            ["program", *check.arguments], executable=path, stdin=stdin, capture_output=True, cwd=folder,
            timeout=_PATIENCE_S, env=environment() | dict(variables or {}), check=False,
        )  # fmt: skip
    return Outcome(
        done.returncode, done.stdout, done.stderr, tuple((folder / name).read_bytes() for name in check.writes)
    )
