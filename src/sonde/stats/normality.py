"""Whether values look as if drawn from a normal distribution."""

import math

import numpy.typing as npt

from sonde.stats.autocorrelation import said_p
from sonde.stats.describe import shape
from sonde.stats.distributions import chi_square_tail
from sonde.stats.findings import Assumption, Test
from sonde.stats.samples import checked_sample, is_constant

FEWEST = 8
"""Values that the test of skewness is defined for."""

ALPHA = 0.01
"""Normal values are called not normal so often."""


def normality(values: npt.ArrayLike) -> Assumption:
    """Whether values look normal, by their skewness and kurtosis.

    Guarantee: None below 8 values. Normal ones fail in 1 to 3 % of samples (the approximation is rough below 30).
    Raises:
        InputError: there is no value, or one is not finite.
    Cost: O(n), about 40 us.
    Source: as `normality_test`.

    >>> normality([1.0, 2.0, 3.0]).holds is None
    True
    """
    sample = checked_sample(values)
    n = len(sample)
    if n < FEWEST or is_constant(sample):
        why = "values that are all the same" if n >= FEWEST else f"{n} value{'s' if n > 1 else ''}"
        return Assumption("normality", None, f"{why} cannot show the shape of their distribution")
    test = normality_test(sample)
    skewed, peaked = shape(sample) or (0.0, 0.0)
    looks = f"skewness {skewed:.2f}, excess kurtosis {peaked:.2f}"
    finding = f"{looks}, D'Agostino-Pearson test: {said_p(test.p_value)}, n = {n}"
    return Assumption("normality", test.p_value >= ALPHA, finding)


def normality_test(values: npt.ArrayLike) -> Test:
    """D'Agostino and Pearson's omnibus test: the transformed skewness and kurtosis, squared and added.

    Raises:
        InputError: there are fewer than 8 values, or one is not finite.
    Source: D'Agostino and Pearson, "Tests for departure from normality", Biometrika, 1973; the transformations are
        those of D'Agostino (Biometrika, 1970) and of Anscombe and Glynn (Biometrika, 1983).

    >>> test = normality_test([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 50.0])
    >>> test.p_value < 0.001
    True
    """
    sample = checked_sample(values, FEWEST)
    n = len(sample)
    statistic = 0.0
    if (found := shape(sample)) is not None:  # else all are the same: nothing speaks against anything
        statistic = _skewness_score(found[0], n) ** 2 + _kurtosis_score(found[1] + 3.0, n) ** 2
    return Test(
        "the values are normal", statistic, chi_square_tail(statistic, 2), (2.0,), (n,), "D'Agostino-Pearson K² test"
    )


def _skewness_score(skewed: float, n: int) -> float:
    y = skewed * math.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    beta2 = 3.0 * (n**2 + 27 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    w2 = -1.0 + math.sqrt(2.0 * (beta2 - 1.0))
    alpha = math.sqrt(2.0 / (w2 - 1.0))
    return math.asinh(y / alpha) / math.sqrt(0.5 * math.log(w2))


def _kurtosis_score(kurtosis: float, n: int) -> float:
    expected = 3.0 * (n - 1.0) / (n + 1.0)
    variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    x = (kurtosis - expected) / math.sqrt(variance)
    beta1 = 6.0 * (n**2 - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    beta1 *= math.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    a = 6.0 + 8.0 / beta1 * (2.0 / beta1 + math.sqrt(1.0 + 4.0 / beta1**2))
    base = 1.0 + x * math.sqrt(2.0 / (a - 4.0))
    root = math.copysign(((1.0 - 2.0 / a) / abs(base)) ** (1.0 / 3.0), base) if base else 0.0
    return (1.0 - 2.0 / (9.0 * a) - root) / math.sqrt(2.0 / (9.0 * a))
