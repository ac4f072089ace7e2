"""Which differences of two sampled profiles are no chance: each with its interval, all of them together.

What the looks at both runs could have told otherwise is in the standard errors of the profiles. What two runs of a
program that is not changed differ by is not: one run of each does not show it. `run_noise` is allowed for it, and more
where most functions of the two runs differ by more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Literal

from sonde.evidence import (
    Interval,
    LogRatio,
    Method,
    SampledAmount,
    adjusted_p_values,
    difference_interval,
    difference_p_value,
    level_of_chosen,
    ratio_interval,
    ratio_spread,
)
from sonde.instruments.contexts.analysis.sampled_side import DRIFT, SampledSide, has_standard_errors
from sonde.instruments.contexts.profile.comparison import ContextDiff

LEVEL = 0.95
"""Of intervals; 1 less this is the share of false ones among the differences called so, on average at most."""

MARGIN = 0.2
"""What has certainly not changed by more than this share of itself is said not to have changed beyond what is known."""

_WELL_KNOWN = 0.1
"""Standard error of a time, as a share of it, up to which it shows how runs differ."""

_ALIKE = 3
"""Functions that changed by one ratio, from which on that is no accident."""

Verdict = Literal["more", "less", "same", "unknown"]


@dataclass(frozen=True, slots=True)
class JudgedChange:
    """What is known of one difference. Amounts are in the unit of the comparison."""

    before: float
    after: float
    change: Interval
    """Of `after - before`. As many as were tested, it has 0 in it where noise may be all."""
    ratio: Interval | None
    """Of `after / before`, likewise; None where it was not seen before."""
    p_value: float
    """Adjusted for how many were tested; 1 where the difference is too small to count."""
    verdict: Verdict
    """`same`: not beyond `beyond`; `unknown`: the samples cannot say."""
    beyond: float
    """By which share of what it was before it has certainly not changed; infinite where that is not known."""
    most: float
    """By how much it has certainly not changed."""


@dataclass(frozen=True, slots=True)
class JudgedFunctions:
    """Functions whose own values were compared."""

    of_pairs: dict[int, JudgedChange]
    """By number of the function pair: those heavy enough to have changed by the least change."""
    least_change: float
    """Smaller changes count as none."""

    @property
    def largest(self) -> float:
        """By how much none has changed of those in which no change was found."""
        ends = [each.most for each in self.of_pairs.values() if each.verdict not in ("more", "less")]
        return max(ends, default=self.least_change)

    @property
    def changed(self) -> list[int]:
        """The pairs that changed, largest change first."""
        found = [number for number, each in self.of_pairs.items() if each.verdict in ("more", "less")]
        return sorted(found, key=lambda number: -abs(self._change(number)))

    def have_changed_alike(self, ratio: float) -> bool:
        """Whether all that changed did so by one ratio, as far as is known: at least `_ALIKE` of them."""
        changed = [self.of_pairs[number] for number in self.changed]
        return len(changed) >= _ALIKE and all(each.ratio is not None and ratio in each.ratio for each in changed)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing is known to have changed, but something may have by the least change."""
        return not self.changed and self.largest > self.least_change

    def _change(self, number: int) -> float:
        return self.of_pairs[number].after - self.of_pairs[number].before


