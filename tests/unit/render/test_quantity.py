"""Measured quantities in words: units, digits, and intervals that are not there."""

import math

import pytest

from sonde.evidence import Interval
from sonde.render.quantity import (
    Scale,
    change_text,
    format_percent,
    p_value_text,
    quantity_text,
    ratio_text,
    scale_for,
)
from sonde.report import Estimated, Quantity


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("s", 0.0, "0 s"),
        ("s", 3e-9, "3.00 ns"),
        ("s", 0.0004567, "457 us"),
        ("s", 59.94, "59.9 s"),
        ("s", 299.0, "299 s"),
        ("s", 300.0, "5.00 min"),
        ("B", 512.0, "512 B"),
        ("B", 3 * 2**20, "3.00 MiB"),
        ("1", 9999.0, "9,999"),
        ("1", 1_234_567.0, "1.23 M"),
        ("ops/s", 42.0, "42.0 ops/s"),
        ("ops/s", 2.5e9, "2.50 G ops/s"),
        ("us/op", 0.5, "0.500 us/op"),
    ],
)
def test_a_value_is_written_in_the_unit_in_which_it_is_at_least_one(unit: str, value: float, text: str) -> None:
    assert quantity_text(Quantity(value, unit)) == text


def test_alternatives_share_the_unit_of_the_smallest() -> None:
    assert scale_for("s", [0.9, 1.2]).unit == "ms"
    assert quantity_text(Quantity(1.2, "s", least=0.9)) == "1,200 ms"


def test_what_would_begin_with_zeros_has_a_unit_of_its_own() -> None:
    assert quantity_text(Quantity(0.0029, "s", least=1.0)) == "2.90 ms"


def test_a_value_that_rounds_up_to_one_digit_more_keeps_three_digits() -> None:
    assert Scale(1.0, "s").number(9.996) == "10.0"
    assert Scale(1.0, "s").number(99.96) == "100"


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (41.234, 41.021, 41.447, "41.23 ms [41.02, 41.45]"),
        (41.234, 30.0, 52.0, "41.2 ms [30.0, 52.0]"),
        (41.2345678, 41.2345677, 41.2345679, "41.23457 ms [41.23457, 41.23457]"),
    ],
)
def test_a_mean_has_as_many_decimals_as_its_interval_needs(value: float, low: float, high: float, text: str) -> None:
    assert Scale(1.0, "ms").told(Estimated(value, Interval(low, high, 0.95))) == text


def test_an_interval_that_was_withheld_is_not_written() -> None:
    assert (Scale(1.0, "s").told(1.5), ratio_text(1.5), change_text(1.5)) == ("1.50 s", "1.500x", "+50.0%")


def test_infinite_ends_are_said_in_words() -> None:
    ratio = Estimated(1.5, Interval(-math.inf, math.inf, 0.95))
    assert ratio_text(ratio) == "1.500x [-infinite, +infinite]"
    assert change_text(ratio) == "+50.0% [-infinite, +infinite]"


def test_a_ratio_that_is_no_number_is_a_dash() -> None:
    assert (ratio_text(math.nan), change_text(math.nan)) == ("-", "")


def test_ratios_far_from_one_are_not_told_in_percent() -> None:
    assert change_text(Estimated(12.0, Interval(11.0, 13.0, 0.95))) == ""
    assert change_text(Estimated(0.05, Interval(0.04, 0.06, 0.95))) == ""


def test_narrow_intervals_of_ratios_get_more_decimals() -> None:
    assert ratio_text(Estimated(1.00052, Interval(1.00048, 1.00056, 0.95))) == "1.00052x [1.00048, 1.00056]"


def test_a_change_that_rounds_to_nothing_has_no_sign() -> None:
    assert change_text(Estimated(0.9999, Interval(0.98, 1.02, 0.95))) == "0.0% [-2.0%, +2.0%]"


def test_numbers_that_nobody_would_count_have_an_exponent() -> None:
    assert Scale(1.0, "").number(5e15) == "5e+15"


def test_axis_ends_can_be_told_apart() -> None:
    scale = Scale(1e6, "M")
    decimals = scale.decimals_between(123_456_789.0, 123_457_229.0)
    assert scale.number(123_456_789.0, decimals) != scale.number(123_457_229.0, decimals)


def test_small_shares_and_p_values_keep_their_digits() -> None:
    assert format_percent(math.nan) == "-"
    assert format_percent(0.5) == "50%"
    assert p_value_text(0.0009) == "< 0.001"
    assert p_value_text(0.049) == "0.049"
