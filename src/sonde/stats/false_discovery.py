"""Many tests at once: p-values adjusted so that few of the differences reported are false."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError, UsageError

Method = Literal["benjamini-hochberg", "benjamini-yekutieli", "holm"]
METHODS: tuple[Method, ...] = ("benjamini-hochberg", "benjamini-yekutieli", "holm")


def adjusted(p_values: npt.ArrayLike, method: Method = "benjamini-hochberg") -> npt.NDArray[np.float64]:
    """The p-values, each made as large as the number of tests demands.

    Reporting those that are at most alpha after this keeps, over all tests, the expected share of false reports among
    reports (Benjamini and Hochberg; Benjamini and Yekutieli), or the probability of any false report (Holm), at most
    alpha.

    Args:
        p_values: (n,) of [0, 1], in any order; none at all is fine.
        method: `benjamini-hochberg` for tests that are independent or positively dependent, as those of several
            benchmarks against one baseline are; `benjamini-yekutieli` however they depend on each other; `holm` where
            not one false report is acceptable.
    Returns:
        (n,) float64 in the order of `p_values`; never smaller than they are, at most 1.
    Raises:
        InputError: one is not a number from 0 to 1: a test that was not made is to be left out, not counted.
        UsageError: there is no such method.
    Guarantee: ranks are kept: of two p-values the smaller one is not larger afterwards.
    Cost: O(n log n).
    Source: Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995; Benjamini and Yekutieli, Annals of Statistics 29,
        2001; Holm, Scandinavian Journal of Statistics 6, 1979.

    >>> adjusted([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    given = _checked(p_values)
    if method not in METHODS:
        raise UsageError(
            f"cannot adjust p-values by '{method}': the methods are {', '.join(METHODS)}", slug="no-such-adjustment"
        )
    count = len(given)
    if not count:
        return given.copy()
    order = np.argsort(given, kind="stable")
    ascending = given[order]
    ranks = np.arange(1, count + 1, dtype=np.float64)
    if method == "holm":
        enlarged = np.maximum.accumulate(ascending * (count + 1 - ranks))
    else:
        # Under arbitrary dependence the price is the harmonic number (Benjamini and Yekutieli, theorem 1.3).
        price = float(np.sum(1.0 / ranks)) if method == "benjamini-yekutieli" else 1.0
        enlarged = np.minimum.accumulate((ascending * (count * price) / ranks)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(enlarged, 1.0)
    return result


def _checked(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1:
        raise InputError(
            f"cannot adjust p-values of shape {given.shape}: they are to be in one row", slug="bad-p-value"
        )
    wrong = ~((given >= 0.0) & (given <= 1.0))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise InputError(
            f"cannot adjust p-value {index} of {len(given)}, '{given[index]}': it is not a number from 0 to 1",
            slug="bad-p-value",
            hint="leave out tests that could not be made",
        )
    return given
