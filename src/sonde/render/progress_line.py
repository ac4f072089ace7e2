"""How far something long is, and when it will be done, on a terminal."""

import sys
import time
from typing import TextIO

from sonde.base.fitted_text import keep_start
from sonde.base.terminal import can_write_over, columns_of

FIRST_S = 1.0
"""Seconds before the first word: most things are done by then."""
_EVERY_S = 0.1
"""Seconds between two updates."""
_ESTIMATED_FROM_S = 2.0
"""Seconds after which what is left can be estimated by what is done."""

_MINUTES_FROM_S = 90.0


class ProgressLine:
    """A line that is written over and over, and is gone at the end; nothing where standard error is no terminal.

    Args:
        what: is done, as the line begins.
        stream: where to; standard error if none is given.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._began = time.monotonic()
        self._next = self._began + FIRST_S if can_write_over(self._stream) else float("inf")
        self._width = 0

    def __call__(self, done: int, total: int | None) -> None:
        """Say that so many of so many are done; None: nobody knows of how many."""
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + _EVERY_S
        text = f"{self._what} {done:,}" if total is None else f"{self._what} {done:,} of {total:,}"
        took = now - self._began
        if done and total is not None and took >= _ESTIMATED_FROM_S:
            text += f", about {rough_duration(took * (total - done) / done)} left"
        self.tell(text)

    def tell(self, text: str) -> None:
        """Write a text in its place."""
        text = keep_start(text, columns_of(self._stream) - 1)  # a line that is broken cannot be written over
        self._stream.write(f"\r{text:<{self._width}}")
        self._stream.flush()
        self._width = len(text)

    def close(self) -> None:
        """Leave the line empty."""
        if self._width:
            self._stream.write(f"\r{'':<{self._width}}\r")
            self._stream.flush()
            self._width = 0


def rough_duration(seconds: float) -> str:
    """As an estimate is told."""
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM_S else f"{seconds / 60:.0f} min"
