"""What threads of a program wrote about their phases (native/phase_agent/phase_log.h), as a profile."""

import struct
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InputError, MissingCapability
from sonde.evidence import Loss
from sonde.instruments.phases.profile import (
    CUT,
    NO_CALL,
    OPEN,
    RETURNED,
    SOURCES,
    SUSPENDED,
    UNWOUND,
    Counter,
    PhaseCalls,
    PhaseProfile,
    PhaseThread,
)
from sonde.instruments.phases.sources.cpython.running import COLLECTION, COLLECTOR, WatchedRun
from sonde.native import ticks_now

_HEADER = struct.Struct("=8s4I7Q2I12s12s")
_HEADER_BYTES = 4096
_MAGIC, _VERSION = b"SONDEPHS", 1
_FIXED_WORDS = 3
_WORD_BYTES = 8

_ENTERS = 1, 2, 8
_RESUMES = 2
_ENDINGS = {3: RETURNED, 4: SUSPENDED, 5: UNWOUND}
_BEGIN, _END = 6, 7


class _Log(NamedTuple):
    """The file of one thread."""

    pid: int
    thread: int
    width: int
    start: tuple[int, int]
    """Ticks and nanoseconds that were read together."""
    end: tuple[int, int]
    dropped: int
    unseen: int
    has_ticks: bool
    source: tuple[int, ...]
    """Of each counter."""
    is_multiplexed: tuple[bool, ...]
    words: "array[int]"
    """Events, `width` words each."""


def read_watched_run(folder: Path, asked: WatchedRun) -> PhaseProfile:
    """The profile of a run.

    Raises:
        MissingCapability: `no-phases-measured`, no Python in it could be measured.
        InputError: `corrupt-profile`, a file is damaged.
    Cost: O(n), about 3 us an event.
    """
    logs = sorted((_read_log(path) for path in folder.glob("*.phases")), key=lambda log: log.thread)
    if not logs:
        raise _nothing_measured(folder)
    clock = _Clock.of(logs)
    had = [place for place in range(len(asked.counters)) if any(log.source[place] for log in logs)]
    collector = asked.phases.index(COLLECTION)
    task_clock = next((at for at, place in enumerate(had) if asked.counters[place] == "task-clock"), None)
    threads, cuts = [], 0
    for log in logs:
        thread, its_cuts = _thread(log, clock, had, collector, task_clock)
        threads.append(thread)
        cuts += its_cuts
    names = [asked.counters[place] for place in had]
    missing = [name for name in asked.counters if name not in names]
    counters = tuple(_counter(name, logs, place) for name, place in zip(names, had, strict=True))
    losses = _losses(logs, cuts, missing)
    return PhaseProfile(asked.phases, counters, tuple(threads), losses=losses, is_complete=threads[0].ended)


