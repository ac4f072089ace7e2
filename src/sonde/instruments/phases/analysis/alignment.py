"""Several runs of one program as one profile: each counter from the run that counted it, aligned by calls."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from sonde.base.largest_remainders import divide_by_weights
from sonde.base.units import counted
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.phases.analysis.figures import Figures, figures_of
from sonde.instruments.phases.analysis.phase_sums import phase_sums
from sonde.instruments.phases.analysis.thread_matching import around, with_matching_threads
from sonde.instruments.phases.known_counters import SIMULATED
from sonde.instruments.phases.profile import NO_CALL, Counter, PhaseProfile, PhaseThread, RunTimes

_MOST_NAMES = 3


def align_runs(profiles: Sequence[PhaseProfile]) -> PhaseProfile:
    """Bring together runs that did the same work, and of which each counted something else.

    Times, and counters that several runs have, are those of the first run. The n-th call of a phase on a thread is the
    n-th call of it there in another run, if the phase was called as often there, and each time by the same call of
    the same phase. Of a phase for which that does not hold, the sum of the other run is known alone: it is divided
    among the calls by their own time, and `PhaseProfile.summed` says so. Calls of phases that the first run does not
    have are their callers'.

    Args:
        profiles: one or more. Phases are matched by their functions, threads by what they did, then by their names.
    Guarantee: own counts of each phase, and those of the whole, add up to what the run counted that they are from;
        where all calls align, each call has what was counted in it.
    Cost: O(n) for n calls, times the counters.
    Source: Buytaert, section 3.1.2 (several runs to count more than the processor counts at a time).
    Differs: the document takes means over runs; how calls are matched, and what becomes of others, is ours.
    """
    base = figures_of(profiles[0])
    counters = list(profiles[0].counters)
    columns = [list(thread.thread.calls.counters) for thread in base.threads]
    totals = [list(thread.thread.totals) for thread in base.threads]
    summed: set[tuple[int, int]] = set()
    unaligned: dict[int, tuple[int, int]] = {}
    for number, profile in enumerate(profiles[1:], 2):
        had = {counter.name for counter in counters}
        places = [at for at, counter in enumerate(profile.counters) if counter.name not in had]
        other = _Other.of(profile, base.profile)
        differing = _differing(base.profile, other)
        unaligned |= differing
        for at in places:
            summed |= {(phase, len(counters)) for phase in differing}
            counters.append(_of_run(profile.counters[at], number, len(profiles)))
            for thread, column in enumerate(_carried(base, other, at, differing)):
                columns[thread].append(column)
            for thread, total in enumerate(_totals(base.profile, other.figures.profile, at)):
                totals[thread].append(total)
    threads = tuple(
        replace(
            each.thread, totals=tuple(amounts), calls=replace(each.thread.calls, counters=tuple(map(tuple, of_calls)))
        )
        for each, amounts, of_calls in zip(base.threads, totals, columns, strict=True)
    )
    return replace(
        profiles[0],
        counters=tuple(counters),
        threads=threads,
        runs=tuple(_run_times(profile, base.profile) for profile in profiles if not _is_simulated(profile)),
        summed=frozenset(summed),
        losses=(*_all_losses(profiles), *_not_aligned(base.profile, unaligned, bool(summed))),
        is_complete=all(profile.is_complete for profile in profiles),
    )


class _Way(NamedTuple):
    """How a call was made."""

    caller: int
    """The phase around it; `NO_CALL`: none."""
    nth: int
    """Which call of that."""
    is_resumed: bool


class _Other(NamedTuple):
    """A run whose phases are named as those of the first run."""

    figures: Figures
    phase_of: Sequence[int]
    """Of each of its phases, the number in the first run; `NO_CALL`: that does not have it."""
    ways: dict[tuple[str, int], list[_Way]]
    """Of each phase on each thread: how its calls were made, in their order."""
    rows: dict[tuple[str, int], list[int]]
    """The rows of these calls."""

    @classmethod
    def of(cls, profile: PhaseProfile, first: PhaseProfile) -> "_Other":
        ran = {phase for thread in first.threads for phase in thread.calls.phase}
        number: dict[Function, int] = {phase.function: at for at, phase in enumerate(first.phases) if at in ran}
        bodies = (at for at, phase in enumerate(first.phases) if phase.component == "module bodies" and at in ran)
        other_modules = next(bodies, NO_CALL)  # bodies of modules that are no phases there
        phase_of = [
            number.get(phase.function, other_modules if phase.function.kind == "module" else NO_CALL)
            for phase in profile.phases
        ]
        named = with_matching_threads(first, profile, phase_of)
        return cls(figures_of(named), phase_of, *_ways(named.threads, phase_of))


def _ways(
    threads: Sequence[PhaseThread], phase_of: Sequence[int]
) -> tuple[dict[tuple[str, int], list[_Way]], dict[tuple[str, int], list[int]]]:
    ways: dict[tuple[str, int], list[_Way]] = {}
    rows: dict[tuple[str, int], list[int]] = {}
    for thread in threads:
        calls, callers = thread.calls, around(thread, phase_of)
        nth = array("q", bytes(8 * len(calls)))
        for row, number in enumerate(calls.phase):
            phase, caller = phase_of[number], callers[row]
            if phase == NO_CALL:
                continue
            of_caller = (phase_of[calls.phase[caller]], nth[caller]) if caller != NO_CALL else (NO_CALL, 0)
            same = rows.setdefault((thread.name, phase), [])
            nth[row] = len(same)
            same.append(row)
            ways.setdefault((thread.name, phase), []).append(_Way(*of_caller, bool(calls.is_resumed[row])))
    return ways, rows


def _differing(first: PhaseProfile, other: _Other) -> dict[int, tuple[int, int]]:
    """Phases whose calls do not align, with how many there are in either run."""
    ways, _ = _ways(first.threads, range(len(first.phases)))
    keys = {*ways, *other.ways}
    found: dict[int, tuple[int, int]] = {}
    for _, phase in (key for key in keys if ways.get(key) != other.ways.get(key)):
        sides = [sum(len(calls) for (_, each), calls in side.items() if each == phase) for side in (ways, other.ways)]
        found[phase] = sides[0], sides[1]
    return found


def _carried(base: Figures, other: _Other, counter: int, differing: dict[int, tuple[int, int]]) -> list[Sequence[int]]:
    """What a counter of another run counted during each call of this one, callees included; a column a thread."""
    own_there = [_own(thread.thread, other.phase_of, counter) for thread in other.figures.threads]
    by_name = {thread.thread.name: own for thread, own in zip(other.figures.threads, own_there, strict=True)}
    sums = dict.fromkeys(differing, 0)
    for each, own in zip(other.figures.threads, own_there, strict=True):
        for row, number in enumerate(each.thread.calls.phase):
            if other.phase_of[number] in sums:
                sums[other.phase_of[number]] += own[row]
    columns = [array("q", bytes(8 * len(each.thread.calls))) for each in base.threads]
    nth: dict[tuple[int, int], int] = {}
    for at, each in enumerate(base.threads):
        name = each.thread.name
        for row, phase in enumerate(each.thread.calls.phase):
            if phase not in differing:
                n = nth[at, phase] = nth.get((at, phase), -1) + 1
                columns[at][row] = by_name[name][other.rows[name, phase][n]]
    for phase, amount in sums.items():
        places = [
            (at, row)
            for at, each in enumerate(base.threads)
            for row, number in enumerate(each.thread.calls.phase)
            if number == phase
        ]
        weights = [max(base.threads[at].own_ns[row], 0) for at, row in places]
        weights = weights if any(weights) else [1] * len(places)
        for (at, row), share in zip(places, divide_by_weights(max(amount, 0), weights), strict=True):
            columns[at][row] = share
    for column, each in zip(columns, base.threads, strict=True):
        for row in range(len(column) - 1, -1, -1):
            parent = each.thread.calls.parent[row]
            if parent != NO_CALL:
                column[parent] += column[row]
    return list(columns)


def _own(thread: PhaseThread, phase_of: Sequence[int], counter: int) -> Sequence[int]:
    """Of each call without calls of phases that the first run has, too."""
    column = thread.calls.counters[counter]
    own, callers = array("q", column), around(thread, phase_of)
    for row, number in enumerate(thread.calls.phase):
        if phase_of[number] != NO_CALL and callers[row] != NO_CALL:
            own[callers[row]] -= column[row]
    return own


def _totals(first: PhaseProfile, other: PhaseProfile, counter: int) -> list[int]:
    """By thread; what threads counted that the first run does not have comes to the first of its threads."""
    of_name = {thread.name: thread.totals[counter] for thread in other.threads}
    found = [of_name.pop(thread.name, 0) for thread in first.threads]
    found[0] += sum(of_name.values())
    return found


def _is_simulated(profile: PhaseProfile) -> bool:
    """Whether its times are those of a simulation."""
    return any(counter.name.startswith(SIMULATED) for counter in profile.counters)


def _run_times(profile: PhaseProfile, first: PhaseProfile) -> RunTimes:
    times = {profile.phases[each.phase].function: each.total_ns for each in phase_sums(figures_of(profile))}
    return RunTimes(profile.whole_ns, tuple(times.get(phase.function, 0) for phase in first.phases))


def _of_run(counter: Counter, number: int, runs: int) -> Counter:
    return replace(counter, source=f"{counter.source}, run {number} of {runs}")


def _all_losses(profiles: Sequence[PhaseProfile]) -> tuple[Loss, ...]:
    """Those of all runs; of what several runs lost, that of the run that lost most."""
    found: dict[str, Loss] = {}
    for loss in chain.from_iterable(profile.losses for profile in profiles):
        if loss.kind not in found or found[loss.kind].amount < loss.amount:
            found[loss.kind] = loss
    return tuple(found.values())


def _not_aligned(first: PhaseProfile, differing: dict[int, tuple[int, int]], has_sums: bool) -> tuple[Loss, ...]:
    if not differing:
        return ()
    order = sorted(differing, key=lambda phase: (not first.phases[phase].is_method, -max(differing[phase]), phase))
    examples = ", ".join(
        f"{first.phases[phase].function.name} ({_calls_in_words(*differing[phase])})" for phase in order[:_MOST_NAMES]
    )
    known = "; what other runs counted in these phases is known as a sum alone" if has_sums else ""
    more = ", ..." if len(order) > _MOST_NAMES else ""
    detail = f"calls were not the same in all runs: {examples}{more}{known}"
    return (Loss("calls-not-aligned", len(differing), detail),)


def _calls_in_words(here: int, there: int) -> str:
    return f"{counted(here, 'call')} elsewhere" if here == there else f"{here:,} and {counted(there, 'call')}"
