"""Two samples side by side: what is needed of them to compare their means."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.stats.samples import Sample, checked_sample, is_constant


@dataclass(frozen=True, slots=True, eq=False)
class TwoSamples:
    """Means of two samples, and the variances of those means.

    Variances of means, not of values: squares of standard errors.
    """

    first: Sample
    second: Sample
    paired: bool
    first_mean: float
    second_mean: float
    first_variance: float
    second_variance: float
    covariance: float
    """Of the two means; 0 unless paired."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of values of each."""
        return len(self.first), len(self.second)

    def variance(self, ratio: float) -> float:
        """Of the first mean less `ratio` times the second one."""
        if self.paired:
            # As it stands below, most digits of correlated samples would cancel.
            return _variance_of_mean(self.first - ratio * self.second)
        return self.first_variance + ratio * ratio * self.second_variance

    def degrees_of_freedom(self, ratio: float) -> float:
        """Of `variance(ratio)`: of pairs, n - 1; else by Welch and Satterthwaite.

        Source: Satterthwaite, Biometrics Bulletin 2, 1946; Welch, Biometrika 34, 1947.
        """
        n, m = self.sizes
        if self.paired:
            return n - 1.0
        one, other = self.first_variance, ratio * ratio * self.second_variance
        if one == 0.0 or other == 0.0:
            return n - 1.0 if one > 0.0 else m - 1.0
        share = one / (one + other)
        return 1.0 / (share * share / (n - 1.0) + (1.0 - share) * (1.0 - share) / (m - 1.0))

    def why_silent(self) -> str:
        """Why nothing can be said about a difference; empty where it can."""
        n, m = self.sizes
        if min(n, m) < 2:
            return f"a sample of one value does not show how values vary, n = {n} and {m}"
        if self.first_variance == 0.0 and self.second_variance == 0.0:
            return f"all values of each sample are the same, n = {n} and {m}: how they vary is not known"
        return ""


def two_samples(first: npt.ArrayLike, second: npt.ArrayLike, *, paired: bool) -> TwoSamples:
    """Check two samples and take their means and variances.

    Args:
        first: a sample, n >= 1.
        second: another one.
        paired: whether values with the same index belong together, as those of one round do.
    Raises:
        InputError: a sample is empty or not finite, or pairs lack their other half.

    >>> two_samples([1.0, 2.0, 3.0], [2.0, 2.0, 2.0], paired=False).first_mean
    2.0
    """
    one, other = checked_sample(first), checked_sample(second)
    if paired and len(one) != len(other):
        raise InputError(
            f"cannot compare pairs: the first sample has {len(one)} values, the second {len(other)}",
            slug="not-pairs",
            hint="compare them without pairs",
        )
    one_mean, other_mean = _mean(one), _mean(other)
    covariance = 0.0
    if paired and len(one) > 1:
        covariance = float(np.dot(one - one_mean, other - other_mean)) / (len(one) * (len(one) - 1.0))
    return TwoSamples(
        one, other, paired, one_mean, other_mean, _variance_of_mean(one), _variance_of_mean(other), covariance
    )


def _mean(sample: Sample) -> float:
    # Differences from a value of the sample are exact where values are close to each other.
    return float(sample[0] + np.add.reduce(sample - sample[0]) / len(sample))


def _variance_of_mean(sample: Sample) -> float:
    n = len(sample)
    if n < 2 or is_constant(sample):
        return 0.0
    apart = sample - sample[0]
    apart -= np.add.reduce(apart) / n
    return float(np.dot(apart, apart)) / (n * (n - 1.0))
