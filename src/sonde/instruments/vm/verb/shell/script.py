"""Commands from a file or a stream: done one by one, up to the first that fails."""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import InputError, SondeError
from sonde.instruments.vm.verb.shell.all_commands import ReadLine, read_line
from sonde.instruments.vm.verb.shell.channel import problem_of
from sonde.instruments.vm.verb.shell.command import Answer
from sonde.instruments.vm.verb.shell.session import Session

_DEEPEST = 16
"""A file that reads itself would never end."""


@dataclass(frozen=True, slots=True)
class Printer:
    """Where answers go."""

    as_json: bool = False

    def print_answer(self, line: ReadLine, answer: Answer) -> None:
        """Print what a command found."""
        if self.as_json:
            self._print_object(line.text, {"ok": True, "result": dict(answer.data)})
        elif answer.text:
            _print(answer.text)

    def print_problem(self, text: str, error: SondeError) -> None:
        """Print what a command said instead of an answer; as text, that is the caller's to do."""
        if self.as_json:
            problem = problem_of(error)
            told = {"slug": problem["slug"], "message": problem["message"], "hint": problem["hint"]}
            self._print_object(text, {"ok": False, "error": told})

    def _print_object(self, text: str, fields: dict[str, object]) -> None:
        schema = {"schema": "sonde.vm/1", "command": text}
        _print(json.dumps({**schema, **fields}, separators=(",", ":")))


def _print(text: str) -> None:
    """Print at once, or say why that cannot be.

    Raises:
        SondeError: `cannot-write`.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is buffered would be tried again at the end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SondeError(
            f"cannot write to standard output: {error.strerror or error}", slug="cannot-write", hint="make room"
        ) from error


def run_lines(session: Session, lines: Iterable[str], name: str, printer: Printer, depth: int = 0) -> bool:
    """Do commands until one fails that may not, or until `quit`.

    Args:
        name: of the file, for messages.
        depth: how many files are being read that led here.
    Returns:
        whether it ended by `quit`.
    Raises:
        SondeError: the first failure, with `name:line: ` before its message.
    """
    for number, text in enumerate(lines, start=1):
        line = None
        try:
            line = read_line(text)
            if line is None:
                continue
            if line.command.name == "quit":
                return True
            if line.command.name == "source":
                if source(session, line, printer, depth):
                    return True
                continue
            printer.print_answer(line, session.do(line))
        except SondeError as error:
            if line is None or line.command.name != "source":
                printer.print_problem(text.strip() if line is None else line.text, error)
            placed = _placed(error, f"{name}:{number}")
            if not text.lstrip().startswith("-"):
                raise placed from error
            print(f"sonde: {placed}", file=sys.stderr, flush=True)
    return False


def source(session: Session, line: ReadLine, printer: Printer, depth: int = 0) -> bool:
    """Do the command `source`; returns whether the file ended by `quit`.

    Raises:
        SondeError: as `run_lines`; `cannot-read-script`, `source-too-deep`.
    """
    name = line.arguments.text("file")
    if depth >= _DEEPEST:
        raise InputError(
            f"cannot read '{name}': {depth} files are being read already, each from the one before",
            slug="source-too-deep",
            hint="does a file read itself?",
        )
    return run_lines(session, read_script(name).splitlines(), name, printer, depth + 1)


def read_script(name: str) -> str:
    """The text of a file of commands.

    Raises:
        InputError: `cannot-read-script`.
    """
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        fact = "no such file" if isinstance(error, FileNotFoundError) else (error.strerror or str(error)).lower()
    except UnicodeDecodeError:
        fact = "it is not text"
    raise InputError(f"cannot read the commands in '{name}': {fact}", slug="cannot-read-script")


def _placed(error: SondeError, place: str) -> SondeError:
    """The same error, with the place before its message."""
    told = {"slug": error.slug, "hint": error.hint}
    return type(error)(f"{place}: {error.message}", **told)  # type: ignore[arg-type]
