"""Ratios in words, with their intervals: `1.38 times [1.35, 1.41] faster`."""

import math
from dataclasses import dataclass

from sonde.evidence import Interval
from sonde.instruments.bench.measurements import Metric
from sonde.render.quantity import Scale, digits_after_point
from sonde.stats import Estimate

_NEAR = (0.8, 1.2)
"""Between these ratios people think in percent."""
_PLAIN = Scale(1.0, "")
_MOST_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class MetricWords:
    """What more and less of a metric are called."""

    less: str
    more: str
    least: str
    most: str
    as_much: str
    """Completes `b takes 0.99 to 1.02 times`."""


def words_of(metric: Metric) -> MetricWords:
    """The words for a metric: times are faster or slower where less is better.

    >>> words_of(Metric("wall", "s")).least
    'fastest'
    """
    if metric.better == "lower" and metric.unit == "s":
        return MetricWords("faster", "slower", "fastest", "slowest", "as long")
    if metric.better == "lower" and metric.unit == "B":
        return MetricWords("smaller", "larger", "smallest", "largest", "as much")
    return MetricWords("lower", "higher", "lowest", "highest", "as much")


def best_and_worst(metric: Metric) -> tuple[str, str]:
    """What the best alternative is called, and the worst.

    >>> best_and_worst(Metric("wall", "s"))
    ('fastest', 'slowest')
    """
    words = words_of(metric)
    return (words.least, words.most) if metric.better == "lower" else (words.most, words.least)


def change_with_interval(ratio: Estimate, metric: Metric) -> str:
    """How much better or worse, with the interval where there is one; empty for what is no ratio.

    >>> from sonde.evidence import Interval
    >>> ratio = Estimate("ratio of means", 0.725, Interval(0.709, 0.741, 0.95), (30, 30), "by hand")
    >>> change_with_interval(ratio, Metric("wall", "s"))
    '1.38 times [1.35, 1.41] faster'
    """
    value, words = ratio.value, words_of(metric)
    if not 0.0 < value < math.inf:
        return ""
    word = words.more if value > 1.0 else words.less
    ends = ratio.interval or Interval(value, value, 0.95)
    low, high = ends.low, ends.high
    if _NEAR[0] < value < _NEAR[1]:
        low, value, high = (100.0 * (end - 1.0) for end in (low, value, high))
        if value < 0.0:
            low, value, high = -high, -value, -low
        unit, decimals = "%", _decimals(low, high, 1)
    else:
        if value < 1.0:
            low, value, high = 1.0 / high, 1.0 / value, 1.0 / low if low > 0.0 else math.inf
        unit, decimals = "", _decimals(low, high, 2 if value < 10.0 else 1 if value < 100.0 else 0)
    if ratio.interval is None:
        decimals = max(decimals, digits_after_point(value))
    told = f"{_PLAIN.number(value, decimals)}{unit or ' times'}"
    if ratio.interval is not None:
        told = f"{told} [{', '.join(f'{_end(end, decimals)}{unit}' for end in (low, high))}]"
    return f"{told} {word}"


def share_of_other(ratio: Estimate, metric: Metric) -> str:
    """What a ratio may be: `0.99 to 1.02 times as long`; empty where it has no interval.

    >>> ratio = Estimate("ratio of means", 1.0, Interval(0.9888, 1.018, 0.95), (30, 30), "by hand")
    >>> share_of_other(ratio, Metric("wall", "s"))
    '0.99 to 1.02 times as long'
    """
    if ratio.interval is None:
        return ""
    low, high = ratio.interval.low, ratio.interval.high
    decimals = _decimals(low, high, 2)
    return f"{_end(low, decimals)} to {_end(high, decimals)} times {words_of(metric).as_much}"


def _decimals(low: float, high: float, least: int) -> int:
    """So many that the half-width has a digit."""
    half = (high - low) / 2.0
    if not 0.0 < half < math.inf:
        return least
    return min(max(least, math.ceil(-math.log10(half))), _MOST_DECIMALS)


def _end(value: float, decimals: int) -> str:
    return _PLAIN.number(value, decimals).removeprefix("+")
