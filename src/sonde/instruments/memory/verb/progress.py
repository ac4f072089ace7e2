"""A line on the terminal while a program runs under the tool, which takes many times as long as without it."""

import time
from pathlib import Path
from typing import TextIO

from sonde.base.terminal import can_write_over
from sonde.launch import NowAndThen

_EVERY_S = 1.0
_CLOCK = b"\ntotal\tclock\t"
_CLEAR = "\r\x1b[K"
_PER_SECOND_DIGITS = 1_000_000


class MemoryProgress:
    """Tells of the accesses that the tool has seen, from the records that it writes on its way.

    Args:
        record: what the tool replaces from time to time.
        stream: a terminal; anything else is left alone.
    """

    def __init__(self, record: Path, stream: TextIO) -> None:
        self._record = record
        self._stream = stream
        self._began = time.monotonic()
        self._seen: tuple[int, int] | None = None  # which record was read: its inode and time
        self._shown = False

    def chore(self) -> NowAndThen | None:
        """For the launcher; None when there is nobody to see it."""
        return NowAndThen(_EVERY_S, self._do) if can_write_over(self._stream) else None

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            print(_CLEAR, end="", file=self._stream, flush=True)

    def _do(self) -> None:
        try:
            about = self._record.stat()
            if self._seen == (about.st_ino, about.st_mtime_ns):
                return
            self._seen = (about.st_ino, about.st_mtime_ns)
            clock = _clock_in(self._record.read_bytes())
            if clock is None:
                return
            rate = clock / max(1e-3, time.monotonic() - self._began) / _PER_SECOND_DIGITS
            text = f"{_CLEAR}sonde: {clock / 1e9:,.1f} billion accesses so far, {rate:,.0f} million a second"
            print(text, end="", file=self._stream, flush=True)
            self._shown = True
        except OSError:
            return  # no record yet; or the terminal has gone away


def _clock_in(record: bytes) -> int | None:
    place = record.find(_CLOCK)
    digits = record[place + len(_CLOCK) :].split(b"\n", 1)[0] if place >= 0 else b""
    return int(digits) if digits.isdigit() else None
