"""Bins of a histogram: few enough to be seen, on round numbers or on the columns of a terminal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HistogramBins:
    """How many values fall into each of equally wide bins."""

    low: float
    width: float
    """Of one bin, in units of the values; 0 where all values are the same, which then lie in the first bin."""
    counts: tuple[int, ...]

    def place(self, value: float) -> int:
        """The bin in which a value lies; the first or last one for what lies outside."""
        if self.width <= 0.0:
            return 0
        return int(min(max((value - self.low) / self.width, 0.0), len(self.counts) - 1))


def bins_of(values: Sequence[float], count: int, low: float | None = None, high: float | None = None) -> HistogramBins:
    """Count values in `count` equally wide bins from the least to the greatest, or from `low` to `high`.

    Args:
        values: finite, at least one; those outside of `low` and `high` fall into the first and the last bin.
        count: number of bins, >= 1.

    >>> bins_of([0.0, 1.0, 1.1, 4.0], 4).counts
    (1, 2, 0, 1)
    """
    start = min(values) if low is None else low
    end = max(values) if high is None else high
    empty = HistogramBins(start, max((end - start) / count, 0.0), (0,) * count)
    counts = [0] * count
    for value in values:
        counts[empty.place(value)] += 1
    return HistogramBins(start, empty.width, tuple(counts))


def bin_count(values: Sequence[float], most: int) -> int:
    """How many bins show the shape of a sample.

    Source: Freedman and Diaconis, On the histogram as a density estimator, Zeitschrift fuer
        Wahrscheinlichkeitstheorie und verwandte Gebiete 57, 1981: a width of 2 IQR / n^(1/3).
    Differs: at least 5 where there are as many values, at most `most`; outliers make for many bins, which stay empty.
    """
    if len(values) < 2 or min(values) == max(values):
        return 1
    quarter, three_quarters = quartiles(values)
    width = 2.0 * (three_quarters - quarter) / len(values) ** (1.0 / 3.0)
    span = max(values) - min(values)
    wanted = math.ceil(span / width) if width > 0.0 and span / width < most else most
    return max(min(5, len(values)), min(wanted, most))


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The first and the third quartile, between the values that are next to them.

    >>> quartiles([0.0, 1.0, 2.0, 3.0])
    (0.75, 2.25)
    """
    ordered = sorted(values)
    found = []
    for share in (0.25, 0.75):
        place = share * (len(ordered) - 1)
        below = ordered[int(place)]
        above = ordered[min(int(place) + 1, len(ordered) - 1)]
        found.append(below + (above - below) * (place - int(place)))
    return found[0], found[1]


def within_reach(values: Sequence[float], fence: float) -> tuple[float, float]:
    """The least and the greatest value, but for those that lie `fence` interquartile ranges beyond the quartiles."""
    quarter, three_quarters = quartiles(values)
    reach = fence * (three_quarters - quarter) or math.inf
    within = [value for value in values if quarter - reach <= value <= three_quarters + reach]
    return min(within), max(within)
