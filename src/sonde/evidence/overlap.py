"""What two profiles of one program have in common: a dense one and a sampled one, or two runs of a sampler.

Profiles are vectors here: an entry for each function, or context, that any of them knows, the same one at the same
place; what a profile does not know has 0 there. Amounts are of any unit, and not negative.

Source: Buytaert, PhD thesis, section 4.4.2.
"""

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from itertools import combinations
from math import ceil, fsum

Vector = Sequence[float]


def unweighted_overlap(one: Vector, other: Vector) -> float:
    """The share of entries that both have, of those that either has; 1 where neither has any.

    Source: Buytaert, section 4.4.2, the unweighted metric: the sum of the common presence vector by its length.

    >>> round(unweighted_overlap([5, 0, 2], [30, 4, 0]), 2)
    0.33
    """
    either = sum(1 for ours, theirs in zip(one, other, strict=True) if ours > 0 or theirs > 0)
    both = sum(1 for ours, theirs in zip(one, other, strict=True) if ours > 0 and theirs > 0)
    return both / either if either else 1.0


def weighted_overlap(one: Vector, other: Vector) -> float:
    """The sum of the lesser of both shares: 1 less their total variation distance.

    Of a vector that is empty, nothing is in common with another; two empty ones are the same.

    Source: Buytaert, section 4.4.2, the weighted metric.

    >>> round(weighted_overlap([5, 0, 2], [30, 4, 0]), 2)
    0.71
    """
    ours, theirs = fsum(one), fsum(other)
    if not ours or not theirs:
        return 1.0 if ours == theirs else 0.0
    return fsum(min(a / ours, b / theirs) for a, b in zip(one, other, strict=True))


def stability(runs: Sequence[Vector]) -> float | None:
    """The mean weighted overlap of each two runs; None for fewer than two.

    Source: Buytaert, section 4.4.2, "Stability".

    >>> round(stability([[5, 1, 4], [6, 0, 3], [5, 2, 3]]), 2)
    0.84
    """
    overlaps = [weighted_overlap(one, other) for one, other in combinations(runs, 2)]
    return fsum(overlaps) / len(overlaps) if overlaps else None


def top_overlap(dense: Vector, sampled: Vector, share: float) -> float:
    """How many of the hottest entries of a dense profile the sampled one has at all, as a share of them.

    Args:
        share: of the entries that the dense profile has, in (0, 1]; rounded up, so that it is one at least.
    Returns:
        1 where the dense profile is empty.
    Source: Buytaert, section 4.4.2, figure 4.8: the unweighted metric for the top N percent of hot methods.

    >>> top_overlap([40, 30, 20, 10], [4, 0, 2, 1], 0.25), top_overlap([40, 30, 20, 10], [4, 0, 2, 1], 0.5)
    (1.0, 0.5)
    """
    hottest = list(_hottest(dense, _rounded_up(share * sum(1 for amount in dense if amount > 0))))
    return sum(1 for number in hottest if sampled[number] > 0) / len(hottest) if hottest else 1.0


def rank_overlap(one: Vector, other: Vector, most: int = 10) -> float:
    """How many of one's first entries are among the other's first, as a share; 1 where neither has any.

    >>> rank_overlap([0.5, 0.3, 0.2, 0.0], [0.5, 0.0, 0.1, 0.4], 2)
    0.5
    """
    known = [sum(1 for amount in each if amount > 0) for each in (one, other)]
    count = min(most, *known)
    if not count:
        return 1.0 if not any(known) else 0.0
    return len({*_hottest(one, count)} & {*_hottest(other, count)}) / count


def _hottest(vector: Vector, count: int) -> Iterator[int]:
    """The numbers of the largest entries; of equal ones the first."""
    yield from nsmallest(count, range(len(vector)), key=lambda number: (-vector[number], number))


def _rounded_up(count: float) -> int:
    """Shares are written as decimals: 0.07 of 100 is a little more than 7."""
    return ceil(count * (1 - 1e-12))
