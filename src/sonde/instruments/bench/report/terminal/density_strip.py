"""How the values of a sample are spread, in one line of blocks of eight heights."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.report import bin_count, bins_of
from sonde.instruments.bench.report.terminal.interval_line import Axis
from sonde.stats import Interval

_BLOCKS = " ▁▂▃▄▅▆▇█"

_WIDEST_BIN = 6
"""Columns."""

_MORE_BINS = 1.5
"""Times as many bins as a histogram would have: they are read from their neighbours, too."""

_FENCE = 3.0
"""Interquartile ranges from the quartiles, beyond which a value does not stretch the axis: Tukey's outer fence."""


def axis_of_values(samples: Sequence[npt.NDArray[np.float64]], width: int, intervals: Sequence[Interval] = ()) -> Axis:
    """An axis on which samples can be compared; severe outliers do not stretch it, and are counted at its ends.

    Args:
        samples: none of them empty.
        intervals: they stretch it, but to no more than three times the span of the values.
    """
    lows, highs = [], []
    for values in samples:
        quarter, three_quarters = np.quantile(values, (0.25, 0.75))
        reach = _FENCE * (three_quarters - quarter) or np.inf
        within = values[(values >= quarter - reach) & (values <= three_quarters + reach)]
        lows.append(float(within.min()))
        highs.append(float(within.max()))
    low, high = min(lows), max(highs)
    lowest = min((interval.low for interval in intervals), default=low)
    highest = max((interval.high for interval in intervals), default=high)
    start = min(low, max(lowest, low - (high - low)))
    if start < 0.0 <= low:  # no time is negative, whatever an interval says
        start = 0.0
    return Axis(start, max(high, min(highest, high + (high - low))), width)


def density_strip(values: npt.NDArray[np.float64], axis: Axis) -> str:
    """Draw how many values lie where; the fullest bin has the highest block, and one value is always seen.

    >>> density_strip(np.array([0.0, 1.0, 1.0, 4.0]), Axis(0.0, 4.0, 5))
    '▄█  ▄'
    """
    within = values[(values >= axis.low) & (values <= axis.high)]
    if not len(within):
        return " " * axis.width
    if not axis.high > axis.low:
        return (" " * axis.column(axis.low) + _BLOCKS[-1]).ljust(axis.width)
    columns = _columns_of_a_bin(within, axis)
    counts = bins_of(within, -(-axis.width // columns), axis.low, axis.high).counts
    heights = np.ceil(counts / counts.max() * (len(_BLOCKS) - 1)).astype(int)
    return "".join(_BLOCKS[height] * columns for height in heights)[: axis.width]


def _columns_of_a_bin(values: npt.NDArray[np.float64], axis: Axis) -> int:
    """Columns that stand together: where there are few values, single columns would show nothing but gaps."""
    span = float(values.max() - values.min())
    across = axis.width * span / (axis.high - axis.low)
    return max(1, min(_WIDEST_BIN, int(across / (_MORE_BINS * bin_count(values, axis.width)))))


def beyond(values: npt.NDArray[np.float64], axis: Axis) -> str:
    """How many values the axis does not show, in a word or two; empty for none.

    >>> beyond(np.array([0.0, 9.0]), Axis(0.0, 4.0, 5))
    '1 above'
    """
    below, above = int((values < axis.low).sum()), int((values > axis.high).sum())
    if not below and not above:
        return ""
    return f"{below + above:,} {'beyond' if below and above else 'below' if below else 'above'}"
