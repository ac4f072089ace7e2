"""Standard errors of contexts that are taken together."""

from array import array
from collections.abc import Iterable, Sequence
from math import isqrt

from sonde.instruments.contexts.profile.approximation import Sampling


def are_independent(sampling: Sampling | None) -> bool:
    """Whether times were seen at looks, of which each is of one context, so that squares of their errors add up.

    More of one is less of another: the sum of the squares is not too small. What runs in the same bursts may be off
    together: there, errors add up themselves.
    """
    return sampling is not None and sampling.is_of_times_only


def rounded_up_root(square: int) -> int:
    """So that no standard error vanishes.

    >>> rounded_up_root(25), rounded_up_root(26), rounded_up_root(0)
    (5, 6, 0)
    """
    return isqrt(square - 1) + 1 if square > 0 else 0


def joint_deviation(deviations: Iterable[int], *, independent: bool) -> int:
    """The standard error of the sum of what has these ones, at most.

    >>> joint_deviation([3, 4], independent=True), joint_deviation([3, 4], independent=False)
    (5, 7)
    """
    if not independent:
        return sum(deviations)
    return rounded_up_root(sum(each * each for each in deviations))


def regrouped_deviations(
    column: Sequence[int], new_row: Sequence[int], count: int, *, independent: bool
) -> Sequence[int]:
    """Standard errors of new contexts, of which each stands for some of the old ones.

    Args:
        column: (n_contexts,) standard errors, or empty.
        new_row: (n_contexts,) of each context the new one that stands for it, below `count`.
    Returns:
        (count,) int64, or empty.
    """
    if not len(column):
        return ()
    power = 2 if independent else 1
    sums = [0] * count
    for row, deviation in zip(new_row, column, strict=True):
        sums[row] += deviation**power
    return array("q", map(rounded_up_root, sums) if independent else sums)
