"""How sure a mean is when values may depend on those before them: cosine series of the sample."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sonde.stats.autocorrelation import lag_one
from sonde.stats.distributions import student_quantile
from sonde.stats.samples import Sample

FEWEST_TERMS, MOST_TERMS = 3, 32
"""With two terms one interval in ten of ten independent values is four times as wide as Student's; beyond 32 nothing is
gained, and long samples cost more."""

FEW_VALUES_TERMS, SHARE_OF_FEW = 6, 0.6
"""Of few values more terms than the rule has, up to 6 and to 0.6 for each value: with two, as it has for 5 to 15
values, Student's quantile alone doubles the interval, and often it is wider than the sample."""

VALUES_PER_TERM = 1.5
"""Effective values that each term needs: with fewer, its frequency is one at which dependent values vary less, by more
than the estimated correlation undoes."""

STRONGEST, STRONGEST_OF_FEW, STRONGER_BY_VALUE = 0.9, 0.6, 0.01
"""Correlation of neighbours above which no finite sample corrects for it: taken for this. Few values look so by chance:
for them it is 0.6, and 0.01 more for each value, or one interval in a hundred of six would be 17 times Student's."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How far the mean of a sample is from the truth, typically."""

    standard_error: float
    terms: int
    """Independent contrasts that it was estimated from: degrees of freedom of Student's t."""

    def quantile(self, probability: float) -> float:
        """Of Student's t with these degrees of freedom."""
        return student_quantile(probability, self.terms)


def dependent_uncertainty(sample: Sample) -> Uncertainty:
    """How sure the mean of values that may depend on their predecessors is.

    The values are projected on the slowest cosines over the sample; if values are dependent, those projections vary as
    much as the mean does, and each is nearly independent of the others.

    Args:
        sample: at least 3 checked values, in the order in which they were measured, not all the same.
    Guarantee: for independent normal values (mean - truth) / standard error is nearly Student's t with `terms` degrees
        of freedom, exactly but for the allowance for neighbours that happen to be alike. docs/notes/intervals.md has
        the coverage for others.
    Cost: O(n * terms), about 25 us for 30 values.
    Source: the equal-weighted cosine estimator of Lazarus, Lewis, Stock and Watson, "HAR inference: recommendations
        for practice", Journal of Business and Economic Statistics, 2018, with their 0.4 n^(2/3) terms.
    Differs: there are more terms below 60 values, up to 6; fewer where neighbours are much alike, one for each 1.5
        effective values; and what a first-order autoregression with the estimated correlation has less of at these
        frequencies than at zero is added. For independent values the last two do nothing but by chance; for dependent
        ones they keep most of the coverage.
    """
    n = len(sample)
    carried = min(max(0.0, lag_one(sample)), STRONGEST, STRONGEST_OF_FEW + STRONGER_BY_VALUE * n)
    most = terms_for(n)
    effective = n * (1.0 - carried) / (1.0 + carried)
    terms = max(min(int(effective / VALUES_PER_TERM), most), min(FEWEST_TERMS, most))
    projections = _cosines(n, most)[:terms] @ (sample - sample[0])
    variance = float(np.dot(projections, projections)) / terms
    if carried > 0.0:
        variance /= _share_of_spectrum(carried, n, terms)
    return Uncertainty(math.sqrt(variance / n), terms)


def terms_for(n: int) -> int:
    """Terms of the cosine series of n values that show no dependence.

    >>> [terms_for(n) for n in (5, 10, 30, 100, 300)]
    [3, 6, 6, 9, 18]
    """
    few = min(FEW_VALUES_TERMS, round(SHARE_OF_FEW * n))
    return min(max(round(0.4 * math.pow(n, 2.0 / 3.0)), few, FEWEST_TERMS), MOST_TERMS, n - 1)


def _share_of_spectrum(carried: float, n: int, terms: int) -> float:
    """How strongly a first-order autoregression varies at the frequencies of the cosines, compared with zero."""
    at_zero = (1.0 - carried) ** 2
    shares = (
        at_zero / (at_zero + 2.0 * carried * (1.0 - math.cos(math.pi * term / n))) for term in range(1, terms + 1)
    )
    return sum(shares) / terms


def _cosines(n: int, terms: int) -> npt.NDArray[np.float64]:
    """(terms, n) orthonormal cosines, each summing to 0."""
    return _kept_cosines(n, terms) if n <= 1000 else _computed_cosines(n, terms)


def _computed_cosines(n: int, terms: int) -> npt.NDArray[np.float64]:
    places = (np.arange(n) + 0.5) / n
    waves = np.cos(np.pi * np.outer(np.arange(1, terms + 1), places))
    return np.asarray(math.sqrt(2.0 / n) * waves, dtype=np.float64)


_kept_cosines = lru_cache(maxsize=64)(_computed_cosines)
