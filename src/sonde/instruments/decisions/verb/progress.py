"""How far a long comparison is, on a terminal."""

import sys
import time
from typing import TextIO

_EVERY = 0.1
"""Seconds between two updates."""


class Progress:
    """A line that is written over and over, and is gone at the end; nothing where standard error is no terminal."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._next = time.monotonic() + _EVERY if self._stream.isatty() else float("inf")
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Say that so many of so many are done."""
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + _EVERY
        text = f"{self._what} {done:,} of {total:,}"
        self._stream.write(f"\r{text:<{self._width}}")
        self._stream.flush()
        self._width = len(text)

    def close(self) -> None:
        """Leave the line empty."""
        if self._width:
            self._stream.write(f"\r{'':<{self._width}}\r")
            self._stream.flush()
