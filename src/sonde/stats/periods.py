"""Patterns that return: a collection every seventh iteration, a cache that fills and is emptied."""

import numpy as np

from sonde.stats.samples import Sample

_LEAST_ALIKE = 0.5
"""Autocorrelation at a period, and at twice that; noise of 40 values is beyond 0.5 at one lag once in 1,000 series."""
_LEAST_PERIODS = 4
_NEARLY = 0.9
"""Share of the highest peak: multiples of a period are as much alike as it is, but for noise."""
_USUAL = (0.05, 0.95)
"""Quantiles to which what lies outside is brought in: an outlier is like nothing else."""


def find_period(values: Sample) -> int | None:
    """After how many values the pattern returns; None where there is none, or fewer than 4 periods.

    The first high peak of the autocorrelation behind the lag at which it has fallen to 0, outliers being brought in
    before.

    Cost: O(n log n).

    >>> find_period(np.tile([5.0, 1.0, 1.1, 1.2, 1.3], 8))
    5
    """
    n = len(values)
    usual = np.clip(values, *np.quantile(values, _USUAL))
    usual = usual - usual.mean()
    largest = np.abs(usual).max()
    if not largest:
        return None
    transformed = np.fft.rfft(usual / largest, 2 * n)
    products = np.fft.irfft(transformed * transformed.conj(), 2 * n)[: n // 2 + 1]
    alike = products / (n - np.arange(len(products))) / (products[0] / n)
    below = np.flatnonzero(alike <= 0.0)
    longest = n // _LEAST_PERIODS
    if not len(below) or below[0] > longest:
        return None
    within = alike[: longest + 1]
    within[: below[0]] = 0.0
    near = int(np.argmax(within >= _NEARLY * within.max()))
    lag = near + int(np.argmax(within[near : near + near // 4 + 1]))
    return lag if min(alike[lag], alike[2 * lag]) >= _LEAST_ALIKE else None
