"""Amounts that samples have told, and how two of them differ: intervals and tests."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import erfc, hypot, inf, sqrt

from sonde.evidence.interval import Interval

_LARGEST_DEVIATE = 38.0
"""Standard deviations beyond which the probability of the normal distribution is no number any more."""
_HALVINGS = 36
"""Of the search for a deviate: to ten digits, more than any p-value is told with."""


@dataclass(frozen=True, slots=True)
class SampledAmount:
    """A part of a whole, as looks at a run have told it: the time of a function, of that of the run.

    All but `looks` and `spread` are in one unit.
    """

    amount: float
    deviation: float = 0.0
    """Standard error of the amount, with whatever correlation the looks have."""
    whole: float = 0.0
    """What it is a part of, and is known."""
    looks: float = inf
    """How many there were at the whole; infinitely many: the amount is exact."""
    above: float = 0.0
    """What may be missing from the amount besides."""
    spread: float = 0.0
    """By which share of it the amount differs from run to run, as a standard deviation."""
    drift: float = 0.0
    """By how much it differs besides, however large it is."""

    def times(self, factor: float) -> "SampledAmount":
        """The same in another unit."""
        return replace(
            self,
            amount=factor * self.amount,
            deviation=factor * self.deviation,
            whole=factor * self.whole,
            above=factor * self.above,
            drift=factor * self.drift,
        )

    def limits(self, deviate: float) -> tuple[float, float]:
        """Between which the truth lies, unless the looks, or the run, are off by more than so many standard deviations.

        Wilson's interval for the share of the whole, as of so many independent looks as would have given the standard
        error: of an amount that was never seen, it does not say that it is 0.

        Source: Wilson, JASA 22, 1927; effective sample size: Kish, Survey Sampling, 1965.
        """
        low = high = self.amount
        if self.looks < inf and self.whole > 0 and deviate > 0:
            share, count = min(1.0, self.amount / self.whole), self._effective_looks()
            square = deviate * deviate
            scale = 1 + square / count
            middle = (share + square / (2 * count)) / scale
            half = deviate / scale * sqrt(max(0.0, share * (1 - share) / count + square / (4 * count * count)))
            low = min(low, max(0.0, middle - half) * self.whole)
            high = max(high, min(1.0, middle + half) * self.whole)
        by_run = deviate * hypot(self.spread * self.amount, self.drift)
        low, high = (self.amount - hypot(self.amount - low, by_run), self.amount + hypot(high - self.amount, by_run))
        return max(0.0, low), high + self.above

    def _effective_looks(self) -> float:
        share = self.amount / self.whole
        if not self.deviation or not 0 < share < 1:
            # Seen at no look, or at all: each counts. In between, without a change from one look to the next: exact.
            return self.looks if not 0 < share < 1 else 1e18
        return share * (1 - share) * (self.whole / self.deviation) ** 2


def difference_interval(before: SampledAmount, after: SampledAmount, level: float = 0.95) -> Interval:
    """Of `after - before`, which are independent.

    Guarantee: swapping the sides negates it; it has 0 in it exactly where `difference_p_value` is above 1 - level.
    Source: the square-and-add method: Newcombe, Statistics in Medicine 17, 1998, method 10; Zou and Donner, ibid. 27,
        2008.

    >>> one, two = (SampledAmount(amount, 3.0, 1000.0, 1000) for amount in (100.0, 120.0))
    >>> around = difference_interval(one, two)
    >>> round(around.low, 1), round(around.high, 1)
    (11.7, 28.3)
    """
    return Interval(*_difference(before, after, deviate_of(level)), level)


def ratio_interval(before: SampledAmount, after: SampledAmount, level: float = 0.95) -> Interval | None:
    """Of `after / before`; its end is infinite where before may have been nothing. None where nothing was seen before.

    Guarantee: it has 1 in it exactly where the interval of the difference has 0 in it; swapping the sides inverts it.
    Source: Donner and Zou, Statistical Methods in Medical Research 21, 2012.
    """
    if before.amount <= 0:
        return None
    deviate = deviate_of(level)
    (low_before, high_before), (low_after, high_after) = before.limits(deviate), after.limits(deviate)
    ours, theirs = before.amount, after.amount
    low = _root(ours, theirs, high_before, low_after, -1.0)
    high = _root(ours, theirs, low_before, high_after, 1.0) if low_before > 0 else inf
    return Interval(min(low, theirs / ours), max(high, theirs / ours), level)


def _root(ours: float, theirs: float, end_before: float, end_after: float, sign: float) -> float:
    """Where (theirs - r ours)^2 is the sum of the squares of how far both ends are away, that of ours times r^2."""
    product = ours * theirs
    of_before = end_before * (2 * ours - end_before)
    of_after = end_after * (2 * theirs - end_after)
    root = sqrt(max(0.0, product * product - of_before * of_after))
    # The other form of the same root of the quadratic equation, which does not cancel.
    if sign < 0:
        return max(0.0, of_after / (product + root)) if product + root > 0 else 0.0
    return (product + root) / of_before if of_before > 0 else inf


def difference_p_value(before: SampledAmount, after: SampledAmount) -> float:
    """How probable so large a difference is, or a larger one, where there is none; two-sided.

    Cost: 40 times that of an interval, 100 us.

    >>> one, two = (SampledAmount(amount, 3.0, 1000.0, 1000) for amount in (100.0, 120.0))
    >>> difference_p_value(one, two) < 1e-5, difference_p_value(one, one)
    (True, 1.0)
    """

    def is_apart(deviate: float) -> bool:
        low, high = _difference(before, after, deviate)
        return low > 0 or high < 0

    if not is_apart(0.0):
        return 1.0
    return erfc(_largest(is_apart) / sqrt(2))


def _difference(before: SampledAmount, after: SampledAmount, deviate: float) -> tuple[float, float]:
    (low_before, high_before), (low_after, high_after) = before.limits(deviate), after.limits(deviate)
    change = after.amount - before.amount
    return (
        change - hypot(after.amount - low_after, high_before - before.amount),
        change + hypot(high_after - after.amount, before.amount - low_before),
    )


def _largest(is_true: Callable[[float], bool]) -> float:
    """The largest number at which something is true that is so at 0, up to a limit, and not beyond."""
    low, high = 0.0, _LARGEST_DEVIATE
    if is_true(high):
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_true(middle) else (low, middle)
    return low


@cache
def deviate_of(level: float) -> float:
    """Standard deviations around the mean within which a normal variable is with this probability.

    >>> round(deviate_of(0.95), 4)
    1.96
    """
    return _largest(lambda deviate: erfc(deviate / sqrt(2)) > 1.0 - level)
