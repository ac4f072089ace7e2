"""Sums by function: the native core and its twin agree on any tree, and refuse the same."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.native import function_sums

_VALUES = st.integers(0, 1 << 40)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Columns of a tree, and a number of functions; now and then no tree."""
    functions = draw(st.integers(1, 5))
    rows = draw(st.integers(0, 25))
    slip = draw(st.sampled_from([0, 0, 0, 1]))
    parent = [draw(st.integers(-1, row - 1 + slip)) for row in range(rows)]
    function = [draw(st.integers(0, functions - 1 + slip)) for _ in range(rows)]
    return [parent, function, *([draw(_VALUES) for _ in range(rows)] for _ in range(4))], functions


def _sums(core: str, columns: list[list[int]], functions: int) -> tuple[bytes, ...] | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SONDE_CORE", core)
        try:
            return function_sums([array("q", column) for column in columns], functions)
        except ValueError:
            return None


@given(trees())
def test_the_twins_agree(made: tuple[list[list[int]], int]) -> None:
    columns, functions = made
    assert _sums("native", columns, functions) == _sums("python", columns, functions)


@pytest.mark.parametrize("core", ["native", "python"])
def test_sums_that_do_not_fit_and_columns_of_two_lengths_are_refused(core: str) -> None:
    most = (1 << 63) - 1
    columns = [[-1, -1], [0, 0], [most, 1], [1, 1], [1, 1], [1, 1]]
    assert _sums(core, columns, 1) is None
    assert _sums(core, [*columns[:5], [1]], 1) is None
    assert _sums(core, [*columns[:2], [most, 0], *columns[3:]], 1) is not None
