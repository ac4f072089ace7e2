"""Whether two means are the same for all practical purposes: a verdict that no significance test gives."""

import numpy.typing as npt

from sonde.stats.findings import Test
from sonde.stats.ratio_of_means import compare_means


def equivalence_test(
    numerator: npt.ArrayLike,
    denominator: npt.ArrayLike,
    margin: float = 0.01,
    *,
    paired: bool = False,
    independent: bool = False,
) -> Test:
    """Test whether the ratio of two means lies beyond a margin around 1; small p-values say that it lies within.

    Args:
        numerator: a sample.
        denominator: the one that it is compared with.
        margin: what difference is of no importance, as a share: 0.01 is from 1 / 1.01 to 1.01.
        paired: whether values with the same index were measured next to each other.
        independent: as for `ratio_of_means`.
    Returns:
        The less significant of the two one-sided tests; not a number, with the reason in `withheld`, where the data
        cannot support one.
    Raises:
        InputError: the margin is not a positive number, or as `ratio_test`.
    Guarantee: alternatives that differ by the margin or more are called equivalent at most as often as the level of
        the test says. Swapping the samples changes nothing. p <= alpha exactly where the interval of level 1 - 2 alpha
        of `ratio_of_means` lies within the margin.
    Cost: as `ratio_test`.
    Source: two one-sided tests: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
    Differs: the margin is on the ratio, and is tested by Fieller's linear form, so that it needs no logarithms.

    >>> samples = [1.0, 1.001, 0.999, 1.0, 1.002], [1.0, 0.999, 1.001, 1.0, 1.0]
    >>> equivalence_test(*samples, independent=True).p_value < 0.01
    True
    """
    return compare_means(numerator, denominator, paired=paired, independent=independent).equivalence(margin)
