"""Reading traces: whole, cut off, damaged, or still being written."""

import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import sonde._native
from sonde._native import ticks_now
from sonde.base.errors import InputError
from sonde.events import EventBatch, FunctionTable, function_of_code
from sonde.trace.trace_about import CLOCKS, TraceAbout
from sonde.trace.trace_file import no_regular_file

_MORE, _END, _CUT, _DAMAGED, _FOREIGN, _NEWER = range(6)
"""Results of the native reader."""

_KNOWN_VERSION = 1
_BATCH_EVENTS = 1 << 16
"""Two megabytes of columns: large enough to forget the cost of a call, small enough for a cache."""
_SHORTEST_NS = 1_000_000
"""A clock's rate is taken from two readings that are at least this far apart: reading both takes some
50 ns, so the rate is right to 0.01 %."""


@dataclass(frozen=True, slots=True)
class TraceEnding:
    """How a trace ended, once all of it was read."""

    state: Literal["finished", "cut off"]
    """`cut off`: the recording goes on, was killed, or the file lacks its end."""
    events: int
    """Number of events that were read."""
    lost_events: int
    """Events that found no room: the disk was full."""
    unreadable_bytes: int = 0
    """Bytes at the end that are there, but cannot be verified without those that are missing."""
    detail: str = ""
    """What is missing, when that is known."""


class TraceReader:
    """A trace, read from its beginning to its end, once, in bounded memory.

    Args:
        ns_per_tick: the rate of the clock, when it was measured otherwise; only the time-stamp
            counter needs one.
    Raises:
        InputError: `no-such-trace`, `not-a-trace`, `newer-trace` or `corrupt-trace`.
    Guarantee: what is read is what was written, from the first event on without a gap, whatever happened
        to the file since; what cannot be verified is not delivered.

    >>> import tempfile
    >>> from sonde.events import Function
    >>> from sonde.trace import TraceWriter
    >>> path = Path(tempfile.mkdtemp()) / "t.trace"
    >>> batch = EventBatch()
    >>> batch.enter(thread=0, function=0, call_line=7, time_ns=100)
    >>> batch.leave(thread=0, time_ns=140)
    >>> with TraceWriter(path) as writer:
    ...     number = writer.function("f", "m", "m.py", 1)
    ...     writer.write(batch)
    >>> reader = TraceReader(path)
    >>> next(iter(reader)) == batch, [function.label for function in reader.functions]
    (True, ['f'])
    """

    def __init__(self, path: Path, *, ns_per_tick: float | None = None) -> None:
        self.path = path
        self.functions = FunctionTable()
        """Functions of the events that were read so far; batches have their numbers in this table."""
        self.ending: TraceEnding | None = None
        """Known when all batches were read."""
        self.native = _open(path)
        """The native reader, for analyses that need no batches in Python."""
        self.about = _about(self.native, ns_per_tick)
        self._numbers = array("I")
        """By number in the file: number in `functions`, where equal functions are one."""

    def __iter__(self) -> Iterator[EventBatch]:
        return self.batches()

    def batches(self, size: int = _BATCH_EVENTS) -> Iterator[EventBatch]:
        """The events that were not read yet, in order, at most `size` at a time; times in nanoseconds.

        When the trace is still being written, this ends where its writer is at present, and can be asked
        again.

        Raises:
            InputError: `corrupt-trace`, when the events before the damage were delivered.
        """
        while True:
            result, *columns = self.native.read(size, self.about.ns_per_tick)
            if result != _MORE:
                break
            self.note_functions()
            kind, thread, function, line, time = columns
            batch = EventBatch(array("B", kind), array("I"), array("I"), array("I"), array("Q"))
            for column, content in zip(
                (batch.thread, batch.function, batch.call_line, batch.time_ns),
                (thread, function, line, time),
                strict=True,
            ):
                column.frombytes(content)
            if len(self._numbers) != len(self.functions):
                batch.function = array("I", [self._numbers[number] for number in batch.function])
            yield batch
        self.conclude(result)

    def note_functions(self) -> "array[int]":
        """Bring `functions` up to date; returns the number in it of each function of the file.

        For those who use `native` themselves.
        """
        if len(self._numbers) < self.native.function_count:
            for name, module, file, line, flags in self.native.functions(len(self._numbers)):
                self._numbers.append(self.functions.number(function_of_code(name, module, file, line, flags)))
        return self._numbers

    def conclude(self, result: int) -> TraceEnding:
        """Say how it ended, from the last result of the native reader.

        Raises:
            InputError: `corrupt-trace`.
        """
        if result == _DAMAGED:
            _raise_problem(self.path, self.native)
        self.note_functions()
        problem = self.native.problem
        self.ending = TraceEnding(
            state="finished" if result == _END else "cut off",
            events=self.native.events,
            lost_events=self.native.lost_events,
            unreadable_bytes=problem[2] if problem else 0,
            detail=_place(problem) if problem else "",
        )
        return self.ending

    def check(self) -> TraceEnding:
        """Read the whole file, independently of what was read before, and say how it ends.

        Raises:
            InputError: `corrupt-trace`.
        """
        other = TraceReader(self.path, ns_per_tick=self.about.ns_per_tick)
        while (result := other.native.read(_BATCH_EVENTS, 0.0)[0]) == _MORE:
            pass
        return other.conclude(result)


