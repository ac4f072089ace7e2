"""The profile of a program with cycle probes, from the spools of its threads."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.units import format_share
from sonde.evidence import Loss
from sonde.instruments.contexts.analyses import UnitTimes, unit_contexts
from sonde.instruments.contexts.profile import SAMPLES, ContextProfile, MeasuredProcess, Run
from sonde.instruments.contexts.sources.probes import CompiledUnit, CompiledUnits, read_loaded_code
from sonde.instruments.contexts.sources.spool import SpooledProcess
from sonde.instruments.contexts.verb.read_samples import Sampled, sampled_profile
from sonde.native import UnitCycles, code_samples_of, loop_counts_of, unit_cycles_of

if TYPE_CHECKING:  # few runs need it
    from sonde.ir.analyses import UnitCosts

_NOTABLE = 0.01
"""Share of the time from which it is worth a word that it is estimated."""
_MEASURABLE = 4
"""Of what empty intervals measure: where more is measured, what reading hides is a small part of it. Units of eight
programs overlap with a dense sample by 0.86 so, at least by 0.74; with 1.25, by 0.83 and 0.62."""


def unit_profile(
    folder: Path,
    known: CompiledUnits,
    spools: Sequence[SpooledProcess],
    run: Run,
    known_rate: float | None,
    ended: Callable[[SpooledProcess], str],
) -> ContextProfile:
    """Compiled functions, with what was inlined into them, as they were measured or sampled.

    Args:
        folder: where the spools are.
        known: what was known before the run.
        spools, run, known_rate, ended: as of `cycles_profile`.
    """
    sampled = {place: each for place, spool in enumerate(spools) for each in code_samples_of(spool.spool)}
    measured = [each for place, each in enumerate(spools) if place not in sampled]
    if not sampled:
        return cycles_profile([UnitSpools(known.units, measured)], run, known_rate, ended)
    _, code = read_loaded_code(folder)
    samples = Sampled.of(known, code, list(sampled.values()))
    if not measured:
        return sampled_profile(known, samples, [spools[place] for place in sampled], run, ended)
    return cycles_profile([UnitSpools(known.units, measured)], run, known_rate, ended, samples)


class UnitSpools(NamedTuple):
    """Threads that have run the same code."""

    units: Sequence[CompiledUnit]
    """By number."""
    spools: Sequence[SpooledProcess]


def cycles_profile(
    groups: Sequence[UnitSpools],
    run: Run,
    known_rate: float | None,
    ended: Callable[[SpooledProcess], str],
    sampled: Sampled | None = None,
) -> ContextProfile:
    """Compiled functions, with what was inlined into them.

    Args:
        groups: the threads of all processes, by what they have run.
        known_rate: nanoseconds per tick, when they were measured before.
        ended: how a process ended, in words.
        sampled: samples of the same run, by which the times of functions are divided, too; there is one group then.
    """
    units = [unit for group in groups for unit in group.units]
    costs = [cost for group in groups for cost in _costs(*group)]
    firsts = [0, *accumulate(len(group.units) for group in groups)]
    times: dict[int, UnitTimes] = {}
    processes: dict[int, MeasuredProcess] = {}
    notes = Counter[tuple[str, str]]()
    in_handlers = without_room = 0
    for first, each in ((first, each) for first, group in zip(firsts, groups, strict=False) for each in group.spools):
        rate, spool = each.ns_per_tick(known_rate), each.spool
        empty = spool.cost_ticks[0]
        calls, taken = 0, 0.0
        for of in unit_cycles_of(spool):
            unit = first + of.unit
            found = unit_times(of, empty, costs[unit].cycles, rate)
            times[unit] = times[unit].plus(found) if unit in times else found
            calls += of.entries
            taken += of.measured * empty * rate
        process = MeasuredProcess(
            pid=spool.pid, parent_pid=spool.parent_pid, command=spool.command, python=spool.python,
            mechanism=spool.mechanism, threads=spool.threads, calls=calls, ended=ended(each), taken_ns=round(taken),
        )  # fmt: skip
        if (before := processes.get(spool.pid)) is not None:
            process = replace(
                process,
                threads=before.threads + process.threads,
                calls=before.calls + calls,
                taken_ns=before.taken_ns + process.taken_ns,
            )
        processes[spool.pid] = process
        in_handlers += spool.dropped_calls
        without_room += spool.lost_events
        notes.update({(kind, detail): amount for kind, amount, detail in spool.notes})
    losses = [Loss(kind, amount, detail) for (kind, detail), amount in notes.items()]
    if in_handlers:
        detail = "times that functions began in signal handlers while the thread's probes were at work"
        losses.append(Loss("cycles-not-measured", in_handlers, detail))
    if without_room:
        losses.append(Loss("threads-without-cycles", without_room, "threads had no room for their counts"))
    short = {unit for unit, each in times.items() if each.intervals and each.is_estimated}
    if sampled is not None:
        short |= {unit for unit, each in times.items() if each.measured and sampled.contradicts(unit, each.ns)}
        times = {
            unit: sampled.times(unit, each) if unit in short or not each.measured else each
            for unit, each in times.items()
        }
    whole, of_short = (sum(times[unit].ns for unit in some) for some in (times, short))
    if of_short > _NOTABLE * whole:
        share = format_share(round(of_short), round(whole))
        detail = f"{share} of the time is of functions that run too shortly at a time to be measured"
        detail += ": it is estimated" if sampled is None else ", or of which samples say otherwise: it is theirs"
        losses.append(Loss("cycles-estimated", 0, detail))
    pairs = [(each.function, of_unit) for each, of_unit in zip(units, costs, strict=True)]
    if sampled is None:
        return unit_contexts(pairs, times, run, list(processes.values()), losses)
    losses += sampled.losses() + sampled.disagreement(pairs, {unit: each.ns for unit, each in times.items()})
    profile = unit_contexts(sampled.blended(pairs), times, run, list(processes.values()), losses)
    clock = profile.run.clock if profile.run.clock == SAMPLES else f"{profile.run.clock}, {SAMPLES}"
    return replace(profile, run=replace(profile.run, clock=clock))


def _costs(units: Sequence[CompiledUnit], spools: Sequence[SpooledProcess]) -> "list[UnitCosts]":
    """Estimated, of a call of each unit, by what loops were counted to run in all threads."""
    entries, counts = Counter[int](), list[int]()
    for each in spools:
        loops = loop_counts_of(each.spool)
        counts = [one + other for one, other in zip(counts or [0] * len(loops), loops, strict=True)]
        entries.update({of.unit: of.entries for of in unit_cycles_of(each.spool)})
    return [unit.costs(entries[number], counts) for number, unit in enumerate(units)]


def unit_times(of: UnitCycles, empty: int, cycles: float, rate: float) -> UnitTimes:
    """What a function took in a thread.

    Where intervals are not much longer than what an empty one measures, the processor hides some part of them behind
    the reading of its clock: the truth is between what is left without it, and what was measured. Of what is there,
    that is taken which is closest to the estimate.

    Args:
        empty: ticks.
        cycles: estimated, of a call.
        rate: nanoseconds per tick.
    """
    taken, estimate = empty * of.intervals, of.entries * cycles
    left = max(0.0, of.ticks - taken)
    if of.measured and of.ticks >= _MEASURABLE * taken:
        return UnitTimes(of.entries, of.intervals, of.measured, left * rate, of.variance * rate * rate)
    ticks = estimate
    if of.intervals:
        ticks = min(max(estimate, left), of.ticks) if of.measured else 0.0
    return UnitTimes(of.entries, of.intervals, of.measured, ticks * rate, is_estimated=True)
