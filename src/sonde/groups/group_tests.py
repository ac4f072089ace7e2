"""Tests of two groups of values, one function at a time, and what many of them mean together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.evidence import Interval
from sonde.stats import (
    Estimate,
    RatioComparison,
    adjusted,
    compare_means,
    difference_of_means,
    is_constant,
    means_test,
    rank_sum_test,
)

LEVEL = 0.95
"""Of intervals; 1 less this is the share of false reports among reports, on average at most."""

_BALANCED = 1.5
"""Quotient of sizes up to which skewness of both sides cancels; beyond it quantiles allow for the shape."""

Sample = npt.NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """How the runs of two groups were made."""

    pairs: Pairs
    """Those next to each other, of groups that took turns; else none."""
    is_independent: bool
    """Whether runs are known not to resemble those before them."""


class GroupTest:
    """Whether the means of two groups differ, asked once; intervals at any level.

    Guarantee: the interval of level 1 - p has no difference at one of its ends, if there is an interval.
    Cost: 0.2 ms, and 20 us for each interval.
    """

    def __init__(self, before: Sample, after: Sample, design: Design) -> None:
        self.is_constant = is_constant(before) and is_constant(after)
        self._ratio: RatioComparison | None = None
        if self.is_constant:
            self.p_value = rank_sum_test(after, before).p_value if before[0] != after[0] else 1.0
            return
        self._take(before, after, design, is_paired=bool(design.pairs))
        if self._is_paired and math.isnan(self.p_value):  # all pairs have the same ratio or difference
            self._take(before, after, design, is_paired=False)
        if math.isnan(self.p_value):  # sizes differ too much, or a ratio may be anything
            self.p_value = 1.0

    def _take(self, before: Sample, after: Sample, design: Design, *, is_paired: bool) -> None:
        if is_paired:
            ours, theirs = (list(side) for side in zip(*design.pairs, strict=True))
            before, after = before[ours], after[theirs]
        self._before, self._after, self._is_paired = before, after, is_paired
        if before.any() and after.any():
            self._ratio = self._ratio_of_means(design)
            self.p_value = self._ratio.test().p_value
        else:
            self.p_value = means_test(after, before, paired=is_paired).p_value

    def ratio(self, level: float) -> Interval | None:
        """Of `after / before`; None where one is 0, where nothing varies, or where it may be anything."""
        return _stated(self._ratio.estimate(level)) if self._ratio is not None else None

    def change(self, level: float) -> Interval | None:
        """Of `after - before`; None where there is a ratio to be asked for, or nothing varies."""
        if self._ratio is not None or self.is_constant:
            return None
        return _stated(difference_of_means(self._after, self._before, level, paired=self._is_paired))

    def _ratio_of_means(self, design: Design) -> RatioComparison:
        """The ratio, by the method that has the power that many tests need where the design allows for it.

        Permutations allow for skewness, but have no p-value below what so few runs can be dealt out to: 0.008 for five
        and five, with which nothing could be established among forty functions. Where runs took turns, or are
        independent and as many, skewness of the sides cancels, and Student's quantiles hold.
        """
        few, many = sorted((len(self._before), len(self._after)))
        is_plain = bool(design.pairs) or (design.is_independent and many <= _BALANCED * few)
        return compare_means(
            self._after,
            self._before,
            paired=self._is_paired,
            independent=design.is_independent,
            method="fieller" if is_plain else "auto",
        )


def adjusted_together(tests: Sequence[GroupTest], counts: Sequence[bool]) -> list[float]:
    """The p-values of tests, each as large as the number of tests demands.

    What is the same in all runs of a side has no noise that others could tell of: it is a family of its own, of those
    that differ by enough to count, since the least p-value that few runs can be dealt out to would never survive among
    many others.

    Args:
        counts: which differences are large enough to count; others are taken as not different at all, which keeps what
            the adjustment guarantees.
    Returns:
        1 where the difference does not count.
    """
    found = [1.0] * len(tests)
    varying = [number for number, test in enumerate(tests) if not test.is_constant]
    constant = [number for number, test in enumerate(tests) if test.is_constant and counts[number]]
    for family in (varying, constant):
        p_values = [tests[number].p_value if counts[number] else 1.0 for number in family]
        for number, p in zip(family, adjusted(p_values).tolist(), strict=True):
            found[number] = p
    return found


def _stated(estimate: Estimate) -> Interval | None:
    return estimate.interval and Interval(estimate.interval.low, estimate.interval.high, LEVEL)
