"""Single keys from a terminal, for as long as a page is shown on it."""

import os
import select
import signal
import termios
import tty
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_ENDING = (signal.SIGTERM, signal.SIGHUP)


class TerminalKeys:
    """Keys as they are pressed: without echo, and without waiting for the end of a line. Ctrl-C stays a signal.

    The terminal is as before at the end, while this process is stopped by Ctrl-Z, and when it is told to end.

    Args:
        file: descriptor of the terminal.
        before_stop: what to do when this process is to be stopped for a while.
    """

    def __init__(self, file: int, before_stop: Callable[[], None] = lambda: None) -> None:
        self._file = file
        self._before_stop = before_stop
        self._modes: list[Any] = []
        self._handlers: dict[signal.Signals, Any] = {}

    @staticmethod
    def are_ours(file: int) -> bool:
        """Whether it is a terminal that we may steer: this process is not in the background."""
        try:
            return os.isatty(file) and os.tcgetpgrp(file) == os.getpgrp()
        except OSError:
            return False

    def __enter__(self) -> Self:
        self._begin()
        self._handlers = {number: signal.signal(number, self._end_by) for number in _ENDING}
        self._handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)
        return self

    def read(self, seconds: float) -> str:
        """The key that is pressed within so long; empty if none is, or if the terminal is gone."""
        try:
            if not select.select([self._file], [], [], seconds)[0]:
                return ""
            return os.read(self._file, 1).decode("latin-1")
        except OSError:
            return ""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._end()

    def _begin(self) -> None:
        try:
            self._modes = termios.tcgetattr(self._file)
            tty.setcbreak(self._file, termios.TCSANOW)
        except termios.error:  # it is gone
            self._modes = []

    def _end(self) -> None:
        if self._modes:
            try:
                termios.tcsetattr(self._file, termios.TCSANOW, self._modes)
            except termios.error:
                self._modes = []

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._before_stop()
        self._end()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._begin()

    def _end_by(self, number: int, _frame: FrameType | None) -> None:
        self._before_stop()
        self._end()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
