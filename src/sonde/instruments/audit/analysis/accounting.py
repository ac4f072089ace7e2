"""Which part of the time a profiler tells of."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.audit.profile import ClockKind, ProfiledRun
from sonde.report import Estimated
from sonde.stats import compare_means


@dataclass(frozen=True, slots=True)
class ToldTime:
    """Time that a profiler says it saw, against two clocks."""

    of_own_run: Estimated | None
    """Against the clock of the program's process in the same run, which has what the profiler costs it, too."""
    of_plain: Estimated | None
    """Against runs without a profiler."""


NO_TIME = ToldTime(None, None)
"""Where none is told."""


def told_time(
    runs: Sequence[ProfiledRun],
    plain: Sequence[ProfiledRun],
    started: Sequence[ProfiledRun],
    empty: Sequence[ProfiledRun],
    clock: ClockKind,
) -> ToldTime:
    """Compare what was told with what there was, less the time that an empty program takes.

    Against plain runs, processor time is compared, as it depends little on what else the machine does: of elapsed time
    that was told, the part in which the run's process had a processor.

    Args:
        runs: with the profiler.
        plain: without one; several of a round count as their mean.
        started: of a program that does nothing, without the profiler.
        empty: the same under the profiler, if it was tried.
        clock: which time the profiler tells.
    """
    told = [run for run in runs if run.told_ns is not None]
    start_ns, ran_ns = _mean_ns(empty, clock), _mean_ns(started, "processor")
    own = [(run.told_ns or 0, _program_ns(run, clock) - start_ns) for run in told]
    bare = {at: _mean_ns([run for run in plain if run.round == at], "processor") for at in {run.round for run in plain}}
    other = [
        ((run.told_ns or 0) * run.program_processor_ns / _program_ns(run, clock), bare.get(run.round, 0.0) - ran_ns)
        for run in told
        if _program_ns(run, clock)
    ]
    return ToldTime(_ratio(own), _ratio(other))


def _ratio(both: Sequence[tuple[float, float]]) -> Estimated | None:
    known = [(one, whole) for one, whole in both if whole > 0]
    return ratio_of([one for one, _ in known], [whole for _, whole in known], paired=True)


def _mean_ns(runs: Sequence[ProfiledRun], clock: ClockKind) -> float:
    times = [_program_ns(run, clock) for run in runs]
    return sum(times) / len(times) if times else 0.0


def ratio_of(numerator: Sequence[float], denominator: Sequence[float], *, paired: bool = False) -> Estimated | None:
    """The ratio of two means with its 95 % interval; None for too few values.

    Args:
        paired: whether values at the same place are of one round.
    """
    if not numerator or not denominator:
        return None
    estimate = compare_means(numerator, denominator, paired=paired).estimate()
    return None if estimate.interval is None else Estimated(estimate.value, estimate.interval)


def _program_ns(run: ProfiledRun, clock: ClockKind) -> int:
    return run.program_wall_ns if clock == "wall" else run.program_processor_ns
