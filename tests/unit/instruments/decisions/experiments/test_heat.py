"""Which units are hot."""

from collections.abc import Sequence

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.decisions.experiments import HeatPolicy, hot_units
from sonde.instruments.decisions.model import Trees, Unit


def never() -> Trees:
    raise AssertionError


def hot(periods: Sequence[int], policy: HeatPolicy | None = None) -> list[int]:
    units = [Unit(number, "f()", str(number), never, period=at) for number, at in enumerate(periods)]
    return [unit.number for unit in hot_units(units, policy or HeatPolicy())]


def test_the_longest_units_are_hot_while_they_are_within_the_share() -> None:
    assert hot([10, 50, 5, 35]) == [1, 3]


def test_a_unit_that_goes_over_the_share_makes_all_after_it_cold() -> None:
    assert hot([60, 35, 5]) == [0]


def test_the_share_may_be_reached_exactly() -> None:
    assert hot([50, 40, 10]) == [0, 1]


def test_the_longest_unit_is_hot_even_if_it_is_all() -> None:
    assert hot([0, 100]) == [1]


def test_limits_count_units() -> None:
    assert hot([1] * 100) == list(range(10))
    assert hot([60, 35, 5], HeatPolicy(min_limit=3)) == [0, 1, 2]
    assert hot([60, 35, 5], HeatPolicy(min_limit=0)) == [0]
    assert hot([100], HeatPolicy(min_limit=0)) == []
    assert hot([60, 5], HeatPolicy(min_limit=0, max_limit=0)) == []


def test_of_equal_units_the_first_are_hotter() -> None:
    assert hot([5, 5, 5], HeatPolicy(percentile=0.7)) == [0, 1]


def test_without_any_time_the_first_units_are_hot() -> None:
    assert hot([0] * 12) == list(range(10))


def test_the_ends_of_the_share() -> None:
    assert hot([5, 5], HeatPolicy(percentile=1.0)) == [0, 1]
    assert hot([5, 5], HeatPolicy(percentile=0.0)) == [0]
    assert hot([]) == []


@pytest.mark.parametrize("limits", [{"percentile": -0.1}, {"percentile": 1.01}, {"percentile": float("nan")}])
def test_shares_out_of_range_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be from 0 to 1") as caught:
        HeatPolicy(**limits)  # type: ignore[arg-type]
    assert caught.value.slug == "heat-limits"


@pytest.mark.parametrize("limits", [{"min_limit": -1}, {"min_limit": 11}, {"min_limit": 2, "max_limit": 1}])
def test_limits_out_of_range_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError) as caught:
        HeatPolicy(**limits)
    assert caught.value.slug == "heat-limits"
