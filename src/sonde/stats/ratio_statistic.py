"""Fieller's statistic of a ratio of means: one object, which both the interval and the test ask."""

import math
from dataclasses import dataclass, replace

from sonde.stats.distributions import student_quantile, student_tail
from sonde.stats.findings import Assumption

MOST_ROUNDS = 60
"""In which the degrees of freedom at an end of an interval are settled; two or three are usual."""


@dataclass(frozen=True, slots=True, eq=False)
class RatioStatistic:
    """The statistic (first mean - ratio * second mean) / its standard error, and how it varies.

    In units of the second mean, which is 1 then, whatever its sign was.
    """

    first_mean: float
    second_mean: float
    first_variance: float
    second_variance: float
    covariance: float
    freedoms: tuple[float, float]
    """Of both variances; of pairs, the first one counts."""
    paired: bool
    low_factor: float
    """By what Student's lower quantiles are multiplied for the shape of the samples."""
    high_factor: float
    method: str
    assumptions: tuple[Assumption, ...]
    smallest_p: float = 0.0
    """Two-sided, below which none is stated: what dealing the values out anew, or changing signs, allows."""
    resemblance: str = ""
    """How much values resemble those before them, if it is for that alone that the ratio may be anything."""

    def degrees_of_freedom(self, ratio: float) -> float:
        """Of the standard error: of pairs as they come, else by Welch and Satterthwaite."""
        if self.paired:
            return self.freedoms[0]
        one, other = self.first_variance, ratio * ratio * self.second_variance
        share = one / (one + other)
        return 1.0 / (share * share / self.freedoms[0] + (1.0 - share) * (1.0 - share) / self.freedoms[1])

    def statistic(self, ratio: float) -> float:
        """How many standard errors the ratio of the samples is above the given one, in units of Student's t."""
        variance = self.first_variance - 2.0 * ratio * self.covariance + ratio * ratio * self.second_variance
        distance = self.first_mean - ratio * self.second_mean
        if variance <= 0.0:
            return math.copysign(math.inf, distance) if distance else 0.0
        raw = distance / math.sqrt(variance)
        return raw / (self.high_factor if raw > 0.0 else self.low_factor)

    def ends(self, level: float) -> tuple[float, float] | None:
        """The ratios between which a test does not reject any; None where they are not bounded.

        They never are where `says_nothing_at(level)`; to ask that first is left to the caller.

        Source: Fieller, Journal of the Royal Statistical Society B 16, 1954.
        """
        low = self._end(level, self.high_factor, -1.0)
        high = self._end(level, self.low_factor, 1.0)
        return None if low is None or high is None else (low, high)

    def says_nothing_at(self, level: float) -> bool:
        """Whether there are so few values that no ratio could be rejected at the level."""
        return self.smallest_p > 1.0 - level

    def _end(self, level: float, factor: float, side: float) -> float | None:
        value = self.first_mean / self.second_mean
        probability = (1.0 + level) / 2.0
        end = value
        # Degrees of freedom depend on the ratio a little.
        for _ in range(MOST_ROUNDS):
            reach = factor * student_quantile(probability, self.degrees_of_freedom(end))
            before, end_or_none = end, self._root(reach, side)
            if end_or_none is None:
                return None
            end = end_or_none
            if self.paired or abs(end - before) <= 1e-15 * abs(end):
                break
        # Where even the largest ratio is not rejected, no end is one.
        farthest = self.freedoms[0] if self.paired else self.freedoms[1]
        reach = factor * student_quantile(probability, farthest)
        return end if self.second_mean > reach * math.sqrt(self.second_variance) else None

    def _root(self, reach: float, side: float) -> float | None:
        """Where (x - r y)^2 = reach^2 (vx - 2 r c + r^2 vy)."""
        x, y, c = self.first_mean, self.second_mean, self.covariance
        vx, vy, square = self.first_variance, self.second_variance, reach * reach
        leading = y * y - square * vy
        if leading <= 0.0:
            return None
        inside = y * y * vx + x * x * vy - 2.0 * x * y * c - square * (vx * vy - c * c)
        return (x * y - square * c + side * reach * math.sqrt(max(0.0, inside))) / leading

    def scaled(self, low_factor: float, high_factor: float, method: str) -> "RatioStatistic":
        """The same with other factors."""
        return replace(self, low_factor=low_factor, high_factor=high_factor, method=method)

    def p_value(self, ratio: float, alternative: str) -> float:
        """The probability of a statistic at least as far out if the ratio is this one.

        Not below what a test by permutation of so many values could find at best: of few values the shape is not
        known, and how far out Student's distribution would put those that are far apart says nothing.
        """
        least = self.smallest_p if alternative == "two-sided" else self.smallest_p / 2.0
        return max(self._students(ratio, alternative), least)

    def _students(self, ratio: float, alternative: str) -> float:
        statistic, freedom = self.statistic(ratio), self.degrees_of_freedom(ratio)
        if math.isinf(statistic):
            beyond = 0.0 if statistic > 0.0 else 1.0
            return {"two-sided": 0.0, "greater": beyond, "less": 1.0 - beyond}[alternative]
        if alternative == "two-sided":
            return 2.0 * student_tail(abs(statistic), freedom)
        return student_tail(statistic if alternative == "greater" else -statistic, freedom)
