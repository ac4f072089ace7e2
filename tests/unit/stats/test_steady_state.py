"""The rule of Georges et al.: the last few iterations vary by less than a threshold."""

import statistics

import numpy as np
import pytest

from sonde.base.errors import InputError
from sonde.stats.steady_state import SteadyRule, steady_window


def plain_cov(values: list[float]) -> float:
    return statistics.stdev(values) / statistics.fmean(values)


def test_the_first_window_below_the_threshold_is_steady() -> None:
    found = steady_window([9.0, 7.0, 5.0, 5.02, 4.98, 5.0, 5.0], window=4, threshold=0.01)
    assert found is not None
    assert (found.start, found.stop, found.reached) == (2, 6, True)
    assert found.mean == pytest.approx(5.0, rel=1e-12)
    assert found.coefficient_of_variation == pytest.approx(plain_cov([5.0, 5.02, 4.98, 5.0]), rel=1e-12)


def test_without_a_steady_window_the_one_that_varies_least_is_given() -> None:
    values = [5.0, 9.0, 5.0, 6.0, 5.0, 9.0]
    found = steady_window(values, window=3, threshold=0.01)
    assert found is not None
    assert (found.start, found.stop, found.reached) == (2, 5, False)


def test_fewer_values_than_the_window_have_no_steady_state() -> None:
    assert steady_window([1.0] * 9) is None
    assert steady_window([]) is None


def test_constant_values_are_steady_also_when_they_are_zero() -> None:
    for level in (3.0, 0.0):
        found = steady_window([level] * 10)
        assert found is not None
        assert found.reached
        assert found.coefficient_of_variation == 0.0


def test_values_around_zero_are_never_steady() -> None:
    found = steady_window([1.0, -1.0] * 10)
    assert found is not None
    assert not found.reached
    assert found.coefficient_of_variation > 1e9


def test_the_rule_agrees_with_every_window_computed_afresh() -> None:
    draw = np.random.default_rng(7)
    values = (5.0 + draw.normal(size=400)).tolist()
    rule = SteadyRule(window=9, threshold=0.1)
    for stop, value in enumerate(values, 1):
        steady = rule.add(value)
        if stop < 9:
            assert not steady
            continue
        expected = plain_cov(values[stop - 9 : stop])
        assert rule.cov == pytest.approx(expected, rel=1e-12)
        assert rule.mean == pytest.approx(statistics.fmean(values[stop - 9 : stop]), rel=1e-12)
        assert steady == (expected < 0.1)


def test_a_very_slow_iteration_leaves_no_trace_when_it_has_left_the_window() -> None:
    rule = SteadyRule(window=5, threshold=1e-9)
    values = [1e12, *[1.0 + 1e-10 * (i % 3) for i in range(30)]]
    for stop, value in enumerate(values, 1):
        rule.add(value)
        if stop > 5:
            assert rule.cov == pytest.approx(plain_cov(values[stop - 5 : stop]), rel=1e-5)


@pytest.mark.parametrize(("window", "threshold"), [(1, 0.01), (0, 0.01), (10, 0.0), (10, -1.0), (10, float("nan"))])
def test_rules_that_make_no_sense_are_refused(window: int, threshold: float) -> None:
    with pytest.raises(InputError, match="cannot tell steadiness") as caught:
        steady_window([1.0] * 20, window, threshold)
    assert caught.value.slug == "bad-steady-rule"


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(InputError, match="value 1 of 2"):
        steady_window([1.0, float("nan")])
