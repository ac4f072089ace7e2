"""Bins of a histogram: few enough to be seen, on round numbers or on the columns of a terminal."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """How many values fall into each of equally wide bins."""

    low: float
    width: float
    """Of one bin, in units of the values; 0 where all values are the same, which then lie in the first bin."""
    counts: npt.NDArray[np.int64]
    """(n_bins,) values."""

    @property
    def high(self) -> float:
        """The end of the last bin."""
        return self.low + self.width * len(self.counts)

    def place(self, value: float) -> int:
        """The bin in which a value lies; the first or last one for what lies outside."""
        if self.width <= 0.0:
            return 0
        return min(max(int((value - self.low) / self.width), 0), len(self.counts) - 1)


def bins_of(values: npt.NDArray[np.float64], count: int, low: float | None = None, high: float | None = None) -> Bins:
    """Count values in `count` equally wide bins from the least to the greatest, or from `low` to `high`.

    Args:
        values: (n,) finite; those outside of `low` and `high` fall into the first and the last bin.
        count: number of bins, >= 1.

    >>> bins_of(np.array([0.0, 1.0, 1.1, 4.0]), 4).counts.tolist()
    [1, 2, 0, 1]
    """
    if not len(values):
        return Bins(0.0 if low is None else low, 0.0, np.zeros(count, dtype=np.int64))
    start = float(values.min()) if low is None else low
    end = float(values.max()) if high is None else high
    width = (end - start) / count
    if not width > 0.0:
        counts = np.zeros(count, dtype=np.int64)
        counts[0] = len(values)
        return Bins(start, 0.0, counts)
    places = np.clip(((values - start) / width).astype(np.int64), 0, count - 1)
    return Bins(start, width, np.bincount(places, minlength=count).astype(np.int64))


def bin_count(values: npt.NDArray[np.float64], most: int) -> int:
    """How many bins show the shape of a sample.

    Source: Freedman and Diaconis, On the histogram as a density estimator, Zeitschrift fuer
        Wahrscheinlichkeitstheorie und verwandte Gebiete 57, 1981: a width of 2 IQR / n^(1/3).
    Differs: at least 5 where there are as many values, at most `most`; outliers make for many bins, which stay empty.
    """
    if len(values) < 2 or values.min() == values.max():
        return 1
    quarter, three_quarters = np.quantile(values, (0.25, 0.75))
    width = 2.0 * (three_quarters - quarter) / len(values) ** (1.0 / 3.0)
    span = float(values.max() - values.min())
    wanted = int(np.ceil(span / width)) if width > 0.0 and span / width < most else most
    return max(min(5, len(values)), min(wanted, most))
