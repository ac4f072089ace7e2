"""The compiler of a build: compiles with probes what it can, and is the real compiler for everything else."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from sonde.instruments.contexts.sources.builds.build_log import VARIABLE, note
from sonde.instruments.contexts.sources.builds.compiler_words import CompilerCommand, Source, read_compiler_command

CLANG = "SONDE_BUILD_CLANG"
"""Environment of a build: the words of our clang, one a line; empty: there is none."""
BURSTS = "SONDE_BUILD_BURSTS"
"""Environment of a build: not empty if probes are to be such that can be switched."""
_INSTRUMENTED = (
    "-finstrument-functions",
    "-g",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-inline",
)
"""For native/probes/instrumented.c: frames tell what runs, if each function has its own, with a pointer. Inlining saves
little where each function makes two calls more."""
_PACKAGE = Path(__file__).parents[4]
_SHARED, _STATIC = _PACKAGE / "libsonde_probes.so", _PACKAGE / "libsonde_probes.a"


def main(name: str, real: str, words: Sequence[str]) -> NoReturn:
    """Be a compiler.

    Args:
        name: what it was called as.
        real: path of the real one.
        words: of its command line, without its name.
    """
    command = read_compiler_command(words, is_cxx="++" in name)
    if command.is_probe or VARIABLE not in os.environ:
        _become(real, words)
    if command.reason:
        for source in command.sources:
            _note_without(source, command.reason)
    if not command.is_compiling:
        _note_linked(command)
        _become(real, [*command.words, *_library(command)])
    with tempfile.TemporaryDirectory(prefix="sonde-build-") as folder:
        status = _compile(command, real, Path(folder))
    sys.exit(status)


def _become(real: str, words: Sequence[str]) -> NoReturn:
    sys.stdout.flush()
    os.execv(real, [real, *words])


def _compile(command: CompilerCommand, real: str, folder: Path) -> int:
    """Compile all sources, and link if that was asked for; the exit status."""
    objects: dict[int, str] = {}
    for number, source in enumerate(command.sources):
        target = str(folder / f"{number}.o") if command.links else command.object_of(source)
        status = _compile_one(command, source, target, real, folder)
        if status:
            return status
        objects[source.word] = target
    if not command.links:
        return 0
    _note_linked(command)
    return _run([real, *command.with_objects(objects), *_library(command)])


def _compile_one(command: CompilerCommand, source: Source, target: str, real: str, folder: Path) -> int:
    options, clang = command.options(source), os.environ.get(CLANG, "").split("\n")
    reason = ""
    if clang != [""]:
        from sonde.instruments.contexts.sources.builds.probed_object import compile_with_probes

        done = compile_with_probes(
            clang, source.path, source.language, options, target, folder, bursts=bool(os.environ.get(BURSTS))
        )
        if not done.reason:
            note(file=str(Path(source.path).absolute()), functions=done.functions, dropped=done.dropped)
            return 0
        reason = done.reason
    language = ["-x", source.language] if Path(source.path).suffix != ".c" or source.language != "c" else []
    instrumented = [] if reason else _INSTRUMENTED
    status = _run([real, *options, *instrumented, "-c", *language, source.path, "-o", target])
    if not status and reason:
        _note_without(source, f"clang: {reason}")
    elif not status:
        note(file=str(Path(source.path).absolute()), functions=0, instrumented=True)
    return status


def _library(command: CompilerCommand) -> list[str]:
    """What programs and libraries need to be linked with."""
    if not command.links:
        return []
    if command.is_static:
        return ["-Wl,--whole-archive", str(_STATIC), "-Wl,--no-whole-archive"]
    if command.is_shared:
        return [str(_SHARED)]
    # A program that has none of our code may load a library that has.
    return ["-Wl,--push-state,--no-as-needed", str(_SHARED), "-Wl,--pop-state"]


def _note_linked(command: CompilerCommand) -> None:
    if command.links:
        path = Path(os.path.normpath(Path(command.output or "a.out").absolute()))
        note(linked=str(path), is_shared=command.is_shared)


def _note_without(source: Source, reason: str) -> None:
    note(file=str(Path(source.path).absolute()), reason=reason)


def _run(words: Sequence[str]) -> int:
    status = subprocess.run(words, check=False).returncode
    return status if status >= 0 else 128 - status
