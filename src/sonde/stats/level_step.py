"""A step in the level of a series: how much higher or lower it is after, and whether chance explains it."""

import numpy as np
import numpy.typing as npt

from sonde.evidence import Interval
from sonde.stats.distributions import student_quantile, student_tail
from sonde.stats.findings import Estimate, Test
from sonde.stats.samples import checked_level, checked_sample

_LEAST = 4
"""Values of one side at least: with fewer of each, the spread is a guess."""


def level_step(before: npt.ArrayLike, after: npt.ArrayLike, level: float = 0.95) -> tuple[Estimate, Test]:
    """The ratio of two levels of a series, and the test that they are the same.

    Logarithms are compared, by the spread that both sides have in common: so one value after many before can be
    judged, as far as it spreads as those before do.

    Args:
        before, after: values above 0, one of them 4 or more, in the order in which they were measured.
        level: of the interval.
    Returns:
        The ratio of geometric means, after / before, and the two-sided test; both are withheld where a side has no
        value, neither has 4, one is not above 0, or they do not vary.
    Raises:
        InputError: a value is not finite, or the level is not in (0, 1).
    Guarantee: of independent log-normal values of one spread, the interval covers the ratio of the geometric means with
        this level, and the p-value is below p with probability p.
    Cost: O(n).
    Source: Student's two-sample t test, of logarithms.

    >>> ratio, test = level_step([1.0, 1.01, 0.99, 1.0], [1.2])
    >>> round(ratio.value, 2), test.p_value < 0.01
    (1.2, True)
    """
    checked_level(level)
    sides = [checked_sample(side) for side in (before, after)]
    sizes = (len(sides[0]), len(sides[1]))
    hypothesis = "the levels are the same"
    why = ""
    if max(sizes) < _LEAST:
        why = f"{sizes[0]} and {sizes[1]} values are too few: {_LEAST} on one side are needed"
    elif min(float(side.min()) for side in sides) <= 0.0:
        why = "not all values are above 0"
    if why:
        nothing = float("nan")
        ratio = Estimate("ratio of levels", nothing, None, sizes, "none", withheld=why)
        return ratio, Test(hypothesis, nothing, nothing, (), sizes, "none", withheld=why)
    logs = [np.log(side) for side in sides]
    apart = float(logs[1].mean() - logs[0].mean())
    freedom = float(sum(sizes) - 2)
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in logs)
    error = float(np.sqrt(squares / freedom * (1.0 / sizes[0] + 1.0 / sizes[1])))
    method = f"Student's t of logarithms with a common spread, {freedom:g} degrees of freedom"
    if not error > 0.0:
        why = "the values do not vary"
        ratio = Estimate("ratio of levels", float(np.exp(apart)), None, sizes, "none", withheld=why)
        return ratio, Test(hypothesis, float("nan"), float("nan"), (), sizes, "none", withheld=why)
    reach = student_quantile((1.0 + level) / 2.0, freedom) * error
    interval = Interval(float(np.exp(apart - reach)), float(np.exp(apart + reach)), level)
    ratio = Estimate("ratio of levels", float(np.exp(apart)), interval, sizes, method)
    p_value = 2.0 * student_tail(abs(apart) / error, freedom)
    return ratio, Test(hypothesis, apart / error, p_value, (freedom,), sizes, method)