def _raise_problem(path: Path, native: sonde._native.TraceReader) -> None:
    """Raise what a native reader found wrong with `path`, after it gave a result that is damage.

    Raises:
        InputError: `corrupt-trace`.
    """
    problem = native.problem
    raise InputError(
        f"cannot read trace '{path}': {_place(problem) if problem else 'it is damaged'}",
        slug="corrupt-trace",
        hint=f"the {native.events:,} events before that are intact; copy the file again, or record again",
    )


def _place(problem: tuple[int | None, int, int, str]) -> str:
    block, offset, _, what = problem
    return f"header at byte {offset}: {what}" if block is None else f"block {block} at byte {offset}: {what}"


def _open(path: Path) -> sonde._native.TraceReader:
    if (other := no_regular_file(path)) is not None:
        raise InputError(f"cannot read trace '{path}': it is {other}", slug="no-such-trace")
    try:
        native = sonde._native.TraceReader(os.fsencode(path))
    except FileNotFoundError:
        raise InputError(f"cannot read trace '{path}': no such file", slug="no-such-trace") from None
    except OSError as error:
        raise InputError(f"cannot read trace '{path}': {error.strerror}", slug="no-such-trace") from error
    if native.opened == _NEWER:
        raise InputError(
            f"cannot read trace '{path}': it has version {native.version}, newest known is {_KNOWN_VERSION}",
            slug="newer-trace",
            hint="upgrade sonde",
        )
    if native.opened == _FOREIGN:
        raise InputError(
            f"cannot read trace '{path}': it is not a trace of sonde's",
            slug="not-a-trace",
            hint=f"sonde view {path}" if _is_database(path) else None,
        )
    if native.opened != _MORE:
        _raise_problem(path, native)
    return native


def _is_database(path: Path) -> bool:
    """Whether it may be a profile, or results of a benchmark."""
    with path.open("rb") as file:
        return file.read(6) == b"SQLite"


def _about(native: sonde._native.TraceReader, ns_per_tick: float | None) -> TraceAbout:
    clock = CLOCKS[native.clock]
    return TraceAbout(
        command=native.command,
        python=native.python,
        mechanism=native.mechanism,
        clock=clock,
        pid=native.pid,
        parent_pid=native.parent_pid,
        unit_shift=native.unit_shift,
        start_ticks=native.start_ticks,
        start_ns=native.start_ns,
        end_ns=native.end_ns if native.finished else None,
        ns_per_tick=(ns_per_tick or _estimated_rate(native)) if clock == "tsc" else 1.0,
    )


def _estimated_rate(native: sonde._native.TraceReader) -> float:
    """Nanoseconds per tick: from the file's first and last pair of readings, or from its first and now.

    The latter serves for short recordings that were killed, and is worthless after a restart of the machine.
    """
    for ticks, now_ns in filter(None, (native.last_pair(), ticks_now())):
        elapsed_ns, elapsed = now_ns - native.start_ns, ticks - native.start_ticks
        if elapsed_ns >= _SHORTEST_NS and elapsed > 0 and 0.01 < elapsed_ns / elapsed < 1000:
            return elapsed_ns / elapsed
        if native.finished and elapsed_ns > 0 and elapsed > 0:
            return elapsed_ns / elapsed
    return 1.0
