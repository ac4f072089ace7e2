"""Intervals drawn on one axis: `├──●──┤`, against a mark where nothing would differ."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sonde.base.fitted_text import display_width
from sonde.render.quantity import Scale
from sonde.report import Axis as AxisKind
from sonde.report import Estimated

_MARGIN = 0.05
"""Share of an axis left free at either end."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers laid out over columns.

    >>> Axis(0.0, 10.0, 11).column(5.0)
    5
    """

    low: float
    high: float
    width: int
    """Columns."""

    def column(self, value: float) -> int:
        """Where a value stands; -1 left of the axis, `width` right of it."""
        if value < self.low:
            return -1
        if value > self.high:
            return self.width
        span = self.high - self.low
        return round((value - self.low) / span * (self.width - 1)) if 0.0 < span < math.inf else (self.width - 1) // 2

    def ends(self, scale: Scale) -> str:
        """What stands below it: its first value, and, to the right, its last one with the unit."""
        low, high = end_texts(self, scale)
        room = self.width - display_width(high)
        return f"{low if display_width(low) < room else '':<{max(room, 0)}}{high}"


def end_texts(axis: Axis, scale: Scale) -> tuple[str, str]:
    """The values at both ends, so that they can be told apart."""
    decimals = scale.decimals_between(axis.low, axis.high)
    return scale.number(axis.low, decimals), scale.text(axis.high, decimals)


def ends_of(value: float | Estimated) -> tuple[float, float, float]:
    """Low end, value and high end; three times the value where there is no interval."""
    return (value.low, value.amount, value.high) if isinstance(value, Estimated) else (value, value, value)


def axis_around(values: Iterable[float | Estimated], kind: AxisKind, width: int) -> Axis:
    """An axis on which 0 is in sight, or 1 if it is one of logarithms, and all intervals that are not very far out."""
    ends = [0.0]
    for value in values:
        ends.extend(end for end in map(_placed_by(kind), ends_of(value)) if math.isfinite(end))
    margin = (max(ends) - min(ends)) * _MARGIN or 0.01
    return Axis(min(ends) - margin, max(ends) + margin, width)


def draw_around(axis: Axis, value: float | Estimated, kind: AxisKind) -> str:
    """Draw an interval on an axis of `axis_around`, against 0 or 1."""
    low, amount, high = map(_placed_by(kind), ends_of(value))
    if math.isnan(amount):
        return ""
    return draw_interval(axis, amount, low, high, mark=0.0)


def draw_interval(axis: Axis, value: float, low: float, high: float, *, mark: float | None = None) -> str:
    """Draw one interval; ends that lie off the axis are arrows.

    Args:
        value: the estimate, a dot.
        low, high: of the interval; both the value where there is none.
        mark: a value at which a line stands behind the interval.

    >>> draw_interval(Axis(0.0, 10.0, 11), 5.0, 3.0, 7.0, mark=1.0)
    ' │ ├─●─┤   '
    """
    cells = [" "] * axis.width
    behind = axis.column(mark) if mark is not None else -1
    if 0 <= behind < axis.width:
        cells[behind] = "│"
    start, end, dot = axis.column(low), axis.column(high), axis.column(value)
    for column in range(max(start, 0), min(end, axis.width - 1) + 1):
        cells[column] = "┼" if column == behind else "─"
    if 0 <= start < axis.width and start != end:
        cells[start] = "├" if start != behind else "┼"
    if 0 <= end < axis.width and start != end:
        cells[end] = "┤" if end != behind else "┼"
    if 0 <= dot < axis.width:
        cells[dot] = "●"
    if start < 0:
        cells[0] = "<"
    if end >= axis.width:
        cells[-1] = ">"
    return "".join(cells)


def _placed_by(kind: AxisKind) -> Callable[[float], float]:
    return _log if kind == "log" else float


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0.0 else -math.inf if ratio <= 0.0 else math.nan
