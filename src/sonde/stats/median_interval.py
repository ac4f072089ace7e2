"""An interval for the median that takes nothing for granted about the shape of the distribution."""

import numpy as np
import numpy.typing as npt
from scipy import special

from sonde.evidence import Interval
from sonde.stats.describe import median
from sonde.stats.findings import Estimate
from sonde.stats.mean_interval import why_no_spread
from sonde.stats.samples import checked_level, checked_sample, is_constant


def median_interval(values: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """The median of independent values, and an interval between two of them, whatever their distribution.

    Args:
        values: at least one; an interval of level 0.95 needs 6, of 0.99 needs 8.
        level: the confidence wanted.
    Guarantee: the interval between the d-th smallest and the d-th largest value covers the true median with at least
        the level for every distribution. The one given lies between that and the next narrower one, and covers with
        very nearly the level for continuous ones (within 1 percentage point in docs/notes/intervals.md).
    Raises:
        InputError: there is no value, one is not finite, or the level is not between 0 and 1.
    Cost: O(n log n), about 30 us.
    Source: the sign test's interval, interpolated as by Hettmansperger and Sheather, "Confidence intervals based on
        interpolated order statistics", Statistics and Probability Letters, 1986.

    >>> str(median_interval(range(1, 21)).interval)
    '[6.23523, 14.7648]'
    """
    sample, level = checked_sample(values), checked_level(level)
    n, centre = len(sample), median(sample)
    if n < 2 or is_constant(sample):
        return Estimate("median", centre, None, (n,), "none", withheld=why_no_spread(n))
    if (needed := values_needed(level)) > n:
        why = f"{n} values are too few for an interval of level {level:g} that holds for any shape: {needed} are needed"
        return Estimate("median", centre, None, (n,), "none", withheld=why)
    depth, outer, inner = _depth(n, level)
    ordered = np.sort(sample)
    # The share of the way from the d-th value to the next, by which the coverage falls to the level.
    part = (outer - level) / (outer - inner)
    step = (n - depth) * part / (depth + (n - 2 * depth) * part)
    low = ordered[depth - 1] + step * (ordered[depth] - ordered[depth - 1])
    high = ordered[n - depth] - step * (ordered[n - depth] - ordered[n - depth - 1])
    if not low < high:
        why = "the values in the middle are all the same: the clock is too coarse to say how far off the median is"
        return Estimate("median", centre, None, (n,), "none", withheld=why)
    method = f"interpolated order statistics {depth} to {depth + 1} from either end"
    return Estimate("median", centre, Interval(float(low), float(high), level), (n,), method)


def values_needed(level: float) -> int:
    """How many values an interval for the median of this level needs at least.

    >>> values_needed(0.95), values_needed(0.99)
    (6, 8)
    """
    return max(2, int(np.ceil(1.0 - np.log2(1.0 - checked_level(level)))))


def _depth(n: int, level: float) -> tuple[int, float, float]:
    """The largest d for which the d-th values from both ends enclose the median with the level, and the confidence
    of that and of d + 1."""
    depths = np.arange(1, n // 2 + 2)
    confidence = 1.0 - 2.0 * special.bdtr(depths - 1, n, 0.5)
    depth = max(1, int(np.count_nonzero(confidence >= level)))
    return depth, float(confidence[depth - 1]), float(max(confidence[depth], 0.0))
