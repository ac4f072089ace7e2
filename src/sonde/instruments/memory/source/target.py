"""What a command will execute, looked at before it is measured: can Valgrind run it, and how much will be seen?"""

import os
import stat
import struct
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.launch import find_command

_ELF = b"\x7fELF"
_CLASS_64 = 2
_X86_64 = 62
_INTERPRETER_SEGMENT = 3
_HEAD_BYTES = 4096
"""Enough for the headers of every linker that is known; a first line of a script is cut off earlier by the kernel."""
_SCRIPTS_DEEP = 5
"""How often the kernel follows `#!`."""


class Target(NamedTuple):
    """A command that can be run under Valgrind."""

    argv: tuple[str, ...]
    """What is given to Valgrind."""
    program: Path
    """The executable that will run."""
    is_static: bool
    """Its allocations cannot be seen: no library can be put before its own."""
    is_python: bool
    """By its name; a launcher of another name may turn out to be one too."""


def target_of(argv: tuple[str, ...]) -> Target:
    """Look at the file that `argv` executes, and at the interpreter behind it.

    A script that begins with `#!/usr/bin/env NAME` is run by NAME itself: `env` would replace itself by it, and
    Valgrind follows no program that becomes another.

    Raises:
        UsageError: `no-program`: it is not there; `not-measurable`: it is nothing that Valgrind can run.
    """
    for _ in range(_SCRIPTS_DEEP):
        program = find_command(argv[0])
        head = _head(program, argv[0])
        interpreter = _interpreter(head)
        command = _behind_env(interpreter)
        if not command:
            break
        # The kernel hands over the path that was executed, as it was written or found.
        argv = (*command, argv[0] if "/" in argv[0] else str(program), *argv[1:])
    runs = program
    for _ in range(_SCRIPTS_DEEP):
        if not interpreter:
            break
        runs = _interpreter_file(interpreter[0], argv[0])
        head = _head(runs, argv[0])
        interpreter = _interpreter(head)
    return Target(argv, runs, _is_static(argv[0], runs, head), runs.resolve().name.startswith("python"))


def _interpreter_file(word: str, script: str) -> Path:
    """The file that the first line of a script names."""
    try:
        return find_command(word)
    except UsageError as error:
        raise UsageError(
            f"cannot run '{script}': its first line names '{word}', which cannot be executed",
            slug="no-program",
            hint=f"correct that line, or name what runs it: sonde memory -- COMMAND {script}",
        ) from error


def _head(program: Path, word: str) -> bytes:
    try:
        with program.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
            mode = os.fstat(stream.fileno()).st_mode
    except OSError as error:
        raise UsageError(
            f"cannot measure '{word}': '{program}' cannot be read: {error.strerror}",
            slug="not-measurable",
            hint="Valgrind translates a program, and so must be allowed to read it",
        ) from error
    if mode & (stat.S_ISUID | stat.S_ISGID):
        raise UsageError(
            f"cannot measure '{word}': '{program}' runs with the rights of another user, which Valgrind cannot give it",
            slug="not-measurable",
            hint="measure a copy of it, as a user who has these rights",
        )
    return head


def _interpreter(head: bytes) -> list[str]:
    """What the first line of a script names; empty: it is no script."""
    if not head.startswith(b"#!"):
        return []
    first, _, rest = os.fsdecode(head[2:].split(b"\n", 1)[0]).strip().partition(" ")
    return [first, rest.strip()] if rest.strip() else [first]


def _behind_env(interpreter: list[str]) -> list[str]:
    """The command that `env` will become; empty: it is not `env`, or is to do more than that."""
    import shlex

    if len(interpreter) < 2 or Path(interpreter[0]).name != "env":
        return []
    asked = interpreter[1]
    words = shlex.split(asked.removeprefix("-S")) if asked.startswith("-S") else [asked]
    return [] if not words or words[0].startswith("-") or "=" in words[0] else words


def _is_static(word: str, program: Path, head: bytes) -> bool:
    if not head.startswith(_ELF) or len(head) < 64:
        raise _no_program(
            word,
            program,
            "it is neither a program of this system nor a script that names one",
            f"name what runs it, e.g. sonde memory -- sh {word}",
        )
    if head[4] != _CLASS_64:
        raise _no_program(
            word, program, "it is a 32-bit program, and sonde's tool is for 64-bit ones", "build it with -m64"
        )
    machine, table, entry_bytes, entries = struct.unpack_from("<18xH12xQ14xHH", head)
    if machine != _X86_64:
        raise _no_program(word, program, "it is a program for another processor", "build it for x86-64")
    places = (table + number * entry_bytes for number in range(entries))
    kinds = (struct.unpack_from("<I", head, place)[0] for place in places if place + 4 <= len(head))
    return _INTERPRETER_SEGMENT not in kinds


def _no_program(word: str, program: Path, fact: str, hint: str) -> UsageError:
    return UsageError(f"cannot measure '{word}': '{program}': {fact}", slug="not-measurable", hint=hint)
