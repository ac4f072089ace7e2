"""The textbook's interval for a mean: Student's t, or the normal quantile."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.evidence import Interval
from sonde.stats.describe import mean, standard_deviation
from sonde.stats.distributions import normal_quantile, student_quantile
from sonde.stats.findings import Estimate
from sonde.stats.samples import checked_level, checked_sample, is_constant

Critical = Literal["georges", "student", "normal"]

LARGE_SAMPLE = 30
"""From so many values on Georges, Buytaert and Eeckhout take the normal quantile."""

NO_MORE_THAN_ROUNDING = "values differ by no more than rounding does"


def mean_interval(values: npt.ArrayLike, level: float = 0.95, critical: Critical = "georges") -> Estimate:
    """The mean of independent, nearly normal values, and the usual interval around it.

    Args:
        values: at least one; the interval needs two that differ.
        level: the confidence wanted.
        critical: `student` for the quantile of Student's t, `normal` for the normal one, `georges` for Student's t
            below 30 values and the normal one from there on.
    Guarantee: for normal data, `student` covers the true mean with exactly the level. For others see
        `mean_estimate`, which is what sonde prints; docs/notes/intervals.md says how far this one is off.
    Raises:
        InputError: there is no value, one is not finite, or the level is not between 0 and 1.
    Cost: O(n), about 20 us.
    Source: Georges, Buytaert and Eeckhout, "Statistically rigorous Java performance evaluation", OOPSLA 2007,
        section 3.2.

    >>> mean_interval([1.0, 2.0, 3.0]).method
    'Student t, 2 degrees of freedom'
    """
    sample, level = checked_sample(values), checked_level(level)
    n, centre = len(sample), mean(sample)
    if n < 2 or is_constant(sample):
        return Estimate("mean", centre, None, (n,), "none", withheld=why_no_spread(n))
    by_normal = critical == "normal" or (critical == "georges" and n >= LARGE_SAMPLE)
    tail = (1.0 + level) / 2.0
    times = normal_quantile(tail) if by_normal else student_quantile(tail, n - 1)
    deviation = standard_deviation(sample)
    if deviation == 0.0:  # the squares of differences are too small to be told from 0
        return Estimate("mean", centre, None, (n,), "none", withheld=NO_MORE_THAN_ROUNDING)
    reach = times * deviation / float(np.sqrt(n))
    method = "normal quantile" if by_normal else f"Student t, {degrees(n - 1)}"
    return Estimate("mean", centre, Interval(centre - reach, centre + reach, level), (n,), method)


def why_no_spread(n: int) -> str:
    """What is said where values do not differ, or there is only one."""
    if n == 1:
        return "a single value says nothing of how much values vary"
    return f"all {n} values are the same: the clock is too coarse to say how much they vary"


def degrees(number: float) -> str:
    """Degrees of freedom, in words.

    >>> degrees(1)
    '1 degree of freedom'
    """
    return f"{number:.4g} degree{'' if number == 1 else 's'} of freedom"
