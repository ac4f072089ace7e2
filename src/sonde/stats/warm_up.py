"""Whether an invocation warms up, and from which iteration on it is steady."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.stats.change_points import Parts, Segment, parts_of_many
from sonde.stats.periods import find_period
from sonde.stats.samples import Sample, checked_sample

Kind = Literal["flat", "warm-up", "slow-down", "no steady state", "too short"]
Better = Literal["lower", "higher"]
Agreement = Literal["consistent", "inconsistent"]

DEFAULT_TOLERANCE = 0.01
"""Levels that differ by no more than this share are taken for the same."""

LEAST_ITERATIONS = 10
"""Fewer say nothing about warm-up: 3 slow ones at the beginning of 9 are chance once in 84 series."""

_NOISE_SHARE = 0.5
"""Nor do levels that differ by less than this share of the standard deviation of a steady iteration: such a part
moves the mean by less than the noise of a few iterations does."""
_QUARTILES_APART = 1.349
"""Of a normal distribution, in standard deviations."""
_LEAST_STEADY = 10
"""Iterations that must be steady at the end, at least: as many as the rule of Georges et al. looks at."""
_STEADY_SHARE = 4
"""And at least a quarter of all, which is what Barrett et al. ask for: the last 500 of 2,000."""
_CUTS_OF_PERIODS = 4
"""Changes that two periods make: with fewer, none is looked for"""
_ALIKE_IN_PERIODS = 0.3
"""unless neighbours within parts are more alike than this: periods that were not cut."""
_PERIOD_ERRORS = 4.0
"""Means of periods are the same if they differ by no more than so many standard errors of one."""
_MILD_AUTOCORRELATION = 0.3
"""Autocorrelation of neighbours that is nothing to speak of"""
_WANDER_ERRORS = 2.0
"""unless an estimate is so many of its standard errors above it,"""
_LEAST_EFFECTIVE = 25.0
"""and the steady iterations are worth fewer independent ones than this."""


_STILL_SHARE = 0.25
"""Of a drift, this much must be in the second half of it, where a line has one half."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How one invocation went, from its first iteration to its last."""

    kind: Kind
    steady_from: int | None
    """Index of the first steady iteration; None where there is no steady state, or too little to tell."""
    segments: tuple[Segment, ...]
    """Between changes of level; neighbours may be of nearly the same."""
    iterations: int
    change: float = 0.0
    """Of a warm-up: how much above the steady level the farthest part before lies, as a share of that level; of a
    slow-down: how much below. Where there is no steady state: the last change of level, or the drift."""
    changed_at: int = 0
    """Where there is no steady state: index of the first iteration after that change; 0 if it drifts or wanders."""
    drifts: bool = False
    """There is no steady state because the level goes on changing slowly."""
    alike: float = 0.0
    """There is no steady state because the level wanders: autocorrelation of neighbours; 0 if that is not why."""
    period: int | None = None
    """Iterations after which a pattern returns that is longer than the noise; steadiness is that of its mean."""

    @property
    def sentence(self) -> str:
        """In words."""
        return _how_it_went(self) + (f", in periods of {self.period} iterations" if self.period else "")


def classify(values: npt.ArrayLike, *, tolerance: float = DEFAULT_TOLERANCE, better: Better = "lower") -> Steadiness:
    """Whether one invocation warms up, and from which iteration on it is steady.

    The invocation is cut where its level changes. From the last part backwards, parts are steady as long as their
    levels are as good as the last one's: within `tolerance` of it, or within half the noise of an iteration. There
    is a steady state if at least a quarter of all iterations, and ten, are in it, and nothing drifts on to the end.
    It is

    - flat if everything is in it,
    - a warm-up if what comes before is slower,
    - a slow-down if some of that is faster.

    Args:
        values: of one invocation, in the order of its iterations.
        tolerance: share of the level that does not matter.
        better: whether small values are good (times) or large ones (throughput).
    Raises:
        InputError: a value is not finite, or the tolerance is not in [0, 1).
    Guarantee: the same for values in another unit.
    Cost: that of `change_points`.
    Source: Barrett, Bolz-Tereick, Killick, Mount, Tratt, Virtual Machine Warmup Blows Hot and Cold, OOPSLA 2017.
    Differs: levels are compared by a share and by noise (theirs: 1 ms, or the variance); outliers are not removed
        before; drift is seen as such; patterns that return are no changes.

    >>> run = [9.0, 7.0, 5.5] + [5.0, 5.01, 4.99, 5.02, 4.98] * 4
    >>> classify(run).sentence
    'warms up: steady after 3 of 23 iterations; before, parts are up to 43 % slower'
    """
    return classify_many([values], tolerance=tolerance, better=better)[0]


