"""How the shell and its worker talk: one JSON object a line, over a socket between the two."""

import json
import select
import socket
import threading
from collections.abc import Mapping
from typing import TypedDict

from sonde.base.errors import InputError, InternalError, MissingCapability, SondeError, UsageError
from sonde.instruments.vm.verb.shell.command import Data
from sonde.instruments.vm.verb.shell.parameters import Value

_FAMILIES = {each.__name__: each for each in (SondeError, UsageError, InputError, MissingCapability, InternalError)}
_CHUNK_BYTES = 1 << 18


class Request(TypedDict):
    """What the worker is asked to do."""

    command: str
    """A command's name. Empty: list names, of functions that begin with the argument `prefix`, or of modules."""
    arguments: dict[str, Value]
    width: int | None
    is_quiet: bool
    """What is printed meanwhile was printed before: it is done again."""


class Problem(TypedDict):
    """An error on its way from one process to the other."""

    family: str
    message: str
    slug: str
    hint: str | None


class Reply(TypedDict, total=False):
    """What came of it."""

    text: str
    data: Mapping[str, Data]
    problem: Problem | None
    crashed_in: str | None
    """Alone in a message that comes before the end of a program, or of the worker: where the program crashed."""
    running: bool
    """Whether a started program still runs."""


class Channel:
    """One end of the socket."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._pending = bytearray()
        self._sending = threading.Lock()

    def close(self) -> None:
        """Tell the other side that there will be nothing more."""
        self._end.close()

    def send(self, message: Request | Reply) -> None:
        """Send one message.

        Raises:
            OSError: the other side is gone.
        """
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._sending:  # of a crash another thread tells
            self._end.sendall(line)

    def is_ready(self, seconds: float) -> bool:
        """Whether something can be read, or the other side is gone, within that time."""
        return bool(select.select([self._end], [], [], seconds)[0])

    def receive_part(self) -> list[bytes]:
        """Read what is there; returns the messages that are whole now.

        Raises:
            EOFError: the other side is gone.
        """
        try:
            part = self._end.recv(_CHUNK_BYTES)
        except OSError:
            part = b""
        if not part:
            raise EOFError
        end = part.rfind(b"\n") + 1
        if end == 0:
            self._pending += part
            return []
        whole, self._pending = bytes(self._pending) + part[:end], bytearray(part[end:])
        return whole.splitlines()

    def receive(self) -> bytes:
        """Wait for one message, where the other side sends no second one before it has an answer.

        Raises:
            EOFError: the other side is gone.
        """
        while not (messages := self.receive_part()):
            pass
        return messages[0]


def problem_of(error: SondeError) -> Problem:
    """An error as data."""
    return {"family": type(error).__name__, "message": error.message, "slug": error.slug, "hint": error.hint}


def error_of(problem: Problem) -> SondeError:
    """The error that `problem_of` was given.

    >>> error_of(problem_of(UsageError("cannot do it", slug="usage"))).exit_code
    2
    """
    told = {"slug": problem["slug"], "hint": problem["hint"]}
    return _FAMILIES[problem["family"]](problem["message"], **told)  # type: ignore[arg-type]
