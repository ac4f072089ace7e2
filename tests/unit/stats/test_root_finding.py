"""Finding where a function is zero."""

import math
from collections.abc import Callable

import pytest

from sonde.base.errors import InternalError
from sonde.stats.root_finding import find_root


@pytest.mark.parametrize(
    ("function", "low", "high", "root"),
    [
        (lambda x: x * x - 2.0, 0.0, 2.0, math.sqrt(2.0)),
        (lambda x: math.exp(x) - 5.0, -40.0, 40.0, math.log(5.0)),
        (lambda x: (x - 1.0) ** 9, 0.0, 3.0, 1.0),
        (lambda x: math.atan(x - 1e6), 0.0, 1e9, 1e6),
        (lambda x: -1.0 if x < 0.3 else 1.0, 0.0, 1.0, 0.3),
    ],
)
def test_roots_are_found_whatever_the_shape(
    function: Callable[[float], float], low: float, high: float, root: float
) -> None:
    assert find_root(function, low, high) == pytest.approx(root, rel=1e-6)


def test_smooth_functions_are_solved_to_the_last_digits_in_few_steps() -> None:
    calls = []

    def function(x: float) -> float:
        calls.append(x)
        return math.cos(x) - x

    assert find_root(function, 0.0, 1.0) == pytest.approx(0.7390851332151607, rel=1e-14)
    assert len(calls) < 15


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_an_end_may_be_the_root(end: float) -> None:
    assert find_root(lambda x: x - end, 0.0, 1.0) == end


def test_an_interval_without_a_root_is_a_bug_of_the_caller() -> None:
    with pytest.raises(InternalError):
        find_root(lambda x: 1.0 + x * x, 0.0, 1.0)
