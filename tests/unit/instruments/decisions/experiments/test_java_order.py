"""The order of texts and values in Java."""

import pytest

from sonde.instruments.decisions.experiments import utf16_key, value_text
from sonde.instruments.decisions.model import Value


def test_texts_sort_by_utf16_units() -> None:
    texts = ["\uffee", "\U0001f600", "z", "\ud800", "é", ""]
    assert sorted(texts, key=utf16_key) == ["", "z", "é", "\ud800", "\U0001f600", "\uffee"]
    assert sorted(texts) != sorted(texts, key=utf16_key)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-3, "-3"),
        ("x", "x"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.25e10, "1.25E10"),
        (1e23, "1.0E23"),
        (-1.5e-7, "-1.5E-7"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_values_are_written_as_java_writes_them(value: Value, text: str) -> None:
    assert value_text(value) == text
