"""A whole number divided into whole parts that are as close to given shares as they can be."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite


def divide_by_weights(total: int, weights: Sequence[float]) -> list[int]:
    """Divide a number by weights; what rounding down leaves goes to the largest remainders, of equal ones the first.

    >>> divide_by_weights(10, [1.0, 1.0, 1.0])
    [4, 3, 3]

    Args:
        total: >= 0.
        weights: finite, >= 0, not all 0 unless `total` is.
    Raises:
        ValueError: otherwise.
    Guarantee: the parts add up to the total, and each is less than 1 away from its share; a weight of 0 gets nothing.
    Cost: O(n log n).
    Source: Hare and Hamilton's method of apportionment, by largest remainders.
    """
    if total < 0 or not all(isfinite(each) and each >= 0 for each in weights):
        raise ValueError(f"cannot divide {total} by weights that are negative or not finite")
    exact = [Fraction(each) for each in weights]
    whole = sum(exact)
    if not whole:
        if total:
            raise ValueError(f"cannot divide {total} by weights that are all 0")
        return [0] * len(weights)
    shares = [total * each / whole for each in exact]
    parts = [int(each) for each in shares]
    by_remainder = sorted(range(len(parts)), key=lambda at: parts[at] - shares[at])
    for at in by_remainder[: total - sum(parts)]:
        parts[at] += 1
    return parts
