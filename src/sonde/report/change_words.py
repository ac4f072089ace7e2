"""What changed, as headlines say it."""

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.base.units import format_duration, short_count
from sonde.code import Function
from sonde.evidence import Interval
from sonde.report.cells import Unit

_WIDEST_NAME = 40
"""Columns of a name in a headline."""


def short_name(function: Function | str) -> str:
    """A function's name, as headlines have room for it."""
    return keep_both_ends(printable(function if isinstance(function, str) else function.label), _WIDEST_NAME)


def amount_text(amount: float, unit: Unit, *, is_signed: bool = False) -> str:
    """An amount as a headline has it.

    >>> amount_text(-1.2e8, "duration", is_signed=True), amount_text(1200, "count"), amount_text(0.08, "points")
    ('−120 ms', '1,200', '8.0 points')
    """
    sign = "−" if amount < 0 else "+" if is_signed and amount else ""
    amount = abs(amount)
    if unit == "duration":
        return f"{sign}{format_duration(round(amount))}"
    if unit in ("share", "points"):
        return f"{sign}{100.0 * amount:.1f} points"
    return f"{sign}{short_count(round(amount))}"


def times_text(before: float, after: float, interval: Interval | None = None) -> str:
    """How many times as much the larger side is as the smaller one; empty where one of them is 0.

    Args:
        interval: of `after / before`.

    >>> times_text(2.0, 1.0, Interval(0.4, 0.625, 0.95)), times_text(1.0, 1.5)
    ('2 times [1.6, 2.5]', '1.5 times')
    """
    if before <= 0.0 or after <= 0.0:
        return ""
    words = f"{max(after / before, before / after):.3g} times"
    if interval is None:
        return words
    low, high = interval.low, interval.high
    if after < before:
        low, high = (1.0 / end if end > 0.0 else float("inf") for end in (high, low))
    return f"{words} [{low:.3g}, {high:.3g}]"


def total_change(before: float, after: float) -> str:
    """By how much a total changed, to stand behind what changed most; empty where there was none before.

    >>> total_change(100, 108), total_change(1000, 999), total_change(100_000, 100_001)
    ('; total +8%', '; total −0.1%', '; total as before')
    """
    if before <= 0.0:
        return ""
    percent = 100.0 * (after - before) / before
    if abs(percent) < 0.05:
        return "; total as before"
    sign = "−" if percent < 0 else "+"
    percent = abs(percent)
    return f"; total {sign}{percent:,.0f}%" if percent >= 1.0 else f"; total {sign}{percent:.1f}%"
