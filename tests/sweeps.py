"""Cases that are many and alike: `make test` runs a sample in which each value occurs, `make test-all` every one."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def sampled(*axes: Sequence[Any], one_in: int) -> list[Any]:
    """The product of the axes, for `pytest.mark.parametrize`; all but one in `one_in` cases are marked `sweep`.

    Args:
        one_in: at most as long as all axes but one, so that each value of each axis is in the sample.
    """
    cases = []
    for places in product(*(range(len(axis)) for axis in axes)):
        is_in = sum(places) % one_in == 0
        values = [axis[place] for axis, place in zip(axes, places, strict=True)]
        cases.append(pytest.param(*values, marks=() if is_in else pytest.mark.sweep))
    return cases


def rare(cases: Sequence[Any], kept: Sequence[Any]) -> list[Any]:
    """The cases, for `pytest.mark.parametrize`; all that are not `kept` are marked `sweep`.

    Args:
        cases: values; where there are several names, tuples of them.
    """
    assert set(kept) <= set(cases), sorted(set(kept) - set(cases))
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if case in kept else pytest.mark.sweep)
        for case in cases
    ]
