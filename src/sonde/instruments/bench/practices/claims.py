"""What practices say of measurements, beside what is established."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sonde.instruments.bench.judging import Comparison, Sample
from sonde.instruments.bench.practices.practice import Practice, fitting
from sonde.instruments.bench.practices.repetitions import Array, Repetitions, repetitions_of
from sonde.stats import Interval

Says = Literal["better", "worse", "same"]
Kind = Literal["right", "indicative", "misleading", "incorrect"]
"""`right`: it says what is established. `indicative`: it contradicts nothing that is established, and is not itself
established, in size or at all. `misleading`: it claims a difference that is not established, or misses one that is.
`incorrect`: the opposite is established."""

RESAMPLES = 1_000
_SEED = 20071021  # any constant would do: the same data give the same answer
_CLAIMS: tuple[Says, ...] = ("worse", "same", "better")
"""By sign: -1, 0, 1 counts from the middle."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a practice says of two alternatives."""

    practice: Practice
    ignore_below: float
    """Share below which it takes a difference for none."""
    ratio: float
    """Of the numbers that it reports, second / first; NaN where the first is 0."""
    says: Says
    kind: Kind
    otherwise: float
    """Share of the repetitions in which the same practice claims something else."""
    opposite: float
    """Share of the repetitions in which it claims the opposite; 0 where it claims no difference."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a practice reports of one alternative."""

    practice: Practice
    value: float
    """In the unit of the metric."""
    low: float
    """What 95 % of the repetitions report: from here"""
    high: float
    """to here."""
    inside: bool | None
    """Whether the interval for the mean has the value; None where there is no interval."""


def claims_of(
    comparison: Comparison, *, ignore_below: float = 0.0, level: float = 0.95, resamples: int = RESAMPLES
) -> tuple[Claim, ...]:
    """What each practice says of a comparison, and whether that can be believed.

    Args:
        ignore_below: share below which practices without a test of their own take a difference for none.
        level: of the practices that test.
    Returns:
        one claim for each practice that fits the data; none where a side has no values.
    Cost: O(resamples x invocations) for each practice, 15 ms for 1,000 repetitions of 20 invocations.
    Source: Georges, Buytaert, Eeckhout, OOPSLA 2007, who compare prevalent methodologies with intervals.
    Differs: the classes are defined here (`Kind`), and repetitions are drawn by the bootstrap (Efron 1979), whole
        invocations at a time, and rounds where alternatives took turns, while the paper repeated experiments. It
        underestimates how much minima and maxima vary.
    """
    return claims_at(comparison, (ignore_below,), level=level, resamples=resamples)[0]


def claims_at(
    comparison: Comparison, thresholds: Sequence[float], *, level: float, resamples: int
) -> tuple[tuple[Claim, ...], ...]:
    """As `claims_of`, for several shares below which differences are ignored."""
    first, second = repetitions_of(comparison.first), repetitions_of(comparison.second)
    if not first.count or not second.count:
        return tuple(() for _ in thresholds)
    random = np.random.default_rng(_SEED)
    which = first.draw(random, resamples)
    together = comparison.paired and comparison.first.rounds == comparison.second.rounds
    again = first.drawn(which), second.drawn(which if together else second.draw(random, resamples))
    sign = -1.0 if comparison.first.metric.better == "lower" else 1.0
    claims: list[list[Claim]] = [[] for _ in thresholds]
    for practice in fitting(first, second):
        found = _compared(practice, first, second, level)
        repeated = _compared(practice, *again, level)
        for threshold, collected in zip(thresholds, claims, strict=True):
            claimed = int(found.signs(threshold)[0] * sign)
            others = repeated.signs(threshold) * sign
            says, ratio = _CLAIMS[claimed + 1], float(found.ratios[0])
            collected.append(
                Claim(
                    practice,
                    threshold,
                    ratio,
                    says,
                    _kind(comparison, says, ratio),
                    otherwise=float(np.mean(others != claimed)),
                    opposite=float(np.mean(others == -claimed)) if claimed else 0.0,
                )
            )
    return tuple(map(tuple, claims))


def reports_of(sample: Sample, interval: Interval | None, *, resamples: int = RESAMPLES) -> tuple[Report, ...]:
    """What each practice reports of one alternative, and how that spreads over repetitions of the experiment.

    Args:
        interval: that of the mean, as it is established; None where none is.
    Returns:
        one report for each practice that reports a number of its own; none where there are no values.
    Cost: as `claims_of`.
    """
    runs = repetitions_of(sample)
    if not runs.count:
        return ()
    again = runs.drawn(runs.draw(np.random.default_rng(_SEED), resamples))
    reports = []
    for practice in fitting(runs):
        if practice.differs is not None:
            continue
        value, spread = float(practice.report(runs)[0]), practice.report(again)
        low, high = np.quantile(spread, (0.025, 0.975))
        inside = None if interval is None else value in interval
        reports.append(Report(practice, value, float(low), float(high), inside))
    return tuple(reports)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What a practice finds in repetitions of an experiment."""

    differences: Array
    """(repetitions,) second - first; 0 where the practice itself sees no difference."""
    ratios: Array
    """(repetitions,) second / first."""
    looks_only: bool
    """Whether it has no test of its own, so that a threshold matters to it."""

    def signs(self, ignore_below: float) -> Array:
        """1 where the second is larger, -1 smaller, 0 where there is no difference."""
        signs = np.sign(self.differences)
        if self.looks_only and ignore_below > 0.0:
            signs[np.abs(self.ratios - 1.0) < ignore_below] = 0.0
        return signs


def _compared(practice: Practice, first: Repetitions, second: Repetitions, level: float) -> _Compared:
    one, other = practice.report(first), practice.report(second)
    differences = other - one
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = other / one
    if practice.differs is not None:
        differences[~practice.differs(first, second, level)] = 0.0
    return _Compared(differences, ratios, practice.differs is None)


def _kind(comparison: Comparison, says: Says, ratio: float) -> Kind:
    verdict = comparison.verdict
    if verdict in ("better", "worse"):
        if says == "same":
            return "misleading"
        if says != verdict:
            return "incorrect"
        interval = comparison.ratio.interval if comparison.ratio is not None else None
        return "right" if interval is None or ratio in interval else "indicative"
    if verdict == "same":
        return "right" if says == "same" else "misleading"
    return "indicative" if says == "same" else "misleading"
