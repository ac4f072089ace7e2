"""How far apart the means of two samples are, and whether that could be chance."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.evidence import Interval
from sonde.stats.comparison_assumptions import assumptions_of
from sonde.stats.distributions import student_quantile, student_tail
from sonde.stats.findings import Assumption, Estimate, Test
from sonde.stats.samples import checked_level
from sonde.stats.two_samples import TwoSamples, two_samples

Alternative = Literal["two-sided", "less", "greater"]

HYPOTHESES: dict[Alternative, str] = {
    "two-sided": "the means are equal",
    "less": "the second mean is not less than the first",
    "greater": "the second mean is not greater than the first",
}


def difference_of_means(
    second: npt.ArrayLike,
    first: npt.ArrayLike,
    level: float = 0.95,
    *,
    paired: bool = False,
    equal_variances: bool = False,
) -> Estimate:
    """The mean of `second` less that of `first`, with Student's interval.

    Args:
        second: a sample.
        first: the one that it is compared with.
        level: confidence.
        paired: whether values with the same index were measured next to each other: then their differences count.
        equal_variances: whether both are taken to vary equally; otherwise Welch's degrees of freedom are used.
    Returns:
        The difference, in the unit of the values; without an interval where a sample has one value, or none varies.
    Raises:
        InputError: a sample is empty or not finite, the level is not in (0, 1), or pairs lack their other half.
    Guarantee: for independent normal values the interval covers the true difference with probability `level`: exactly
        so with pairs or equal variances, and to within about half a per cent of it otherwise.
    Cost: O(n).
    Source: Georges, Buytaert and Eeckhout, OOPSLA 2007, section 3.3; Welch, Biometrika 34, 1947.
    Differs: Georges et al. take the normal distribution from 30 values on, and Student's with a simpler count of
        degrees of freedom below; Student's is right for all sizes.

    >>> estimate = difference_of_means([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
    >>> estimate.value, str(estimate.interval)
    (1.0, '[-1.26696, 3.26696]')
    """
    checked_level(level)
    samples = two_samples(second, first, paired=paired)
    value = samples.first_mean - samples.second_mean
    if why := _why_silent(samples):
        return Estimate("difference of means", value, None, samples.sizes, "none", withheld=why)
    error, freedom = _standard_error(samples, equal_variances)
    reach = student_quantile((1.0 + level) / 2.0, freedom) * error
    return Estimate(
        what="difference of means",
        value=value,
        interval=Interval(value - reach, value + reach, level),
        sizes=samples.sizes,
        method=f"{_name(paired, equal_variances)} interval, {freedom:.4g} degrees of freedom",
        assumptions=_assumptions(samples, equal_variances),
    )


def means_test(
    second: npt.ArrayLike,
    first: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    equal_variances: bool = False,
) -> Test:
    """Test whether the means of two samples are equal: Student's t, by default as Welch does it.

    Args:
        second: a sample.
        first: the one that it is compared with.
        alternative: `two-sided`; `less`: small p-values say that the mean of `second` is less; `greater`.
        paired: whether values with the same index were measured next to each other.
        equal_variances: whether both are taken to vary equally.
    Returns:
        The test; its statistic and p-value are not numbers, and `withheld` says why, where `difference_of_means` has
        no interval.
    Raises:
        InputError: as `difference_of_means`.
    Guarantee: two-sided, p > 1 - level exactly where the interval of that level contains 0.
    Cost: O(n).
    Source: as `difference_of_means`.

    >>> round(means_test([2.0, 3.0, 4.0], [1.0, 2.0, 3.0], alternative="greater").p_value, 4)
    0.1439
    """
    samples = two_samples(second, first, paired=paired)
    method = f"{_name(paired, equal_variances)} test, {alternative}"
    if why := _why_silent(samples):
        nothing = float("nan")
        return Test(HYPOTHESES[alternative], nothing, nothing, (), samples.sizes, method, withheld=why)
    error, freedom = _standard_error(samples, equal_variances)
    statistic = (samples.first_mean - samples.second_mean) / error
    return Test(
        hypothesis=HYPOTHESES[alternative],
        statistic=statistic,
        p_value=p_value_of(statistic, freedom, alternative),
        degrees_of_freedom=(freedom,),
        sizes=samples.sizes,
        method=method,
        assumptions=_assumptions(samples, equal_variances),
    )


def p_value_of(statistic: float, degrees_of_freedom: float, alternative: Alternative) -> float:
    """The probability of a Student t variable at least as far out, in the direction that the alternative names.

    >>> p_value_of(0.0, 5.0, "two-sided")
    1.0
    """
    if alternative == "two-sided":
        return 2.0 * student_tail(abs(statistic), degrees_of_freedom)
    return student_tail(statistic if alternative == "greater" else -statistic, degrees_of_freedom)


def _name(paired: bool, equal_variances: bool) -> str:
    if paired:
        return "paired Student t"
    return "Student t" if equal_variances else "Welch's t"


def _why_silent(samples: TwoSamples) -> str:
    if why := samples.why_silent():
        return why
    if samples.variance(1.0) == 0.0:
        return f"all pairs differ by the same, n = {len(samples.first)}: how the difference varies is not known"
    return ""


def _standard_error(samples: TwoSamples, equal_variances: bool) -> tuple[float, float]:
    """Of the difference, and its degrees of freedom."""
    if equal_variances and not samples.paired:
        n, m = samples.sizes
        squares = samples.first_variance * n * (n - 1) + samples.second_variance * m * (m - 1)
        return float(np.sqrt(squares / (n + m - 2) * (1.0 / n + 1.0 / m))), n + m - 2.0
    return float(np.sqrt(samples.variance(1.0))), samples.degrees_of_freedom(1.0)


def _assumptions(samples: TwoSamples, equal_variances: bool) -> tuple[Assumption, ...]:
    if samples.paired:
        return assumptions_of([samples.first - samples.second])
    return assumptions_of([samples.first, samples.second], equal_variances=equal_variances)
