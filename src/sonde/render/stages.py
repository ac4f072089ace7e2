"""Progress of work that goes through stages, none of which can be counted: the time that is left is estimated."""

import sys
import time
from collections.abc import Mapping
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self, TextIO

from sonde.base.terminal import can_write_over
from sonde.render.progress_line import FIRST_S, ProgressLine, rough_duration

_EVERY_S = 0.25
_ESTIMATED_FROM_S = 0.5
"""Seconds that finished stages must have taken to say how long the others will."""


class Stages:
    """A line on a terminal as long as the block lasts: which stage, and about how long it takes to the end.

    A thread of its own writes it, as the work has no place at which it could be counted.

    Args:
        what: is done, as the line begins: `sonde: comparing`.
        shares: name of each stage, in order -> about its part of the time, in any unit.
        before: share and seconds of what is done already.
        stream: where to; standard error if none is given.
    """

    def __init__(
        self,
        what: str,
        shares: Mapping[str, float],
        *,
        before: tuple[float, float] = (0.0, 0.0),
        stream: TextIO | None = None,
    ) -> None:
        self._what, self._shares = what, dict(shares)
        self._stream = sys.stderr if stream is None else stream
        self._names = list(shares)
        self._at = 0
        self._share_done, self._took = before
        self._began = self._stage_began = time.monotonic()
        self._line: ProgressLine | None = None
        self._lock, self._over = Lock(), Event()
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        self._began = self._stage_began = time.monotonic()
        if can_write_over(self._stream):
            self._line = ProgressLine(self._what, self._stream)
            self._thread = Thread(target=self._tell, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None and self._line is not None:
            self._thread.join()
            self._line.close()

    def begin(self, name: str) -> None:
        """A stage begins, and those before it are done."""
        now = time.monotonic()
        with self._lock:
            number = self._names.index(name)
            self._share_done += sum(self._shares[each] for each in self._names[self._at : number])
            if number > self._at:
                self._took += now - self._stage_began
                self._stage_began = now
            self._at = number

    def text(self, now: float) -> str | None:
        """What is to be seen at a moment of the monotonic clock, in seconds; None: nothing yet.

        What is left is estimated by what finished stages took; a stage that takes longer than that makes those after
        it longer, too.
        """
        with self._lock:
            if now - self._began < FIRST_S:
                return None
            name = self._names[self._at]
            text = f"{self._what}: {name}, step {self._at + 1} of {len(self._names)}"
            if self._took < _ESTIMATED_FROM_S or not self._share_done:
                return text
            elapsed, share = now - self._stage_began, self._shares[name]
            later = sum(self._shares[each] for each in self._names[self._at + 1 :])
            rate = self._took / self._share_done
            if elapsed > share * rate:
                rate = (self._took + elapsed) / (self._share_done + share)
            left = max(0.0, share * rate - elapsed) + later * rate
            return f"{text}, about {rough_duration(left)} left" if left >= 0.5 else text

    def _tell(self) -> None:
        assert self._line is not None
        while not self._over.wait(_EVERY_S):
            text = self.text(time.monotonic())
            if text is not None:
                self._line.tell(text)