def _read_log(path: Path) -> _Log:
    data = path.read_bytes()
    try:
        magic, version, width, pid, thread, used, *times, dropped, unseen, counters, has_ticks, source, multiplexed = (
            _HEADER.unpack_from(data)
        )
    except struct.error:
        magic = version = None
    if magic != _MAGIC or version != _VERSION or width != _FIXED_WORDS + counters:
        raise InputError(f"cannot read '{path}': it is no log of phases", slug="corrupt-profile")
    words = array("Q")
    events = data[_HEADER_BYTES : _HEADER_BYTES + used]
    words.frombytes(events[: len(events) // (width * _WORD_BYTES) * (width * _WORD_BYTES)])
    start, end = (times[0], times[1]), (times[2], times[3])
    sources, shared = tuple(source[:counters]), tuple(map(bool, multiplexed[:counters]))
    return _Log(pid, thread, width, start, end, dropped, unseen, bool(has_ticks), sources, shared, words)


class _Clock(NamedTuple):
    """From ticks to nanoseconds since the run began."""

    first: int
    rate: float
    """Nanoseconds a tick."""

    @classmethod
    def of(cls, logs: Sequence[_Log]) -> "_Clock":
        """By two readings, as far apart as possible."""
        first = logs[0].start
        if not logs[0].has_ticks:
            return cls(first[0], 1.0)
        last = max((log.end for log in logs), default=(0, 0))
        if not last[0]:
            last = ticks_now()
        ticks = last[0] - first[0]
        return cls(first[0], (last[1] - first[1]) / ticks if ticks > 0 else 1.0)

    def at(self, ticks: int) -> int:
        return max(round((ticks - self.first) * self.rate), 0)

    def lasting(self, ticks: int) -> int:
        return round(ticks * self.rate)


class _Open(NamedTuple):
    """A call that has begun."""

    row: int
    phase: int
    taken: int
    counters: "array[int]"


def _thread(
    log: _Log, clock: _Clock, had: Sequence[int], collector: int, task_clock: int | None
) -> tuple[PhaseThread, int]:
    """The calls of a thread, and how many ends or beginnings of calls had none of the other.

    Args:
        task_clock: place among the columns of the counter that goes on while the agent works.
    """
    fixed = phases, parents, starts, ends, taken, endings, resumed = tuple(array("q") for _ in range(7))
    columns = [array("q") for _ in had]
    stack: list[_Open] = []
    first = last = _event(log, 0) if log.words else None
    cuts = 0

    def end(opened: _Open, ticks: int, taken_ticks: int, values: "array[int]", ending: int) -> None:
        ends[opened.row] = clock.at(ticks)
        taken[opened.row] = taken_ticks - opened.taken
        endings[opened.row] = ending
        for column, place in zip(columns, had, strict=True):
            column[opened.row] = max(values[place] - opened.counters[place], 0)

    for kind, number, ticks, taken_ticks, values in _events(log):
        last = kind, number, ticks, taken_ticks, values
        phase = collector if number == COLLECTOR else number
        if kind in _ENTERS:
            row = len(phases)
            begun = (phase, stack[-1].row if stack else NO_CALL, clock.at(ticks), 0, 0, OPEN, kind == _RESUMES)
            for column, value in zip(fixed, begun, strict=True):
                column.append(value)
            for column in columns:
                column.append(0)
            stack.append(_Open(row, phase, taken_ticks, values))
        elif kind in _ENDINGS:
            if not any(each.phase == phase for each in stack):
                continue  # it began before anything was watched
            while (opened := stack.pop()).phase != phase:
                end(opened, ticks, taken_ticks, values, CUT)
                cuts += 1
            end(opened, ticks, taken_ticks, values, _ENDINGS[kind])
    if first is None or last is None:
        return PhaseThread(_name(log), 0, 0, tuple(0 for _ in had), PhaseCalls((), (), (), (), (), (), ())), cuts
    for opened in stack:
        end(opened, last[2], last[3], last[4], OPEN)
    times = array("q", [clock.lasting(each) for each in taken])
    if task_clock is not None:
        # Where the system takes the processor between two readings, a thread seems to run for longer than it took.
        rows = zip(columns[task_clock], starts, ends, times, strict=True)
        columns[task_clock] = array("q", [max(min(ran, end - start) - out, 0) for ran, start, end, out in rows])
    calls = PhaseCalls(phases, parents, starts, ends, times, endings, resumed, tuple(columns))
    taken_ns = clock.lasting(last[3] - first[3])
    totals = [last[4][place] - first[4][place] for place in had]
    span = clock.at(first[2]), clock.at(last[2])
    if task_clock is not None:
        totals[task_clock] = max(min(totals[task_clock], span[1] - span[0]) - taken_ns, 0)
    return PhaseThread(_name(log), *span, tuple(totals), calls, taken_ns, last[0] == _END), cuts


_Event = tuple[int, int, int, int, "array[int]"]
"""Kind, number, ticks, ticks taken, counters."""


def _event(log: _Log, at: int) -> _Event:
    words, place = log.words, at * log.width
    head = words[place]
    values = words[place + _FIXED_WORDS : place + log.width]
    return head & 0xFF, head >> 8, words[place + 1], words[place + 2], values


def _events(log: _Log) -> Iterator[_Event]:
    return (_event(log, at) for at in range(len(log.words) // log.width))


def _name(log: _Log) -> str:
    return "main thread" if log.thread == 0 else f"thread {log.thread + 1}"


def _counter(name: str, logs: Sequence[_Log], place: int) -> Counter:
    sources = dict.fromkeys(SOURCES[log.source[place]] for log in logs if log.source[place])
    return Counter(name, ", ".join(sources), any(log.is_multiplexed[place] for log in logs))


def _losses(logs: Sequence[_Log], cuts: int, missing: Sequence[str]) -> tuple[Loss, ...]:
    losses = []
    if missing:
        detail = f"counters cannot be had here: {', '.join(missing)}"
        losses.append(Loss("counters-missing", len(missing), detail, hint="sonde doctor"))
    if dropped := sum(log.dropped for log in logs):
        losses.append(Loss("phase-events-dropped", dropped, "events of phases found no room in their log"))
    if unseen := sum(log.unseen for log in logs):
        detail = "calls were too deep to be watched, with all that they called"
        losses.append(Loss("phases-too-deep", unseen, detail))
    if cuts:
        detail = "calls of phases began or ended without being seen: their times and counts are guesses"
        losses.append(Loss("phases-cut", cuts, detail))
    return tuple(losses)


def _nothing_measured(folder: Path) -> MissingCapability:
    for refused in folder.glob("*.refused"):
        python, version, reason = refused.read_text(encoding="utf-8").split("\n", 2)
        return MissingCapability(
            f"cannot measure '{python}' ({version}): {reason.strip()}",
            slug="no-phases-measured",
            hint="install sonde in the Python that runs the program",
        )
    return MissingCapability(
        "cannot find phases: no Python that sonde can measure was started",
        slug="no-phases-measured",
        hint="PROGRAM is script.py, -m module, or -- command that runs a Python of this version",
    )