class ChangeJudge:
    """Judges differences of two profiles of which one at least is a sample.

    Args:
        diff: of whole profiles.
        run_noise: standard deviation of times from run to run, of what did not change: as a share of each, and a tenth
            of it as a share of the whole run. Where most functions differ by more, that is taken, unless it is 0.
        wholes: nanoseconds that both runs took, where the profiles are parts of them; else their totals.
    Source: intervals: `sonde.evidence.sampled_difference`; many of them together: Benjamini and Hochberg, J. R.
        Statist. Soc. B 57, 1995; intervals of those that changed: Benjamini and Yekutieli, J. Am. Stat. Assoc. 100,
        2005; what is too light to have changed is not tested: Bourgon, Gentleman and Huber, PNAS 107, 2010.
    """

    def __init__(self, diff: ContextDiff, *, run_noise: float = 0.0, wholes: tuple[int, int] | None = None) -> None:
        self._diff, self._yardstick, self.run_noise = diff, diff.yardstick, run_noise
        self._is_time = diff.yardstick.metric == "time"
        totals = self._yardstick.total_before, self._yardstick.total_after
        self._of_runs = wholes if wholes and self._is_time else totals
        self._is_part = self._of_runs != totals
        self._sides = self._with_noise(run_noise)
        seen = ratio_spread(self._log_ratios()) if run_noise and self._is_time else 0.0
        self.is_noise_seen = seen > run_noise
        """Whether most functions differ by more than is allowed for, so that more is."""
        if self.is_noise_seen:
            self.run_noise = seen
            self._sides = self._with_noise(seen)

    def _with_noise(self, run_noise: float) -> tuple[SampledSide, SampledSide]:
        aligned = self._diff.contexts
        return (
            SampledSide(self._diff.before, aligned.before, self._of_runs[0], run_noise, is_time=self._is_time),
            SampledSide(self._diff.after, aligned.after, self._of_runs[1], run_noise, is_time=self._is_time),
        )

    def _log_ratios(self) -> list[LogRatio]:
        """Of own times of functions that are known well on both sides."""
        found = []
        for _, before, after in self._own_amounts():
            if min(before.amount, after.amount) <= 0:
                continue
            errors = [each.deviation / each.amount for each in (before, after)]
            if max(errors) <= _WELL_KNOWN:
                drifts = [(DRIFT * each.whole / each.amount) ** 2 for each in (before, after)]
                ratio = log(after.amount / before.amount)
                found.append(LogRatio(ratio, errors[0] ** 2 + errors[1] ** 2, 1 + sum(drifts) / 2))
        return found

    def functions(self) -> JudgedFunctions:
        """Judge own values by function.

        Guarantee: of the functions said to have changed 1 - `LEVEL` at most have not, on average, and `LEVEL` of the
            intervals of those that have hold the truth, as far as the standard errors of the profiles hold, and runs
            vary by no more than `run_noise`.
        Cost: 0.2 ms for each that is heavy enough to have changed by the least change.
        """
        own = [*self._own_amounts()]
        judged = self._judged([(before, after) for _, before, after in own], "benjamini-hochberg")
        found = {number: each for (number, _, _), each in zip(own, judged, strict=True)}
        return JudgedFunctions(found, self._yardstick.least_change)

    def errors_of_rows(self) -> tuple[Sequence[float], Sequence[float]]:
        """By row of the aligned contexts, on both sides: what is to be added up for `contexts`."""
        return self._sides[0].error_sums, self._sides[1].error_sums

    def contexts(
        self,
        values: Sequence[tuple[int, int]],
        errors: Sequence[tuple[float, float]],
        calls: Sequence[tuple[int, int]],
    ) -> list[JudgedChange | None]:
        """Judge inclusive values; None for what is too light.

        Args:
            values: of each on both sides.
            errors: the sums of `errors_of_rows` over all contexts that are in them.
            calls: of each.
        Guarantee: as that of `functions`, however the values depend on one another.
        """
        places, amounts = [], []
        for place, (both, sums, times) in enumerate(zip(values, errors, calls, strict=True)):
            deviations = [
                side.deviation_of(total, is_part=self._is_part) for side, total in zip(self._sides, sums, strict=True)
            ]
            pair = self._amounts(both, (deviations[0], deviations[1]), times)
            if self._could_matter(pair):
                places.append(place)
                amounts.append(pair)
        found: list[JudgedChange | None] = [None] * len(values)
        for place, each in zip(places, self._judged(amounts, "benjamini-yekutieli"), strict=True):
            found[place] = each
        return found

    def _own_amounts(self) -> "Iterator[tuple[int, SampledAmount, SampledAmount]]":
        """Own values of the function pairs that are looked at, and could have changed by the least change."""
        diff, aligned = self._diff, self._diff.contexts
        totals = diff.functions_before, diff.functions_after
        own = [side.self_ns if self._is_time else side.calls for side in totals]
        deviations = [
            side.by_pair(numbers, len(aligned.functions.pairs))
            for side, numbers in zip(self._sides, (aligned.functions.before, aligned.functions.after), strict=True)
        ]
        for number in range(len(aligned.functions.pairs)):
            values = own[0][number], own[1][number]
            if diff.chosen is not None and number not in diff.chosen:
                continue
            if not self._yardstick.has_share(*values, diff.min_share):
                continue
            calls = totals[0].calls[number], totals[1].calls[number]
            pair = self._amounts(values, (deviations[0][number], deviations[1][number]), calls)
            if self._could_matter(pair):
                yield number, *pair

    def _amounts(
        self, values: tuple[int, int], deviations: tuple[float, float], calls: tuple[int, int]
    ) -> tuple[SampledAmount, SampledAmount]:
        before, after = (
            side.amount(value, deviation).times(factor)
            for side, value, deviation, factor in zip(
                self._sides, values, deviations, self._yardstick.factors(*calls), strict=True
            )
        )
        return before, after

    def _could_matter(self, pair: tuple[SampledAmount, SampledAmount]) -> bool:
        """What both sides took together says nothing of a difference between them."""
        weight = pair[0].amount + pair[1].amount
        return weight > 0 and weight >= self._yardstick.least_change

    def _judged(self, amounts: Sequence[tuple[SampledAmount, SampledAmount]], method: Method) -> list[JudgedChange]:
        matters = self._yardstick.matters
        p_values = adjusted_p_values(
            [difference_p_value(*each) if matters(each[1].amount - each[0].amount) else 1.0 for each in amounts], method
        )
        chosen, tested = sum(p <= 1 - LEVEL for p in p_values), len(amounts)
        # Of what was not chosen each p-value is above that of the next rank, so that these intervals have no change in
        # them: a line does not look surer than its verdict.
        levels = [level_of_chosen(rank, tested, LEVEL) for rank in (chosen, chosen + 1)]
        least = self._yardstick.least_change
        return [
            _judged(*each, p=p, level=levels[p > 1 - LEVEL], least=least)
            for each, p in zip(amounts, p_values, strict=True)
        ]


def is_sampled(diff: ContextDiff) -> bool:
    """Whether a side is a sample of what is compared, with standard errors."""
    is_time = diff.yardstick.metric == "time"
    return any(has_standard_errors(profile, is_time=is_time) for profile in (diff.before, diff.after))


def _judged(before: SampledAmount, after: SampledAmount, *, p: float, level: float, least: float) -> JudgedChange:
    alone, ratio_alone = difference_interval(before, after, LEVEL), ratio_interval(before, after, LEVEL)
    most = max(-alone.low, alone.high)
    beyond = inf if ratio_alone is None else max(1 - ratio_alone.low, ratio_alone.high - 1)
    verdict: Verdict = "unknown"
    if p <= 1 - LEVEL:
        verdict = "more" if after.amount > before.amount else "less"
    elif beyond <= MARGIN or most <= least:
        verdict = "same"
    change, ratio = difference_interval(before, after, level), ratio_interval(before, after, level)
    return JudgedChange(before.amount, after.amount, change, ratio, p, verdict, beyond, most)
