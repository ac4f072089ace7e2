"""From files to modules: C and C++ through clang, LLVM's own text and bitcode."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sonde.base.errors import InputError, UsageError
from sonde.base.nameless_file import nameless_file
from sonde.base.program_sources import COMPILED, LLVM_BITCODE, PROGRAM_SOURCES
from sonde.base.steps import Steps
from sonde.base.terminal import wants_colour
from sonde.jit.compilers import find_compiler
from sonde.jit.thread_locals import lower_thread_locals
from sonde.llvm import LlvmModule, require_llvm

_EMIT = "-emit-llvm"
_TOWARDS_LLVM = (
    "-c",
    _EMIT,
    # What is defined here is reached directly, what is not through a table: as in an executable.
    "-fPIE",
    "-march=native",
    # Else results would differ in the last digit from a build for any CPU, where this has no effect.
    "-ffp-contract=off",
)
_NOT_YET_OPTIMISED = ("-O2", "-Xclang", "-disable-llvm-passes")
"""As for optimised code (lifetimes, aliasing, no `optnone`), which nobody has optimised yet."""
_NAMES = ("-fno-discard-value-names",)
_SHOWN = 40
"""Lines of a compiler's diagnostics that are passed on; the later ones mostly follow from the first."""
_TICK_MS = 250
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_DECLARED_NEAR = re.compile(
    r"^(declare |@\S+ = (?:external |extern_weak ))(?:(?:dso_local|hidden|protected) )+", re.MULTILINE
)
"""Declared as if the linker would put it near: each object and each symbol of the JIT's has a place of its own."""


def compile_file(
    path: Path | str,
    options: Sequence[str] = (),
    *,
    level: int | None = None,
    debug: bool = False,
    names: bool = False,
    steps: Steps | None = None,
) -> LlvmModule:
    """One source file as a module.

    Args:
        path: C (`.c`), C++ (`.cc` `.cpp` `.cxx`), LLVM text (`.ll`) or bitcode (`.bc`).
        options: for the compiler: `-I`, `-D`, `-std=` and so on.
        level: optimised, 0 to 3, as the compiler would for an object file; None: not optimised, but fit to be.
        debug: with lines and variables (`-g`).
        names: keep the names of variables as names of values, for people who read the IR.
        steps: told how many files are done.
    Raises:
        UsageError: `unknown-source`.
        InputError: `no-such-source`, `does-not-compile`, or what `LlvmModule` and `lower_thread_locals` say.
        MissingCapability: `no-c-compiler`, `no-llvm`.
    """
    return compile_files([path], options, level=level, debug=debug, names=names, steps=steps)[0]


def compile_files(
    paths: Sequence[Path | str],
    options: Sequence[str] = (),
    *,
    level: int | None = None,
    debug: bool = False,
    names: bool = False,
    steps: Steps | None = None,
) -> list[LlvmModule]:
    """The same for several files, as many at a time as there are cores. Raises: as `compile_file`."""
    for path in paths:
        check_source(path)
    steps = steps or Steps()
    extra = [*(("-g",) if debug else ()), *(_NAMES if names else ()), *options]
    compiled = [path for path in paths if Path(path).suffix in COMPILED]
    bitcode = _compile(compiled, extra, level, steps) if compiled else {}
    modules = []
    for path in paths:
        if str(path) not in bitcode:
            module = _read(path, steps)
        else:
            module = _reaching_far(LlvmModule.from_bitcode(bitcode[str(path)], str(path)))
            if not module.has_thread_locals():
                modules.append(module)
                continue
            if level is not None:  # once more: before optimising, their addresses are taken in fewer ways
                again = _compile([path], extra, None, steps)[str(path)]
                module = _reaching_far(LlvmModule.from_bitcode(again, str(path)))
            module = lower_thread_locals(module)
        if level is not None:
            module.optimize(level)
        modules.append(module)
    return modules


def optimising_command(level: int) -> list[str]:
    """The command that `compile_files` gives a compiler for optimised code, but for its output: LLVM's language.

    Raises:
        MissingCapability: `no-c-compiler`.
    """
    return [*find_compiler().command, *(word for word in _TOWARDS_LLVM if word != _EMIT), f"-O{level}"]


def check_source(path: Path | str) -> None:
    """Refuse what is not a file of a known kind.

    Raises:
        UsageError: `unknown-source`.
        InputError: `no-such-source`.
    """
    file = Path(path)
    if file.suffix not in PROGRAM_SOURCES:
        raise UsageError(
            f"cannot tell what '{path}' is: its name ends in none of {' '.join(PROGRAM_SOURCES)}",
            slug="unknown-source",
            hint="arguments of the program go after '--'",
        )
    if not file.is_file():
        fact = "it is a folder" if file.is_dir() else "it is not a file" if file.exists() else "no such file"
        raise InputError(f"cannot read '{path}': {fact}", slug="no-such-source")