def classify_many(
    series: Sequence[npt.ArrayLike], *, tolerance: float = DEFAULT_TOLERANCE, better: Better = "lower"
) -> list[Steadiness]:
    """`classify` for many invocations at once; for those without values: too short.

    Cost: that of `parts_of_many`, and 5 us of processor time for each that is flat, about 20 for others.
    """
    if not 0.0 <= tolerance < 1.0:
        raise InputError(
            f"cannot compare levels with a tolerance of '{tolerance}': it is a share from 0 on and below 1",
            slug="bad-tolerance",
            hint=f"{DEFAULT_TOLERANCE}",
        )
    samples = [_as_sample(values) for values in series]
    there = [sample for sample in samples if len(sample)]
    parts = parts_of_many(there)
    rule = _Rule(tolerance, 1.0 if better == "lower" else -1.0)
    judged = iter([rule.judge(sample, parts, number) for number, sample in enumerate(there)])
    return [next(judged) if len(sample) else Steadiness("too short", None, (), 0) for sample in samples]


def _as_sample(values: npt.ArrayLike) -> Sample:
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.ndim == 1:
        return values  # whether they are finite is looked at for all of them at once
    return checked_sample(values, minimum=0)


def agreement(kinds: Sequence[Kind]) -> tuple[Agreement, Mapping[Kind, int]]:
    """Whether all invocations went the same way, and how many went which, most frequent first.

    >>> agreement(["flat", "warm-up", "flat"])
    ('inconsistent', {'flat': 2, 'warm-up': 1})
    """
    counts = Counter(kinds)
    return ("consistent" if len(counts) <= 1 else "inconsistent"), dict(counts.most_common())


