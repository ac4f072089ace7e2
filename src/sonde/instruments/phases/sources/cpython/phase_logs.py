"""What threads of a program wrote about their phases (native/core/phases/phase_log.h), as a profile."""

import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sonde.base.errors import InputError, MissingCapability
from sonde.base.process_state import is_alive
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
from sonde.instruments.phases.sources.cpython.found_methods import keep_phases, read_names, with_main_module
from sonde.instruments.phases.sources.cpython.running import COLLECTION, COLLECTOR, MODULE_BODIES, WatchedRun
from sonde.launch import why_nothing_measured
from sonde.native import ticks_now

_HEADER = struct.Struct("=8s4I7Q2I12s12s")
_HEADER_BYTES = 4096
_MAGIC, _VERSION = b"SONDEPHS", 1
_FIXED_WORDS = 3
_WORD_BYTES = 8

_ENTERS = 1, 2, 8, 10
_RESUMES = 2
_ENDINGS = {3: RETURNED, 4: SUSPENDED, 5: UNWOUND, 11: RETURNED}
_END = 7
_GIVEN_UP = 9
_SHORT, _SHORT_END = 10, 11


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
        message, hint = why_nothing_measured(folder, "phases")
        raise MissingCapability(message, slug="no-phases-measured", hint=hint)
    clock = _Clock.of(logs)
    had = [place for place in range(len(asked.counters)) if any(log.source[place] for log in logs)]
    found = read_names(folder) if asked.search else {}
    phases = (*asked.phases, *found.values())
    number = {at: at for at in range(len(asked.phases))}
    if COLLECTION in asked.phases:
        number[COLLECTOR] = asked.phases.index(COLLECTION)
    number |= {each: len(asked.phases) + at for at, each in enumerate(found)}
    threads, cuts = [], 0
    for log in logs:
        thread, its_cuts = _thread(log, clock, asked.counters, had, number)
        threads.append(thread)
        cuts += its_cuts
    names = [asked.counters[place] for place in had]
    missing = [name for name in asked.counters if name not in names]
    counters = tuple(_counter(name, logs, place) for name, place in zip(names, had, strict=True))
    losses = _losses(logs, cuts, missing)
    profile = PhaseProfile(phases, counters, tuple(threads), losses=losses, is_complete=threads[0].ended)
    if asked.search is None:
        return profile
    profile = replace(profile, phases=with_main_module(phases, threads[0]))
    return keep_phases(profile, asked.search.thetas, len(asked.phases), asked.phases.index(MODULE_BODIES))


def processes_of(folder: Path) -> set[int]:
    """Processes that write logs of a run, and live."""
    with_logs = set[int]()
    for path in folder.glob("*.phases"):
        with path.open("rb") as file:
            with_logs.add(_head_of(file.read(_HEADER.size), path)[3])
    return {pid for pid in with_logs if is_alive(pid)}


def _head_of(data: bytes, path: Path) -> tuple[Any, ...]:
    """The fields of the header (native/core/phases/phase_log.h). Raises: InputError: `corrupt-profile`."""
    head = _HEADER.unpack_from(data) if len(data) >= _HEADER.size else None
    if head is None or head[:2] != (_MAGIC, _VERSION) or head[2] != _FIXED_WORDS + head[-4]:
        raise InputError(f"cannot read '{path}': it is no log of phases", slug="corrupt-profile")
    return head


def _read_log(path: Path) -> _Log:
    data = path.read_bytes()
    _, _, width, pid, thread, used, *times, dropped, unseen, counters, has_ticks, source, multiplexed = _head_of(
        data, path
    )
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
    log: _Log, clock: _Clock, names: Sequence[str], had: Sequence[int], number_of: Mapping[int, int]
) -> tuple[PhaseThread, int]:
    """The calls of a thread, and how many ends or beginnings of calls had none of the other.

    Args:
        names: of all counters that were asked for.
        had: places of those among them that there are.
        number_of: the phase of each number of the agent.
    """
    # Of the counters, the one that goes on while the agent works.
    task_clock = next((at for at, place in enumerate(had) if names[place] == "task-clock"), None)
    fixed = phases, parents, starts, ends, taken, endings, resumed = tuple(array("q") for _ in range(7))
    columns = [array("q") for _ in had]
    stack: list[_Open] = []
    first = last = _event(log, 0) if log.words else None
    cuts, short = 0, array("q")

    def end(opened: _Open, ticks: int, taken_ticks: int, values: "array[int]", ending: int) -> None:
        ends[opened.row] = clock.at(ticks)
        taken[opened.row] = taken_ticks - opened.taken
        endings[opened.row] = ending
        for column, place in zip(columns, had, strict=True):
            column[opened.row] = max(values[place] - opened.counters[place], 0)

    for kind, number, ticks, taken_ticks, values in _events(log):
        if kind not in (_SHORT, _SHORT_END):
            last = kind, number, ticks, taken_ticks, values
        phase = number_of.get(number, NO_CALL)
        if phase == NO_CALL:
            continue  # the name of a method could not be written
        if kind in _ENTERS:
            row = len(phases)
            begun = (phase, stack[-1].row if stack else NO_CALL, clock.at(ticks), 0, 0, OPEN, kind == _RESUMES)
            for column, value in zip(fixed, begun, strict=True):
                column.append(value)
            for column in columns:
                column.append(0)
            stack.append(_Open(row, phase, taken_ticks, values))
            if kind == _SHORT:
                short.append(row)
        elif kind in _ENDINGS:
            if not any(each.phase == phase for each in stack):
                continue  # it began before anything was watched
            while (opened := stack.pop()).phase != phase:
                end(opened, ticks, taken_ticks, values, CUT)
                cuts += 1
            end(opened, ticks, taken_ticks, values, _ENDINGS[kind])
        elif kind == _GIVEN_UP:
            for opened in stack:
                if opened.phase == phase:
                    end(opened, ticks, taken_ticks, values, CUT)
            stack = [opened for opened in stack if opened.phase != phase]
            for above, opened in zip([None, *stack], stack, strict=False):
                parents[opened.row] = above.row if above else NO_CALL
    if first is None or last is None:
        return PhaseThread(_name(log), 0, 0, tuple(0 for _ in had), PhaseCalls((), (), (), (), (), (), ())), cuts
    for opened in stack:
        end(opened, last[2], last[3], last[4], OPEN)
    for row in short:
        for column, place in zip(columns, had, strict=True):
            known = {"task-clock": ends[row] - starts[row], "collections": 1}
            column[row] = known.get(names[place], 0)
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
