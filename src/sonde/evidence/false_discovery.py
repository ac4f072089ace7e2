"""Many tests at once: p-values adjusted so that few of the differences reported are false."""

from collections.abc import Sequence
from itertools import accumulate
from math import fsum
from typing import Literal

Method = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm"]
METHODS: tuple[Method, ...] = ("benjamini-hochberg", "benjamini-yekutieli", "holm")


def adjusted_p_values(
    p_values: Sequence[float], method: Method = "benjamini-hochberg", *, tested: int | None = None
) -> list[float]:
    """The p-values, each made as large as the number of tests demands; at most 1, in their order.

    Reporting those that are at most alpha after this keeps, over all tests, the expected share of false reports among
    reports (Benjamini and Hochberg; Benjamini and Yekutieli), or the probability of any false report (Holm), at most
    alpha.

    Args:
        p_values: of [0, 1], in any order; none at all is fine.
        method: `benjamini-hochberg` for tests that are independent or positively dependent; `benjamini-yekutieli`
            however they depend on each other; `holm` where not one false report is acceptable.
        tested: how many tests there were, if `p_values` are the smallest of them: those left out are 1.
    Guarantee: ranks are kept: of two p-values the smaller one is not larger afterwards.
    Cost: O(n log n).
    Source: Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995; Benjamini and Yekutieli, Annals of Statistics 29,
        2001; Holm, Scandinavian Journal of Statistics 6, 1979.

    >>> adjusted_p_values([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    >>> adjusted_p_values([0.01, 0.04], tested=4)
    [0.04, 0.08]
    """
    count = len(p_values) if tested is None else tested
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    if method == "holm":
        enlarged = list(accumulate((p_values[at] * (count - rank) for rank, at in enumerate(order)), max))
    else:
        # Under arbitrary dependence the price is the harmonic number (Benjamini and Yekutieli, theorem 1.3).
        price = fsum(1.0 / rank for rank in range(1, count + 1)) if method == "benjamini-yekutieli" else 1.0
        by_rank = [p_values[at] * (count * price) / rank for rank, at in enumerate(order, start=1)]
        enlarged = list(accumulate(reversed(by_rank), min))[::-1]
    found = [1.0] * len(p_values)
    for at, p in zip(order, enlarged, strict=True):
        found[at] = min(p, 1.0)
    return found


def level_of_chosen(chosen: int, tested: int, level: float = 0.95) -> float:
    """The level of the intervals of what was chosen for being different, so that `level` of them hold.

    Source: Benjamini and Yekutieli, J. Am. Stat. Assoc. 100, 2005 (false coverage rate).

    >>> round(level_of_chosen(2, 20), 3)
    0.995
    """
    return 1.0 - (1.0 - level) * max(chosen, 1) / max(tested, 1)
