"""How the t statistic of two samples varies when it is chance alone that tells them apart: by permutation."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sonde.stats.distributions import student_quantile
from sonde.stats.samples import Sample

Matrix = npt.NDArray[np.float64]

PERMUTATIONS = 2000
"""Half of them random, half their mirror images. The factors below then vary by some 2 % with the seed; it is fixed."""

SEED = 20070921
MOST_DEALT = 500
"""Values of both samples that are dealt; of more, as many stand for them: 16 kB are needed for each."""

FEWEST_DEALT = 100
"""Of the smaller sample are kept whole: it is for few values that shapes matter."""

REFERENCE_TAIL = 0.025
"""The tail whose quantile is compared with Student's: that of the usual 95 % interval."""

KEPT = 32
"""Pairs of sizes whose deals are kept: 1 MB each for 30 values and 30. To make one takes a millisecond or two."""

FEWEST_FLIPS = 7
"""Pairs from which on there are enough patterns of signs to speak of their 2.5 % tail: 2 of 128 are 1.6 %."""


def permutation_factors(first: Sample, second: Sample, degrees_of_freedom: float) -> tuple[float, float]:
    """What to multiply Student's lower and upper quantiles with for samples of the shape that these have.

    The values of both are put together and dealt out again, many times, and each time Welch's statistic is taken.

    Args:
        first: a sample, shifted and scaled so that what is tested is that both are of one population.
        second: another one. Not all values of both are the same.
        degrees_of_freedom: of the Student distribution whose quantiles are to be multiplied.
    Returns:
        Factors for the lower and the upper quantile; both are 1 for what Student's distribution describes.
    Guarantee: swapping the samples swaps the factors; the order of values, and their unit, do not matter.
    Cost: two products with an (n, 2000) matrix of zeros and ones, kept from call to call: 0.2 ms for 20 values.
    Source: Janssen, Statistics and Probability Letters 36, 1997; Chung and Romano, "Exact and asymptotically robust
        permutation tests", Annals of Statistics 41, 2013: permuting the studentised statistic is exact if both are of
        one population, and asymptotically valid if they only have the same mean.
    Differs: dealt out once, with the means made equal, and not anew for each ratio that the interval asks about; by
        simulation that costs nothing.

    >>> low, high = permutation_factors(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.5, 2.5, 3.0, 3.5, 4.5]), 8.0)
    >>> round(low, 6) == round(high, 6), 0.9 < high < 1.1
    (True, True)
    """
    n, m = len(first), len(second)
    together = np.concatenate([np.sort(first), np.sort(second)])
    together -= np.add.reduce(together) / (n + m)
    squares = together * together
    deal = _deals(n, m)
    sums, sums_of_squares = together @ deal, squares @ deal
    # The sum of all is 0: the second group has what the first one has not.
    one, other = sums / n, sums / -m
    total = float(np.add.reduce(squares))
    variance = (sums_of_squares - n * one * one) / (n * (n - 1.0))
    variance += (total - sums_of_squares - m * other * other) / (m * (m - 1.0))
    smallest = 1e-12 * total / (n * m)
    statistics = (one - other) / np.sqrt(np.maximum(variance, smallest))
    return quantile_factors(statistics, degrees_of_freedom)