class _Rule(NamedTuple):
    tolerance: float
    sign: float
    """1 where large values are slow, -1 where they are fast."""

    def judge(self, sample: Sample, parts: Parts, number: int) -> Steadiness:
        """One of many series."""
        n, first = len(sample), parts.firsts[number]
        cuts = parts.firsts[number + 1] - first - 1
        is_plain = not cuts and parts.drifts[number] < 0 and parts.alike[number] < _MILD_AUTOCORRELATION
        if is_plain and n >= LEAST_ITERATIONS:  # most are
            return Steadiness("flat", 0, (Segment(0, n, parts.means[first], parts.variances[first]),), n)
        seen = self._without_period(sample, parts, number)
        if not cuts or n < LEAST_ITERATIONS:
            return seen
        if cuts < _CUTS_OF_PERIODS and parts.alike[number] < _ALIKE_IN_PERIODS:
            return seen
        period = find_period(sample) or find_period(sample[n // 2 :])  # a warm-up may hide it
        if not period:
            return seen
        # Whole periods at the end; what is too much is at the beginning, where it warms up anyway.
        rest = n % period
        periods = sample[rest:].reshape(-1, period)
        means = periods.mean(axis=1)
        if len(means) < LEAST_ITERATIONS:  # too few to be cut: flat if they are the same but for noise
            noise = float(np.sqrt(periods.var(axis=0, ddof=1).mean()))
            margin = max(self.tolerance * abs(float(means[-1])), _PERIOD_ERRORS * noise / period**0.5)
            is_flat = float(np.abs(means - means[-1]).max()) <= margin
            return Steadiness("flat", 0, seen.segments, n, period=period) if is_flat else seen
        of_means = self._without_period(means, parts_of_many([means]), 0)
        if of_means.steady_from is None:
            return seen
        steady_from = of_means.steady_from * period + rest if of_means.steady_from else 0
        return Steadiness(of_means.kind, steady_from, seen.segments, n, of_means.change, period=period)

    def _without_period(self, sample: Sample, parts: Parts, number: int) -> Steadiness:
        segments, n = parts.segments(number), len(sample)
        if n < LEAST_ITERATIONS:
            return Steadiness("too short", None, segments, n)
        begin = parts.firsts[number]
        levels = parts.levels[begin : parts.firsts[number + 1]]
        last = levels[-1]
        noise = parts.spreads[parts.firsts[number + 1] - 1] / _QUARTILES_APART
        margin = max(self.tolerance * abs(last), _NOISE_SHARE * noise)
        unit = abs(last) or 1.0
        first = len(levels) - 1
        while first and abs(levels[first - 1] - last) <= margin:
            first -= 1
        steady_from = segments[first].start
        if n - steady_from < max(min(_LEAST_STEADY, n // 2), n // _STEADY_SHARE):
            change = (last - levels[first - 1]) / (abs(levels[first - 1]) or 1.0)
            return Steadiness("no steady state", None, segments, n, change, steady_from)
        if parts.drifts[number] >= 0:
            line = segments[parts.drifts[number]].start
            for start in sorted({line, max(line, steady_from)}):
                drift = _drift(sample[start:])
                if abs(drift) > margin and _goes_on(sample[start:], drift):
                    change = drift / (abs(last - drift) or 1.0)
                    return Steadiness("no steady state", None, segments, n, change, drifts=True)
        if self._wanders(parts.alike[number], n - steady_from):
            return Steadiness("no steady state", None, segments, n, alike=parts.alike[number])
        if not first:
            return Steadiness("flat", 0, segments, n)
        above = [self.sign * (level - last) for level in levels[:first]]
        if min(above) < -margin:
            return Steadiness("slow-down", steady_from, segments, n, min(above) / unit)
        return Steadiness("warm-up", steady_from, segments, n, max(above) / unit)

    @staticmethod
    def _wanders(alike: float, n: int) -> bool:
        """Whether levels change too often to be told apart, and too slowly to average out in n iterations."""
        if alike < _MILD_AUTOCORRELATION + _WANDER_ERRORS / n**0.5:
            return False
        return n * (1.0 - alike) / (1.0 + alike) < _LEAST_EFFECTIVE


def _drift(values: Sample) -> float:
    """How much the level changes from the first to the last, as medians of the outer quarters see it."""
    outer = max(1, len(values) // 4)
    apart = float(np.median(values[-outer:]) - np.median(values[:outer]))
    return apart * len(values) / (len(values) - outer)


def _goes_on(values: Sample, drift: float) -> bool:
    """Whether the second half has its part in it: a decay is nearly a line to the ranks, but comes to an end."""
    return _drift(values[len(values) // 2 :]) / drift >= _STILL_SHARE


def _percent(share: float) -> str:
    return f"{abs(share) * 100:.2g} %"


def _how_it_went(run: Steadiness) -> str:
    if run.kind == "too short":
        return f"too short to tell: {run.iterations} iterations, {LEAST_ITERATIONS} are needed"
    if run.kind == "flat":
        return f"flat: steady for all {run.iterations} iterations"
    if run.kind == "no steady state":
        return f"no steady state: {_what_changes(run)}"
    word, compared = ("warms up", "slower") if run.kind == "warm-up" else ("slows down", "faster")
    after = f"steady after {run.steady_from} of {run.iterations} iterations"
    return f"{word}: {after}; before, parts are up to {_percent(run.change)} {compared}"


def _what_changes(run: Steadiness) -> str:
    if run.alike:
        return f"the level wanders, with autocorrelation {run.alike:.2g} of neighbours"
    change = f"{'+' if run.change > 0 else '-'}{_percent(run.change)}"
    if run.drifts:
        return f"the level drifts, by {change}"
    return f"the level still changed, by {change}, {run.iterations - run.changed_at} iterations before the end"