def _read(path: Path | str, steps: Steps) -> LlvmModule:
    """A file of LLVM's own, ready to be loaded anywhere."""
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}", slug="no-such-source") from error
    if Path(path).suffix == LLVM_BITCODE:
        module = LlvmModule.from_bitcode(data, name, strip_invalid_debug_info=True)
        text = module.text()
    else:
        text = _as_text(data)
        module = LlvmModule.from_text(text, name, strip_invalid_debug_info=True)
        text = module.text() if module.stripped else text
    if module.stripped:
        steps.say(f"warning: debug information of '{path}' is left out: {module.stripped}")
    # Written for an executable at a fixed place, where a library's symbols are as near as one's own.
    reachable = _DECLARED_NEAR.sub(r"\1", text)
    module = module if reachable == text else LlvmModule.from_text(reachable, name)
    return lower_thread_locals(module) if module.has_thread_locals() else module


def _reaching_far(module: LlvmModule) -> LlvmModule:
    """A module that was compiled, with what is hidden and defined elsewhere reached through a table."""
    if not module.declares_hidden():
        return module
    return LlvmModule.from_text(_DECLARED_NEAR.sub(r"\1", module.text()), module.name)


def _as_text(data: bytes) -> str:
    """LLVM's text as text. Bytes that are no UTF-8 are in strings, names or comments; an escape is the same there."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", lambda match: b"\\%02X" % match.group(0)[0], data).decode("ascii")


class _Job(NamedTuple):
    path: Path | str
    process: "subprocess.Popen[bytes]"
    output: BinaryIO
    messages: BinaryIO


def _compile(paths: Sequence[Path | str], options: Sequence[str], level: int | None, steps: Steps) -> dict[str, bytes]:
    optimised = _NOT_YET_OPTIMISED if level is None else (f"-O{level}",)
    command = [*find_compiler().command, *_TOWARDS_LLVM, *optimised, *_colour(), *options, "-o", "-"]
    waiting, running, done = list(paths), list[_Job](), dict[str, bytes]()
    at_once = len(os.sched_getaffinity(0))
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                running.append(_start(command, waiting.pop(0)))
            require_llvm()  # takes a while to load: now, as the compiler is at work
            done[str(running[0].path)] = _finish(running[0], steps)
            running.pop(0)
            if len(paths) > 1:
                steps.done(len(done), len(paths))
    finally:  # with an error, or Ctrl-C
        for job in running:
            job.process.kill()
            job.process.wait()
    return done


def _start(command: Sequence[str], path: Path | str) -> _Job:
    # Into memory, so that nothing is left behind whatever happens.
    output, messages = (os.fdopen(nameless_file(name), "w+b") for name in ("bitcode", "messages"))
    # A name like '-x.c' is not to be taken for an option.
    word = f"./{path}" if str(path).startswith("-") else str(path)
    process = subprocess.Popen([*command, word], stdin=subprocess.DEVNULL, stdout=output, stderr=messages)
    return _Job(path, process, output, messages)


def _finish(job: _Job, steps: Steps) -> bytes:
    status = _wait(job.process, steps)
    messages = _contents(job.messages).decode("utf-8", "replace").rstrip()
    output = _contents(job.output)
    if status:
        messages = _COLOUR.sub("", messages)  # errors are printed without what steers a terminal
        raise InputError(
            f"cannot compile '{job.path}':\n{_trimmed(messages) or f'the compiler ended with status {status}'}",
            slug="does-not-compile",
        )
    if messages:
        steps.say(messages)  # warnings, for whoever wrote the program
    return output


def _wait(process: "subprocess.Popen[bytes]", steps: Steps) -> int:
    try:
        ended = os.pidfd_open(process.pid)
    except OSError:  # a kernel without, or no descriptor is left
        return process.wait()
    try:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        while not poll.poll(_TICK_MS):
            steps.tick()
    finally:
        os.close(ended)
    return process.wait()


def _contents(file: BinaryIO) -> bytes:
    with file:
        file.seek(0)
        return file.read()


def _colour() -> tuple[str, ...]:
    return ("-fcolor-diagnostics",) if wants_colour(sys.stderr) else ()


def _trimmed(messages: str) -> str:
    lines = messages.splitlines()
    if len(lines) <= _SHOWN:
        return messages
    return "\n".join([*lines[:_SHOWN], f"... and {len(lines) - _SHOWN} more lines"])
