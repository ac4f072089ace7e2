"""What a sample looks like: its mean, spread and shape, without saying how sure that is."""

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.stats.samples import Sample, checked_sample, is_constant


def mean(values: npt.ArrayLike) -> float:
    """The arithmetic mean.

    Raises:
        InputError: there is no value, or one is not finite. So do all functions here.

    >>> mean([1.0, 2.0, 6.0])
    3.0
    """
    sample = checked_sample(values)
    # Times of one program differ in their last digits: differences from one of them are exact.
    return float(sample[0] + np.add.reduce(sample - sample[0]) / len(sample))


def standard_deviation(values: npt.ArrayLike) -> float:
    """The standard deviation of the population, estimated from at least two values (divisor n - 1).

    >>> standard_deviation([1.0, 2.0, 3.0])
    1.0
    """
    return float(np.sqrt(_sum_of_squares(sample := checked_sample(values, 2)) / (len(sample) - 1)))


def coefficient_of_variation(values: npt.ArrayLike) -> float | None:
    """The standard deviation as a share of the mean, at least two values; None where the mean is 0.

    >>> coefficient_of_variation([1.0, 2.0, 3.0])
    0.5
    """
    sample = checked_sample(values, 2)
    centre = abs(mean(sample))
    return None if centre == 0.0 else standard_deviation(sample) / centre


def skewness(values: npt.ArrayLike) -> float | None:
    """The third central moment over the 3/2 power of the second: 0 where symmetric; None for constant values.

    >>> round(skewness([1.0, 2.0, 3.0, 10.0]), 3)
    1.018
    """
    found = shape(values)
    return None if found is None else found[0]


def excess_kurtosis(values: npt.ArrayLike) -> float | None:
    """The fourth central moment over the square of the second, less 3: 0 for a normal; None for constant values.

    >>> round(excess_kurtosis([1.0, 2.0, 3.0]), 3)
    -1.5
    """
    found = shape(values)
    return None if found is None else found[1]


def shape(values: npt.ArrayLike) -> tuple[float, float] | None:
    """The skewness and the excess kurtosis at once, for half the price; None for constant values."""
    z = _standardised(checked_sample(values))
    if z is None:
        return None
    squares = z * z
    return float(np.dot(squares, z)) / len(z), float(np.dot(squares, squares)) / len(z) - 3.0


def quantile(values: npt.ArrayLike, probability: float) -> float:
    """The value that a share of the population lies below, interpolated linearly between values (Hyndman and Fan's
    type 7, as NumPy and R do it).

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    if not 0.0 <= probability <= 1.0:
        raise InputError(
            f"cannot take quantile '{probability}': a share lies between 0 and 1", slug="bad-level", hint="0.5"
        )
    return float(np.quantile(checked_sample(values), probability))


def median(values: npt.ArrayLike) -> float:
    """The value in the middle, or the mean of the two there.

    >>> median([5.0, 1.0, 2.0])
    2.0
    """
    ordered = np.sort(checked_sample(values))
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else ordered[middle - 1] / 2.0 + ordered[middle] / 2.0)


def _sum_of_squares(sample: Sample) -> float:
    if is_constant(sample):
        return 0.0
    apart = sample - sample[0]
    apart -= np.add.reduce(apart) / len(apart)
    return float(np.dot(apart, apart))


def _standardised(sample: Sample) -> Sample | None:
    """Distances from the mean in units of the standard deviation of the values there are (divisor n)."""
    scale = np.sqrt(_sum_of_squares(sample) / len(sample))
    return None if scale == 0.0 else (sample - mean(sample)) / scale
