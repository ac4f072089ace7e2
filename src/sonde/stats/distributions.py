"""The distributions that intervals and tests are made of: SciPy's special functions under their usual names."""

import numpy as np
import numpy.typing as npt
from scipy import special

Number = float | npt.NDArray[np.float64]


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable falls below with this probability.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    return float(special.ndtri(probability))


def normal_tail(value: float) -> float:
    """The probability that a standard normal variable exceeds a value."""
    return float(special.ndtr(-value))


def student_quantile(probability: float, degrees_of_freedom: float) -> float:
    """The value that a Student t variable falls below with this probability.

    >>> round(student_quantile(0.975, 9), 3)
    2.262
    """
    return float(special.stdtrit(degrees_of_freedom, probability))


def student_tail(value: float, degrees_of_freedom: float) -> float:
    """The probability that a Student t variable exceeds a value."""
    return float(special.stdtr(degrees_of_freedom, -value))


def f_tail(value: float, numerator: float, denominator: float) -> float:
    """The probability that an F variable with these degrees of freedom exceeds a value."""
    return float(special.fdtrc(numerator, denominator, value))


def chi_square_quantile(probability: float, degrees_of_freedom: float) -> float:
    """The value that a chi-square variable falls below with this probability."""
    return float(special.chdtri(degrees_of_freedom, 1.0 - probability))


def chi_square_tail(value: float, degrees_of_freedom: float) -> float:
    """The probability that a chi-square variable exceeds a value."""
    return float(special.chdtrc(degrees_of_freedom, value))
