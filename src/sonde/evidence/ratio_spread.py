"""By how much ratios of many things differ from one another, beyond their own errors."""

from collections.abc import Sequence
from typing import NamedTuple

FEWEST = 5
"""Ratios below which nothing is known of how they spread."""
_MEDIAN_OF_SQUARE = 0.4549
"""Median of the square of a standard normal variable."""
_LARGEST = 10.0
_HALVINGS = 40


class LogRatio(NamedTuple):
    """The logarithm of a ratio of two amounts."""

    value: float
    variance: float
    """By its own error."""
    scale: float = 1.0
    """How many times the variance, that all have in common, is as large in this one."""


def ratio_spread(ratios: Sequence[LogRatio]) -> float:
    """The standard deviation that amounts have in common beside their own errors; 0 where there are too few.

    Around the median of the ratios, and by the median of the squares: what is true of fewer than half of them does not
    matter.

    Returns:
        Of an amount; that of a ratio is the root of two times as large.
    Guarantee: a common factor of all ratios changes nothing.
    Source: the idea of an empirical null: Efron, J. Am. Stat. Assoc. 99, 2004; by the equation of Paule and Mandel,
        J. Res. Natl. Bur. Stand. 87, 1982, with medians in place of means.

    >>> round(ratio_spread([LogRatio(each / 100, 1e-8) for each in (-7, -3, 0, 3, 7)]), 3)
    0.031
    >>> ratio_spread([LogRatio(each / 100, 1.0) for each in (-7, -3, 0, 3, 7)])
    0.0
    """
    if len(ratios) < FEWEST:
        return 0.0
    middle = _median([each.value for each in ratios])

    def is_too_little(spread: float) -> bool:
        squares = [(each.value - middle) ** 2 / (each.variance + 2 * each.scale * spread * spread) for each in ratios]
        return _median(squares) > _MEDIAN_OF_SQUARE

    low, high = 0.0, _LARGEST
    if not is_too_little(1e-9):
        return 0.0
    for _ in range(_HALVINGS):
        between = (low + high) / 2
        low, high = (between, high) if is_too_little(between) else (low, between)
    return high


def _median(values: Sequence[float]) -> float:
    """As `statistics.median`, whose module takes 10 ms to import: this room is there at every start."""
    ascending, count = sorted(values), len(values)
    return (ascending[(count - 1) // 2] + ascending[count // 2]) / 2
