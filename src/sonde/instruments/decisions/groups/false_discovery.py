"""Adjusting many p values, so that little of what is reported is chance.

In plain Python; `sonde.stats` has its own, for which the extra `bench` is needed.
"""

from collections.abc import Sequence

from sonde.instruments.decisions.groups.options import Adjustment


def q_values(p_values: Sequence[float], tested: int, adjustment: Adjustment) -> list[float]:
    """The smallest false discovery rates at which each would be reported.

    Args:
        p_values: the smallest ones of all tests; those left out are 1.
        tested: how many tests there were.
    Guarantee: rejecting what is at most r keeps the expected share of false ones at most r, for Benjamini-Hochberg if
        tests are independent or depend on one another positively, for Benjamini-Yekutieli always.
    Cost: O(n log n).
    Source: Benjamini, Hochberg, J. Royal Stat. Soc. B 57 (1995); Benjamini, Yekutieli, Ann. Stat. 29 (2001).

    >>> q_values([0.01, 0.04], 4, "benjamini-hochberg")
    [0.04, 0.08]
    """
    factor = sum(1 / rank for rank in range(1, tested + 1)) if adjustment == "benjamini-yekutieli" else 1.0
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [1.0] * len(p_values)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        smallest = min(smallest, p_values[index] * tested * factor / rank)
        adjusted[index] = smallest
    return adjusted
