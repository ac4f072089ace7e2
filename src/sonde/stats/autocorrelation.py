"""Whether values depend on those before them, and how many independent ones they are worth."""

import math

import numpy as np
import numpy.typing as npt

from sonde.stats.distributions import chi_square_tail, normal_tail
from sonde.stats.findings import Assumption
from sonde.stats.samples import Sample, checked_sample, is_constant

FEWEST = 8
"""Values below which no dependence short of an exact pattern could be told from chance."""

FEWEST_FOR_CYCLES = 20
"""Values below which only neighbours are compared."""

ALPHA = 0.01
"""Independent values are called dependent so often: one in a hundred, as a run judges hundreds of samples."""


def autocorrelations(values: npt.ArrayLike, lags: int) -> Sample:
    """(lags,) correlations of values with those 1, 2, ... places before, as usually estimated; 0 for constant ones.

    Cost: O(n * lags).

    >>> autocorrelations([1.0, 2.0, 1.0, 2.0], 1)
    array([-0.75])
    """
    sample = checked_sample(values)
    found = np.zeros(lags)
    if is_constant(sample):
        return found
    # In a unit near the largest: so squares neither vanish nor overflow. A power of two rounds nothing.
    sample = np.ldexp(sample, -math.frexp(float(np.abs(sample).max()))[1])
    apart = sample - np.add.reduce(sample) / len(sample)
    whole = float(np.dot(apart, apart))
    if whole == 0.0:
        return found
    for lag in range(1, min(lags, len(apart) - 1) + 1):
        found[lag - 1] = np.dot(apart[lag:], apart[:-lag]) / whole
    return found


def ljung_box(values: npt.ArrayLike, lags: int) -> tuple[float, float]:
    """Ljung and Box's statistic for correlation at any of the first lags, and its p-value.

    Source: Ljung and Box, "On a measure of lack of fit in time series models", Biometrika, 1978.

    >>> statistic, p = ljung_box([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 1)
    >>> round(statistic, 3), round(p, 3)
    (4.464, 0.035)
    """
    sample = checked_sample(values, lags + 2)
    n = len(sample)
    found = autocorrelations(sample, lags)
    statistic = n * (n + 2) * float(np.dot(found, found / np.arange(n - 1, n - 1 - lags, -1)))
    return statistic, chi_square_tail(statistic, lags)


def von_neumann(values: npt.ArrayLike) -> tuple[float, float]:
    """Von Neumann's ratio of ranks: 2 for independent values, less where neighbours are alike; and its p-value.

    Returns:
        The ratio, and the probability of one as far from 2, on either side, for independent values.
    Source: Bartels, "The rank version of von Neumann's ratio test for randomness", Journal of the American
        Statistical Association, 1982; the normal approximation.

    >>> ratio, p = von_neumann([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    >>> round(ratio, 3), p < 0.01
    (0.167, True)
    """
    sample = checked_sample(values, 4)
    n = len(sample)
    placed = ranks(sample)
    steps, apart = placed[1:] - placed[:-1], placed - (n + 1) / 2.0
    whole = float(np.dot(apart, apart))
    if whole == 0.0:
        return 2.0, 1.0
    ratio = float(np.dot(steps, steps)) / whole
    variance = 4.0 * (n - 2) * (5.0 * n * n - 2.0 * n - 9.0) / (5.0 * n * (n + 1) * (n - 1) ** 2)
    return ratio, 2.0 * normal_tail(abs(ratio - 2.0) / math.sqrt(variance))


HARMLESS = 0.3
"""Correlation of neighbours up to which intervals cover nearly as they say: values of which no larger one would fit are
as good as independent."""

FEWEST_TO_SHOW = 30
"""Values below which nothing shows that they are independent: an estimate from them that is low enough is chance."""

ONE_SIDED = 1.645
"""Standard errors above the estimate that a correlation exceeds once in twenty."""


