"""Progress of work that goes through stages: the time that is left is estimated."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self, TextIO, TypeVar, overload

from sonde.base.terminal import can_write_over
from sonde.render.progress_line import ProgressLine
from sonde.render.stage_estimate import StageEstimate

_EVERY_S = 0.25

_Part = TypeVar("_Part")


class Stages:
    """A line on a terminal as long as the block lasts: which stage, and about how long it takes to the end.

    A thread of its own writes it, as most work has no place at which it could be counted.

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
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._estimate = StageEstimate(what, shares, time.monotonic(), before)
        self._line: ProgressLine | None = None
        self._lock, self._over = Lock(), Event()
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
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
        with self._lock:
            self._estimate.begin(name, time.monotonic())

    def counted(self, parts: Sequence[_Part]) -> Sequence[_Part]:
        """The parts of this stage: as they are gone through for the first time, those before are done."""
        return _Counted(parts, self)

    def done(self, count: int, total: int) -> None:
        """So many parts of this stage are done, which take about as long each."""
        with self._lock:
            self._estimate.done(count, total, time.monotonic())

    def text(self, now: float) -> str | None:
        """What is to be seen at a moment of the monotonic clock, in seconds; None: nothing yet."""
        with self._lock:
            return self._estimate.text(now)

    def _tell(self) -> None:
        assert self._line is not None
        while not self._over.wait(_EVERY_S):
            text = self.text(time.monotonic())
            if text is not None:
                self._line.tell(text)


class _Counted(Sequence[_Part]):
    """A sequence that tells how far somebody is who goes through it, the first time."""

    def __init__(self, parts: Sequence[_Part], stages: Stages) -> None:
        self._parts = parts
        self._stages: Stages | None = stages

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, at: int) -> _Part: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[_Part]: ...
    def __getitem__(self, at: int | slice) -> _Part | Sequence[_Part]:
        return self._parts[at]

    def __iter__(self) -> Iterator[_Part]:
        stages, self._stages = self._stages, None
        for number, part in enumerate(self._parts, 1):
            yield part
            if stages is not None:
                stages.done(number, len(self._parts))
