"""Measured quantities as people read them: one unit for all that is compared, as many digits as are known."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sonde.evidence import Interval
from sonde.report import Estimated, Quantity

_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "B": ((float(1 << 30), "GiB"), (float(1 << 20), "MiB"), (float(1 << 10), "KiB"), (1.0, "B")),
}
"""Unit -> larger and smaller ones of the same kind, the largest first."""

_COUNT_STEPS = ((1e9, "G"), (1e6, "M"), (1e4, "k"))
"""From where counts, and what is not known here, are shortened. Between 1,000 and 10,000 all digits are as short."""

_LEAST_MINUTES_S = 300.0
"""Below this, seconds are easier to compare than minutes."""

_DIGITS = 3
"""Significant digits of a number about whose precision nothing is known."""

_MOST_DIGITS = 7
"""Significant digits of a number, however narrow its interval is: nobody compares more by eye."""

_MOST_DECIMALS = 9

_MOST_RATIO_DECIMALS = 5

_TOO_LONG = 1e9
"""From here on numbers are written with an exponent: nobody counts their commas."""

_TOO_SMALL = 1e-5
"""Below, too: they would be mostly zeros."""

_FAR = 10.0
"""Beyond this ratio, or below its inverse, nobody thinks in percent."""

_ENDS = 3.0
"""The last decimal of an interval is at most this fraction, 1/3, of its half-width: `[1.012, 1.028]`."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit in which a quantity is written.

    >>> Scale(1e-3, "ms").text(0.0123)
    '12.3 ms'
    """

    size: float
    """How much of the measured unit is one of this."""
    unit: str
    """Empty for plain counts."""

    def text(self, value: float, decimals: int | None = None) -> str:
        """A value with its unit, to three significant digits where no number of decimals is given."""
        number = self.number(value, decimals)
        return f"{number} {self.unit}" if self.unit else number

    def number(self, value: float, decimals: int | None = None) -> str:
        """The same without its unit.

        >>> Scale(1e-3, "ms").number(0.0123, 3)
        '12.300'
        """
        scaled = value / self.size
        if not math.isfinite(scaled):
            return "-" if math.isnan(scaled) else f"{scaled:+f}".replace("inf", "infinite")
        if abs(scaled) >= _TOO_LONG or 0.0 < abs(scaled) < _TOO_SMALL:
            return f"{scaled:.4g}"
        return f"{scaled:,.{digits_after_point(scaled) if decimals is None else decimals}f}"

    def decimals_for(self, value: float | Estimated) -> int:
        """How many decimals a value needs, so that its interval can be told from it, and no more.

        >>> Scale(1.0, "s").decimals_for(Estimated(1.0234, Interval(1.0154, 1.0314, 0.95)))
        3
        """
        amount, half = (value.amount, _half_width(value)) if isinstance(value, Estimated) else (value, 0.0)
        scaled, half = amount / self.size, half / self.size
        decimals = digits_after_point(scaled)
        if half > 0.0:
            decimals = max(decimals, math.ceil(-math.log10(half / _ENDS)))
        return max(0, min(decimals, digits_after_point(scaled, _MOST_DIGITS), _MOST_DECIMALS))

    def decimals_between(self, low: float, high: float) -> int:
        """How many decimals the ends of an axis need, so that they, and what lies between, can be told apart.

        >>> Scale(1.0, "s").decimals_between(41.07, 41.23)
        2
        """
        if not low < high:
            return digits_after_point(low / self.size)
        widest = max(low, high, key=abs)
        return self.decimals_for(Estimated(widest, Interval(low, high, 0.95)))

    def told(self, value: float | Estimated) -> str:
        """A value, with its interval where there is one.

        >>> Scale(1.0, "s").told(Estimated(1.0234, Interval(1.0154, 1.0314, 0.95)))
        '1.023 s [1.015, 1.031]'
        """
        decimals = self.decimals_for(value)
        if not isinstance(value, Estimated):
            return self.text(value, decimals)
        ends = f"[{self.number(value.low, decimals)}, {self.number(value.high, decimals)}]"
        return f"{self.text(value.amount, decimals)} {ends}"


def quantity_text(quantity: Quantity) -> str:
    """A quantity in the unit that fits the least of those it is compared with; finer where it would begin with zeros.

    >>> quantity_text(Quantity(0.5, "s", 0.0123)), quantity_text(Quantity(0.0123, "s", 1.0))
    ('500 ms', '12.3 ms')
    """
    least = quantity.amount if quantity.least is None else quantity.least
    scale = scale_for(quantity.unit, [least])
    if quantity.amount and abs(quantity.amount) < 0.1 * scale.size:
        scale = scale_for(quantity.unit, [quantity.amount])
    return scale.told(quantity.value)


def scale_for(unit: str, values: Iterable[float]) -> Scale:
    """The unit in which all of these are best read: in which the smallest of them is at least 1, where there is one.

    Args:
        unit: as measured: `s`, `B`, `1`, or what another tool says, which stays as it is.
        values: what is to be written in it; zeros and what is not finite do not count.

    >>> scale_for("s", [0.0123, 0.5]).unit
    'ms'
    >>> scale_for("ops/s", [2.5e6]).text(2.5e6)
    '2.50 M ops/s'
    """
    least = min((abs(value) for value in values if value and math.isfinite(value)), default=0.0)
    steps = _STEPS.get(unit)
    if steps is not None:
        if not least:
            return Scale(1.0, unit)
        for size, name in steps:
            if least >= (_LEAST_MINUTES_S if name == "min" else size):
                return Scale(size, name)
        return Scale(*steps[-1])
    name = "" if unit == "1" else unit
    for size, letter in _COUNT_STEPS:
        if least >= size:
            return Scale(1e3 if letter == "k" else size, f"{letter} {name}".rstrip())
    return Scale(1.0, name)


def digits_after_point(value: float, digits: int = _DIGITS) -> int:
    """Decimals that a number needs for so many significant digits.

    >>> digits_after_point(41.23), digits_after_point(0.0123), digits_after_point(12345.0)
    (1, 4, 0)
    """
    if not value or not math.isfinite(value):
        return 0
    magnitude = math.floor(math.log10(abs(value)))
    # 9.996 is written 10.0: rounding may add a digit before the point.
    if round(abs(value), digits - 1 - magnitude) >= 10.0 ** (magnitude + 1):
        magnitude += 1
    return max(0, digits - 1 - magnitude)


def ratio_text(ratio: float | Estimated, times: str = "x") -> str:
    """How many times as much, to a per mill, with its interval where there is one.

    >>> ratio_text(Estimated(1.0231, Interval(1.0112, 1.0349, 0.95))), ratio_text(41.0), ratio_text(math.nan)
    ('1.023x [1.011, 1.035]', '41.00x', '-')
    """
    amount = ratio.amount if isinstance(ratio, Estimated) else ratio
    if math.isnan(amount):
        return "-"
    scale, decimals = Scale(1.0, ""), _ratio_decimals(ratio)
    value = f"{scale.number(amount, decimals)}{times}"
    if not isinstance(ratio, Estimated):
        return value
    return f"{value} [{scale.number(ratio.low, decimals)}, {scale.number(ratio.high, decimals)}]"


def change_text(ratio: float | Estimated) -> str:
    """The change that a ratio is, in percent, with its interval; empty for a ratio far from 1.

    >>> change_text(Estimated(1.0231, Interval(1.0112, 1.0349, 0.95)))
    '+2.3% [+1.1%, +3.5%]'
    """
    amount = ratio.amount if isinstance(ratio, Estimated) else ratio
    if not 1.0 / _FAR < amount < _FAR:
        return ""
    decimals = max(0, _ratio_decimals(ratio) - 2)
    text = format_bound_percent(amount - 1.0, decimals)
    if not isinstance(ratio, Estimated):
        return text
    return f"{text} [{', '.join(format_bound_percent(end - 1.0, decimals) for end in (ratio.low, ratio.high))}]"


def format_bound_percent(share: float, decimals: int) -> str:
    """A signed percentage; ends of intervals may be infinite.

    >>> format_bound_percent(0.0231, 1), format_bound_percent(float("inf"), 1), format_bound_percent(-0.00001, 1)
    ('+2.3%', '+infinite', '0.0%')
    """
    if not math.isfinite(share):
        return "+infinite" if share > 0 else "-infinite"
    text = f"{100.0 * share:+,.{decimals}f}%"
    return text if any(digit in text for digit in "123456789") else text.lstrip("+-")


def format_percent(share: float) -> str:
    """A share in percent, to two significant digits below 10 %.

    >>> [format_percent(share) for share in (0.000123, 0.0123, 0.123, 1.23)]
    ['0.012%', '1.2%', '12%', '123%']
    """
    if not math.isfinite(share):
        return "-"
    percent = 100.0 * share
    return f"{percent:,.{min(digits_after_point(percent, 2), 4)}f}%"


def p_value_text(p: float) -> str:
    """A p-value as papers print it.

    >>> p_value_text(0.0123), p_value_text(1e-9), p_value_text(math.nan)
    ('0.012', '< 0.001', '-')
    """
    if math.isnan(p):
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _ratio_decimals(ratio: float | Estimated) -> int:
    """Per mill, as changes of a percent are what is looked for; fewer for large ratios, more for narrow intervals."""
    amount, half = (ratio.amount, _half_width(ratio)) if isinstance(ratio, Estimated) else (ratio, 0.0)
    usual = 3 if abs(amount) < 10.0 else 2 if abs(amount) < 100.0 else 1
    return max(usual, min(math.ceil(-math.log10(half)), _MOST_RATIO_DECIMALS)) if half > 0.0 else usual


def _half_width(interval: Estimated) -> float:
    """0 where it is not finite."""
    half = (interval.high - interval.low) / 2.0
    return half if math.isfinite(half) else 0.0
