"""How far the values of two groups of runs lie apart, and how likely that is by chance."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from math import comb


def exceptions(fast: Sequence[float], slow: Sequence[float]) -> int:
    """How many runs must be left out until all values of one group are above all of the other.

    0: the groups are completely separated.

    >>> exceptions([1.0, 1.0], [0.0, 0.5])
    0
    >>> exceptions([1.0, 0.2], [0.0, 0.5])
    1

    Cost: O(n log n) for n values.
    """
    labelled = sorted([(value, 1) for value in fast] + [(value, 0) for value in slow])
    fast_below = below = 0
    best = min(len(fast), len(slow))
    for _, equal in groupby(labelled, key=lambda pair: pair[0]):
        for _, is_fast in equal:
            fast_below += is_fast
            below += 1
        wrong = (len(fast) - fast_below) + (below - fast_below)  # if the fast were to be below
        best = min(best, wrong, len(labelled) - wrong)
    return best


def can_separate(values: Sequence[float], fast_count: int, allowed: int) -> bool:
    """Whether runs with these values can be split into groups of such sizes with at most so many exceptions.

    It does not look at which run is in which group: features that fail it say nothing of any split, and leaving them
    out before testing changes no error rate.
    """
    below = 0
    slow_count = len(values) - fast_count
    for _, equal in groupby(sorted(values)):
        below += sum(1 for _ in equal)
        if below < len(values) and min(abs(below - fast_count), abs(below - slow_count)) <= allowed:
            return True
    return False


def chance(values: Sequence[float], fast_count: int, allowed: int) -> float:
    """Probability that `exceptions` is at most `allowed` if it is chance which runs are in which group.

    Args:
        values: of all runs, in any order.
    Guarantee: it is the share of all C(n, fast_count) ways to choose the fast runs among these values for which
        `exceptions` is at most `allowed`; ties are respected. Where a feature has two values and there is no exception
        it is Fisher's exact test, two-sided.
    Cost: O(n * fast_count) big integers for each pattern of ties, which is remembered.
    """
    ties = tuple(sum(1 for _ in equal) for _, equal in groupby(sorted(values)))
    return _chance(ties, fast_count, allowed)


@lru_cache(maxsize=65536)
def _chance(ties: tuple[int, ...], fast_count: int, allowed: int) -> float:
    total = sum(ties)
    slow_count = total - fast_count
    if allowed >= min(fast_count, slow_count):
        return 1.0
    # Ways to reach (values so far, fast among them) without ever being at a boundary with few enough exceptions.
    ways = {0: 1}
    below = 0
    for size in ties:
        below += size
        after: dict[int, int] = {}
        for fast_below, count in ways.items():
            for more in range(min(size, fast_count - fast_below) + 1):
                reached = fast_below + more
                if below - reached > slow_count:
                    continue
                wrong = (fast_count - reached) + (below - reached)
                if min(wrong, total - wrong) > allowed:
                    after[reached] = after.get(reached, 0) + count * comb(size, more)
        ways = after
    every = comb(total, fast_count)
    return (every - sum(ways.values())) / every
