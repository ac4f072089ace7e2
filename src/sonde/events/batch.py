"""Call events in columns: what moves between a source and an analysis, many at a time."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

ENTER = 1
"""A function began, or a suspended one was resumed."""
LEAVE = 2
"""It returned or was suspended."""
UNWIND = 3
"""It was left by an exception."""
FOUND = 4
"""A function was found running when the source began to look, or looked again: no call, but what runs now."""
LOST = 5
"""The source stopped looking at a thread: what ran on it is unknown from here on."""


def _u32() -> "array[int]":
    return array("I")


@dataclass(slots=True)
class EventBatch:
    """Calls and returns of any number of threads, in the order in which they happened.

    All columns have shape `(n_events,)`. `function` and `call_line` matter for `ENTER` and
    `FOUND` only.

    >>> batch = EventBatch()
    >>> batch.enter(thread=0, function=7, call_line=3, time_ns=100)
    >>> batch.leave(thread=0, time_ns=140)
    >>> len(batch), [len(part) for part in batch.split(1)]
    (2, [1, 1])
    """

    kind: "array[int]" = field(default_factory=lambda: array("B"))
    """uint8: `ENTER`, `LEAVE`, `UNWIND`, `FOUND` or `LOST`."""
    thread: "array[int]" = field(default_factory=_u32)
    """uint32: number of the thread, counted from 0."""
    function: "array[int]" = field(default_factory=_u32)
    """uint32: number in the function table that source and analysis share."""
    call_line: "array[int]" = field(default_factory=_u32)
    """uint32: line in the caller, 0 when there is none."""
    time_ns: "array[int]" = field(default_factory=lambda: array("Q"))
    """uint64: nanoseconds since any fixed moment; does not decrease within a thread."""

    def enter(self, *, thread: int, function: int, call_line: int, time_ns: int) -> None:
        """Append the beginning of an activation."""
        self._append(ENTER, thread, function, call_line, time_ns)

    def leave(self, *, thread: int, time_ns: int, unwound: bool = False) -> None:
        """Append the end of the activation that runs on `thread`."""
        self._append(UNWIND if unwound else LEAVE, thread, 0, 0, time_ns)

    def found(self, *, thread: int, function: int, call_line: int, time_ns: int) -> None:
        """Append an activation that was running already, below what was found or entered before."""
        self._append(FOUND, thread, function, call_line, time_ns)

    def lost(self, *, thread: int, time_ns: int) -> None:
        """Append that nothing is known of `thread` from here on."""
        self._append(LOST, thread, 0, 0, time_ns)

    def split(self, size: int) -> Iterator[Self]:
        """The same events in batches of at most `size`."""
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            yield type(self)(
                self.kind[part], self.thread[part], self.function[part], self.call_line[part], self.time_ns[part]
            )

    def __len__(self) -> int:
        return len(self.kind)

    def _append(self, kind: int, thread: int, function: int, call_line: int, time_ns: int) -> None:
        self.kind.append(kind)
        self.thread.append(thread)
        self.function.append(function)
        self.call_line.append(call_line)
        self.time_ns.append(time_ns)
