"""Numbers and values as Java writes them."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

_TWO_PLACES = Decimal("0.01")
_EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
"""Digits enough for any double with two of them after the point."""
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7
"""Between these, `Double.toString` writes a double without an exponent."""


def two_places(value: float, width: int = 0) -> str:
    """A double with two digits after the point, as `%5.2f` and the like of `java.util.Formatter`.

    Java rounds the shortest decimal that reads back as the same double, and halves go up; C and Python round the
    double's exact value, half to even. So 1.005 is `1.01` here and `1.00` there.

    >>> two_places(1.005), two_places(0.125, 5), f"{1.005:.2f}", f"{0.125:5.2f}"
    ('1.01', ' 0.13', '1.00', ' 0.12')

    Guarantee: equals what Java 21 and newer print, for every double.
    Cost: O(digits).
    Source: java.util.Formatter's documentation of `f`, tried on Java 25 with 100,000 doubles.
    Differs: Java before 21 now and then writes more digits of doubles above 1e16.
    """
    if math.isfinite(value):
        text = format(_EXACT.quantize(Decimal(repr(value)), _TWO_PLACES), "f")
    else:
        text = _not_finite(value)
    return text.rjust(width)


def quotient(part: float, whole: float) -> float:
    """Divide as Java divides doubles: by zero, too.

    >>> quotient(1, 4), quotient(1, 0), quotient(0, 0)
    (0.25, inf, nan)
    """
    if whole:
        return part / whole
    return math.copysign(math.inf, part) if part else math.nan


def value_text(value: str | int | float | bool | None) -> str:
    """A value of a property as `String.valueOf` writes it.

    >>> [value_text(value) for value in (None, True, 3, 0.5, 1e-5, "Phi")]
    ['null', 'true', '3', '0.5', '1.0E-5', 'Phi']
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _double_text(value) if isinstance(value, float) else str(value)


def _double_text(value: float) -> str:
    if not math.isfinite(value):
        return _not_finite(value)
    if not value or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)  # it is finite
    figures = "".join(map(str, digits)).rstrip("0")
    return f"{'-' * sign}{figures[0]}.{figures[1:] or '0'}E{exponent + len(digits) - 1}"


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
