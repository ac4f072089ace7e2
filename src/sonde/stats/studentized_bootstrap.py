"""How the t statistic of two samples varies, by drawing new samples from those there are."""

import zlib

import numpy as np
import numpy.typing as npt

from sonde.stats.samples import Sample

DRAWS = 1999
"""So that 2.5 % of them, with the one observed, are a whole number."""


def drawn_statistics(first: Sample, second: Sample, *, paired: bool) -> npt.NDArray[np.float64]:
    """Statistics of samples drawn with replacement from two that were centred.

    Args:
        first: a sample, less its mean.
        second: another one, less its mean, and scaled by the ratio of the means.
        paired: whether to draw pairs.
    Returns:
        (1999,) difference of the means over its standard error; draws that do not vary are left out.
    Guarantee: the same samples give the same statistics.
    Cost: O(1999 n): 2 ms for 30 values.
    Source: the bootstrap-t of Efron; Hall, Annals of Statistics 16, 1988.

    >>> values = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> len(drawn_statistics(values, values, paired=False)) > 1900
    True
    """
    random = np.random.default_rng(zlib.crc32(first.tobytes() + second.tobytes()))
    if paired:
        differences = first - second
        mean, variance = _moments(differences[random.integers(0, len(differences), (DRAWS, len(differences)))])
    else:
        one, one_variance = _moments(first[random.integers(0, len(first), (DRAWS, len(first)))])
        other, other_variance = _moments(second[random.integers(0, len(second), (DRAWS, len(second)))])
        mean, variance = one - other, one_variance + other_variance
    varies = variance > 1e-12 * float(np.max(variance))
    return np.asarray(mean[varies] / np.sqrt(variance[varies]))


def _moments(draws: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean of each row, and the variance of that mean."""
    return draws.mean(axis=1), draws.var(axis=1, ddof=1) / draws.shape[1]
