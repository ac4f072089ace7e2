"""Numbers and values as Java writes them; the expected ones were printed by Java 25."""

import math

import pytest

from sonde.instruments.decisions.profdiff.java_text import quotient, two_places, value_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0.00"),
        (0.005, "0.01"),
        (0.015, "0.02"),
        (1.005, "1.01"),
        (0.125, "0.13"),
        (0.285 * 100, "28.50"),
        (2.675, "2.68"),
        (99.995, "100.00"),
        (0.004999999999999999, "0.00"),
        (1 / 3 * 100, "33.33"),
        (1e22, "10000000000000000000000.00"),
        (4.9e-324, "0.00"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
    ],
)
def test_two_places_round_the_shortest_decimal_half_up(value: float, expected: str) -> None:
    assert two_places(value) == expected


def test_numbers_are_set_to_the_right() -> None:
    assert [two_places(value, 5) for value in (1.0, 12.5, 100.0, math.nan)] == [" 1.00", "12.50", "100.00", "  NaN"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-7, "-7"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (9.99e-4, "9.99E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (123456789.0, "1.23456789E8"),
        (1e16, "1.0E16"),
        (-math.inf, "-Infinity"),
        ("NaN", "NaN"),
        ("Phi", "Phi"),
    ],
)
def test_values_are_as_java_writes_them(value: str | float | None, expected: str) -> None:
    assert value_text(value) == expected


def test_dividing_by_zero_is_no_error() -> None:
    assert quotient(1, 0) == math.inf and quotient(-1, 0) == -math.inf and math.isnan(quotient(0, 0))
