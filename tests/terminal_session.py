"""A person at a terminal, for tests: types, waits until something is on the screen, presses Ctrl-C."""

import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from types import TracebackType

CTRL_C, CTRL_D, CTRL_BACKSLASH, TAB = "\x03", "\x04", "\x1c", "\t"
# What has started becomes the leader of a session that has the terminal: so Ctrl-C reaches it as from a real one.
_TAKE_TERMINAL = (
    "import os, sys, fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


class TerminalSession:
    """A command on a pseudo-terminal of its own.

    >>> with TerminalSession(["/bin/cat"], {}) as cat:
    ...     cat.type("hello\\n")
    ...     _ = cat.expect("hello")
    ...     cat.type(CTRL_D)
    ...     cat.end()
    0
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, columns: int = 80) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", _TAKE_TERMINAL, *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment, "TERM": "dumb"},
            start_new_session=True,
        )
        self.modes = termios.tcgetattr(slave)
        self._slave = slave
        self.shown = ""
        """All that was printed, with what the terminal echoed."""
        self._seen = 0

    def __enter__(self) -> "TerminalSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._slave)
        os.close(self._master)

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self._master, text.encode())

    def expect(self, text: str, *, within_s: float = 30.0) -> str:
        """Wait until `text` is shown after what was expected before; returns what came in between."""
        deadline = time.monotonic() + within_s
        while (found := self.shown.find(text, self._seen)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} did not come; shown since:\n{self.shown[self._seen :]}"
            if select.select([self._master], [], [], left)[0]:
                self.shown += os.read(self._master, 1 << 16).decode().replace("\r\n", "\n")
        between = self.shown[self._seen : found]
        self._seen = found + len(text)
        return between

    def modes_now(self) -> list[object]:
        """How the terminal is set."""
        return termios.tcgetattr(self._slave)

    def end(self) -> int:
        """Wait for the command's end; returns its exit code."""
        return self.process.wait(timeout=600)
