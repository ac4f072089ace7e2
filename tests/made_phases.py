"""Profiles of phases made by hand: calls written as a tree, with what was counted in each."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from sonde.code import Function
from sonde.instruments.phases.profile import (
    NO_CALL,
    RETURNED,
    Counter,
    Phase,
    PhaseCalls,
    PhaseProfile,
    PhaseThread,
    TimedTree,
)

MS = 1_000_000


@dataclass(frozen=True)
class Made:
    """A call that lasts from one time to another, in nanoseconds; `counts` are its own, without those of `below`."""

    phase: int
    start: int
    end: int
    counts: tuple[int, ...] = ()
    below: "tuple[Made, ...]" = field(default=())


def function(name: str, line: int = 1, file: str = "app.py") -> Function:
    return Function(name, "", file, line)


def phase_calls(calls: Sequence[Made], counters: int) -> PhaseCalls:
    """Columns of calls and of those below them."""
    fixed = [array("q") for _ in range(7)]
    counts = [array("q") for _ in range(counters)]

    def add(call: Made, parent: int) -> list[int]:
        row = len(fixed[0])
        for column, value in zip(fixed, (call.phase, parent, call.start, call.end, 0, RETURNED, 0), strict=True):
            column.append(value)
        for column in counts:
            column.append(0)
        totals = list(call.counts or [0] * counters)
        for each in call.below:
            totals = [a + b for a, b in zip(totals, add(each, row), strict=True)]
        for column, value in zip(counts, totals, strict=True):
            column[row] = value
        return totals

    for call in calls:
        add(call, NO_CALL)
    phase, parent, start, end, taken, ending, resumed = fixed
    return PhaseCalls(phase, parent, start, end, taken, ending, resumed, tuple(counts))


def phase_profile(
    names: Sequence[str | Phase],
    counters: Sequence[str],
    calls: Sequence[Made],
    end_ns: int,
    *,
    rest: Sequence[int] = (),
) -> PhaseProfile:
    """A profile of one thread.

    Args:
        rest: what was counted where no phase ran.
    """
    columns = phase_calls(calls, len(counters))
    totals = [
        sum(count for count, parent in zip(column, columns.parent, strict=True) if parent == NO_CALL) + more
        for column, more in zip(columns.counters, rest or [0] * len(counters), strict=True)
    ]
    phases = [Phase(function(each, line)) if isinstance(each, str) else each for line, each in enumerate(names, 1)]
    thread = PhaseThread("main thread", 0, end_ns, tuple(totals), columns)
    made = tuple(Counter(name, "made up") for name in counters)
    return PhaseProfile(tuple(phases), made, (thread,), ("python", "app.py"))


def timed_tree(names: Sequence[str], rows: Sequence[tuple[int, str, int, int]]) -> TimedTree:
    """Rows are: row of the caller, name, calls, own nanoseconds."""
    number = {name: at for at, name in enumerate(names)}
    return TimedTree(
        tuple(function(name, line) for line, name in enumerate(names, 1)),
        [parent for parent, _, _, _ in rows],
        [number[name] for _, name, _, _ in rows],
        [calls for _, _, calls, _ in rows],
        [own for _, _, _, own in rows],
    )


def sort_program() -> PhaseProfile:
    """Three rounds: of them `read` has page faults, `sort` none, and `wait` hardly runs; `main` calls them all."""
    names: list[str | Phase] = [
        "main",
        "read",
        "sort",
        "wait",
        Phase(function("garbage collection", 0, ""), "garbage collection"),
    ]
    below = []
    at = 0
    for round_ in range(6):
        faults = 400 + 40 * round_
        length = 4 * MS + round_ * 400_000
        for number, took, counts in (
            (1, length, (length, faults, 1)),
            (2, 10 * MS, (10 * MS - 1000 * round_, 3, 1)),
            (3, 5 * MS, (MS // 100, 0, 4)),
        ):
            collection: tuple[Made, ...] = ()
            if number == 2:
                collection = (Made(4, at + MS, at + 2 * MS, (MS, 0, 0)),)
                counts = (counts[0] - MS, *counts[1:])
            below.append(Made(number, at, at + took, counts, collection))
            at += took
    end = at + MS
    return phase_profile(
        names, ("task-clock", "page-faults", "context-switches"), [Made(0, 0, end, (MS, 5, 0), tuple(below))], end
    )
