"""Intervals drawn on one axis: `├──●──┤`, against a mark where nothing would differ."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sonde.stats import Estimate

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
        return round((value - self.low) / span * (self.width - 1)) if span > 0.0 else (self.width - 1) // 2


def axis_of_ratios(ratios: Iterable[Estimate], width: int) -> Axis:
    """An axis of logarithms on which 1 is in sight and all intervals are, but for ends that are very far out."""
    ends = [0.0]
    for ratio in ratios:
        lows_and_highs = [ratio.value] if ratio.interval is None else [ratio.interval.low, ratio.interval.high]
        ends.extend(math.log(end) for end in lows_and_highs if 0.0 < end < math.inf)
    low, high = min(ends), max(ends)
    margin = (high - low) * _MARGIN or 0.01
    return Axis(low - margin, high + margin, width)


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


def draw_ratio(axis: Axis, ratio: Estimate) -> str:
    """Draw a ratio on an axis of logarithms, against 1; a dot alone where its interval was withheld."""
    if math.isnan(ratio.value):
        return " " * axis.width
    value = _log(ratio.value)
    if ratio.interval is None:
        return draw_interval(axis, value, value, value, mark=0.0)
    return draw_interval(axis, value, _log(ratio.interval.low), _log(ratio.interval.high), mark=0.0)


def _log(ratio: float) -> float:
    return math.log(ratio) if ratio > 0.0 else -math.inf
