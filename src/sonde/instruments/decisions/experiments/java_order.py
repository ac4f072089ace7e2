"""The order of texts and values in Java, which sorts by it: UTF-16 units, and values as Java writes them."""

from decimal import Decimal
from functools import lru_cache
from math import isfinite, isnan

from sonde.instruments.decisions.model import Value

_SURROGATES = 0xD800
"""Texts whose characters are all below have one unit for each: Python's order is Java's."""


@lru_cache(maxsize=1 << 14)
def utf16_key(text: str) -> str:
    r"""A text that sorts in Python as the given one sorts in Java.

    >>> sorted(["\uffee", "\U0001f600"], key=utf16_key) == ["\U0001f600", "\uffee"]
    True
    """
    if text.isascii() or all(ord(letter) < _SURROGATES for letter in text):
        return text
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(units[at] << 8 | units[at + 1]) for at in range(0, len(units), 2))


def value_text(value: Value) -> str:
    """A value of a property as Java writes it.

    >>> [value_text(each) for each in (None, True, 3, 0.5, 1e10, "x")]
    ['null', 'true', '3', '0.5', '1.0E10', 'x']
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _double_text(value)
    return str(value)


def _double_text(value: float) -> str:
    """As `Double.toString` has it: an exponent from 10**7 on and below 10**-3."""
    if not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    shortest = repr(value)
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return shortest
    exact = Decimal(shortest)
    digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0")
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{exact.adjusted()}"