def thinned(first: Sample, second: Sample) -> tuple[Sample, Sample]:
    """Two samples of which not more than `MOST_DEALT` values are to be dealt, and their means are 0.

    Args:
        first: a sample with mean 0.
        second: another one.
    Returns:
        The same samples, or quantiles of them at equal distances: less of the larger one, for how far out T lies is
        decided by the smaller one.

    >>> [len(sample) for sample in thinned(np.zeros(10), np.zeros(5000))]
    [10, 490]
    """
    n, m = len(first), len(second)
    if n + m <= MOST_DEALT:
        return first, second
    few = min(n, m)
    kept = max(min(few, FEWEST_DEALT), few * MOST_DEALT // (n + m))
    if n <= m:
        return _spread_out(first, kept), _spread_out(second, MOST_DEALT - kept)
    return _spread_out(first, MOST_DEALT - kept), _spread_out(second, kept)


def _spread_out(sample: Sample, count: int) -> Sample:
    """So many quantiles of a sample, at equal distances, less their mean."""
    if count >= len(sample):
        return sample
    places = ((np.arange(count) + 0.5) * (len(sample) / count)).astype(np.int64)
    kept = np.sort(sample)[places]
    return np.asarray(kept - np.add.reduce(kept) / count)


def flip_factor(differences: Sample, degrees_of_freedom: float) -> float:
    """The same for pairs, whose differences are as likely to be positive as negative: by changing signs.

    Args:
        differences: n >= `FEWEST_FLIPS`, not all 0, with mean 0 or near it.
        degrees_of_freedom: as above.
    Returns:
        The factor for both quantiles, as signs are symmetric.
    Cost: one product with an (n, 2000) matrix.
    Source: Fisher's test of pairs, The Design of Experiments, 1935.

    >>> 0.9 < flip_factor(np.array([-3.0, -2.0, -1.0, 0.5, 1.0, 2.0, 2.5, 0.0]), 7.0) < 1.2
    True
    """
    n = len(differences)
    means = np.sort(np.abs(differences)) @ _signs(n) / n
    mean_square = float(np.dot(differences, differences)) / n
    statistics = means / np.sqrt(np.maximum(mean_square - means * means, 1e-12 * mean_square) / (n - 1.0))
    low, high = quantile_factors(statistics, degrees_of_freedom, all_patterns=2**n <= PERMUTATIONS)
    return (low + high) / 2.0


def quantile_factors(
    statistics: Matrix, degrees_of_freedom: float, *, all_patterns: bool = False
) -> tuple[float, float]:
    """How much farther out the lower and the upper quantile of simulated statistics are than Student's.

    Args:
        statistics: (count,) of them.
        degrees_of_freedom: of the Student distribution.
        all_patterns: whether they are all that there can be, the observed one included.
    """
    count = len(statistics)
    # A test keeps its level if the observed statistic counts as one of them. It is, where they are all there are.
    rank = int(REFERENCE_TAIL * count) + 1 if all_patterns else int(REFERENCE_TAIL * (count + 1))
    ordered = np.partition(statistics, (rank - 1, count - rank))
    usual = student_quantile(1.0 - REFERENCE_TAIL, degrees_of_freedom)
    return max(float(-ordered[rank - 1]), 0.1) / usual, max(float(ordered[count - rank]), 0.1) / usual


@lru_cache(maxsize=KEPT)
def _deals(n: int, m: int) -> Matrix:
    """(n + m, count) which values go to the first group; for equal sizes the set is its own mirror image."""
    if n < m:
        return _mirrored(_deals(m, n), m)
    random = np.random.default_rng([SEED, n, m])
    count = PERMUTATIONS // 2 if n == m else PERMUTATIONS
    # The n smallest of n + m random numbers: any n places are as likely as any others.
    chosen = np.argpartition(random.random((count, n + m)), n - 1, axis=1)[:, :n]
    deals = np.zeros((n + m, count))
    deals[chosen.T, np.arange(count)] = 1.0
    return np.ascontiguousarray(np.hstack([deals, _mirrored(deals, n)]) if n == m else deals)


def _mirrored(deals: Matrix, n: int) -> Matrix:
    """The same with the samples changing places, the first of n values: who went to the first group now does not."""
    return np.ascontiguousarray(1.0 - np.vstack([deals[n:], deals[:n]]))


@lru_cache(maxsize=KEPT)
def _signs(n: int) -> Matrix:
    """(n, count) of -1 and 1: all patterns of few pairs, random ones and their opposites of many."""
    if 2**n <= PERMUTATIONS:
        bits = (np.arange(2**n)[None, :] >> np.arange(n)[:, None]) & 1
        return np.asarray(2.0 * bits - 1.0)
    random = np.random.default_rng([SEED, n])
    half = np.where(random.random((n, PERMUTATIONS // 2)) < 0.5, -1.0, 1.0)
    return np.ascontiguousarray(np.hstack([half, -half]))
