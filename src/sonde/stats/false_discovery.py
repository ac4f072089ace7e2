"""Many tests at once, of arrays of p-values that were computed elsewhere; see `sonde.evidence.false_discovery`."""

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError, UsageError
from sonde.evidence import METHODS, Method, adjusted_p_values


def adjusted(p_values: npt.ArrayLike, method: Method = "benjamini-hochberg") -> npt.NDArray[np.float64]:
    """The p-values, each made as large as the number of tests demands: `adjusted_p_values`.

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
    Guarantee: as that of `adjusted_p_values`.
    Cost: O(n log n), 1 us for each.
    Source: as `adjusted_p_values`.

    >>> adjusted([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    given = _checked(p_values)
    if method not in METHODS:
        raise UsageError(
            f"cannot adjust p-values by '{method}': the methods are {', '.join(METHODS)}", slug="no-such-adjustment"
        )
    return np.array(adjusted_p_values(given.tolist(), method), dtype=np.float64)


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
