"""Progress of compiling a program that this process, or a fork of it, runs afterwards: told without a thread."""

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self, TextIO

from sonde.base.steps import Steps
from sonde.base.terminal import can_write_over
from sonde.render.progress_line import FIRST_S, ProgressLine
from sonde.render.stage_estimate import StageEstimate


class Compiling(Steps):
    """A line on a terminal as long as the block lasts, written when a step begins and while another process compiles.

    A process that has had a thread is not what it was: the C library and C++ (`shared_ptr`) lock from then on, also in
    a fork, and programs would run slower on a terminal than elsewhere. So what LLVM does in this process is estimated
    as it begins, and the line stands still meanwhile.

    Args:
        shares: name of each step, in order -> about its part of the time, in any unit.
        stream: where to; standard error if none is given.
    """

    def __init__(self, shares: Mapping[str, float], stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = can_write_over(self._stream)
        self._line = ProgressLine("", self._stream)
        self._estimate = StageEstimate("sonde: compiling", shares, time.monotonic())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()

    def begin(self, name: str) -> None:
        """See `Steps`."""
        now = time.monotonic()
        self._estimate.begin(name, now)
        self._tell(now, ahead=True)

    def done(self, count: int, total: int) -> None:
        """See `Steps`."""
        now = time.monotonic()
        self._estimate.done(count, total, now)
        self._tell(now)

    def tick(self) -> None:
        """See `Steps`."""
        self._tell(time.monotonic())

    def say(self, text: str) -> None:
        """See `Steps`."""
        self._line.close()
        super().say(text)

    def _tell(self, now: float, *, ahead: bool = False) -> None:
        """Write the line; `ahead`: also before its time if the rest is long, as nothing is written until that ends."""
        left_s, text = self._estimate.left_s(now), self._estimate.text(now)
        if text is None and ahead and left_s is not None and left_s >= FIRST_S:
            text = self._estimate.told(left_s)
        if text is not None and self._is_shown:
            self._line.tell(text)