def harmless(correlation: float, n: int) -> bool:
    """Whether correlations of neighbours that would fit an estimate from n values do no harm.

    >>> harmless(0.0, 10), harmless(0.0, 40)
    (False, True)
    """
    return n >= FEWEST_TO_SHOW and correlation + ONE_SIDED / math.sqrt(n) <= HARMLESS


def judged_independence(name: str, finding: str, *, is_refuted: bool, is_shown: bool) -> Assumption:
    """What tests of independence come to; that they refute it counts for more than that `harmless` shows it.

    >>> judged_independence("independence", "n = 12", is_refuted=False, is_shown=False).finding
    'n = 12, which cannot show it'
    """
    if is_refuted or is_shown:
        return Assumption(name, not is_refuted, finding)
    return Assumption(name, None, f"{finding}, which cannot show it")


def independence(values: npt.ArrayLike) -> Assumption:
    """Whether values, in the order in which they were measured, look independent of one another.

    Neighbours are compared, and from 20 values on those further apart too, for cycles. That a test finds nothing shows
    nothing: it holds only where no correlation of neighbours above 0.3 would fit 30 or more values; else it is not
    known.

    Guarantee: independent values are said to be dependent in at most 2 % of samples, whatever their distribution: the
        tests look at ranks. Values with a correlation of 0.3 and more are said to be independent in at most 5 to 6 %.
    Raises:
        InputError: there is no value, or one is not finite.
    Cost: about 60 us for 30 values.
    Source: `von_neumann`, and `ljung_box` of ranks over n / 5 lags, at most 10; the smaller p-value counts twice.

    >>> independence(range(20)).holds
    False
    """
    sample = checked_sample(values)
    n = len(sample)
    if n < FEWEST or is_constant(sample):
        why = "values that are all the same" if n >= FEWEST else f"{n} value{'s' if n > 1 else ''}"
        return Assumption("independence", None, f"{why} cannot show whether they depend on one another")
    _, p = von_neumann(sample)
    test = "von Neumann's ratio of ranks"
    if n >= FEWEST_FOR_CYCLES:
        lags = min(10, n // 5)
        p = min(1.0, 2.0 * min(p, ljung_box(ranks(sample), lags)[1]))
        test = f"{test} and Ljung-Box test over {lags} lags"
    first = float(autocorrelations(sample, 1)[0])
    finding = f"lag-1 autocorrelation {first:.2f}, {test}: {said_p(p)}, n = {n}"
    return judged_independence("independence", finding, is_refuted=p < ALPHA, is_shown=harmless(lag_one(sample), n))


def effective_size(values: npt.ArrayLike) -> float:
    """How many independent values would tell the mean as surely as these do, in (1, n].

    Guarantee: n for constant values and where neighbours do not resemble one another.
    Cost: about 15 us for 30 values.
    Source: n (1 - r) / (1 + r), for a first-order autoregression with lag-1 correlation r; r less its bias
        (Kendall, Biometrika, 1954).

    >>> effective_size([1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    6.0
    """
    sample = checked_sample(values)
    n = len(sample)
    carried = min(max(0.0, lag_one(sample)), (n - 1.0) / (n + 1.0))
    return n * (1.0 - carried) / (1.0 + carried)


def lag_one(sample: Sample) -> float:
    """The correlation of neighbours, with what its usual estimate lacks in small samples added: (1 + 4 r) / n."""
    n = len(sample)
    if n < 4 or is_constant(sample):
        return 0.0
    raw = float(autocorrelations(sample, 1)[0])
    return raw + (1.0 + 4.0 * raw) / n


def ranks(sample: Sample) -> Sample:
    """Places in ascending order from 1, ties sharing their mean.

    >>> ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    places = np.empty(len(sample))
    order = np.argsort(sample)
    places[order] = np.arange(1.0, len(sample) + 1.0)
    ascending = sample[order]
    if not (ascending[1:] == ascending[:-1]).any():  # the usual case, four times as fast
        return places
    _, which, counts = np.unique(sample, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[which], dtype=np.float64)


def said_p(p: float) -> str:
    """A p-value as papers print it.

    >>> said_p(0.0231), said_p(0.00002)
    ('p = 0.023', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
