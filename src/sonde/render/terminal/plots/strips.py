"""How samples are spread, each in one line of blocks of eight heights, with its mean and its interval below."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start, pad, printable
from sonde.render.quantity import scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.axis import Axis, draw_interval, end_texts, ends_of
from sonde.render.terminal.plots.bins import bin_count, bins_of, within_reach
from sonde.report import Estimated, Plot, Sample

_BLOCKS = " ▁▂▃▄▅▆▇█"

_WIDEST_STRIP, _LEAST_STRIP = 64, 32
"""Columns: more would show single values; where there are fewer beside the names, these have lines of their own."""

_WIDEST_BIN = 6
"""Columns."""

_MORE_BINS = 1.5
"""Times as many bins as a histogram would have: they are read from their neighbours, too."""

_FENCE = 3.0
"""Interquartile ranges from the quartiles, beyond which a value does not stretch the axis: Tukey's outer fence."""

_BEYOND = len("  1,000 beyond")


def draw(page: Page, _plot: Plot, samples: Sequence[Sample]) -> None:
    """Print two lines for each sample: how many values lie where, and the interval of the mean."""
    names = [printable(sample.name) for sample in samples]
    column = max(map(display_width, names)) + 2
    is_beside = page.width - column - _BEYOND >= _LEAST_STRIP
    indent = " " * (column if is_beside else 2)
    axes = _axes(samples, max(min(_WIDEST_STRIP, page.width - len(indent) - _BEYOND), 1))
    for name, sample, axis in zip(names, samples, axes, strict=True):
        more = beyond(sample.values, axis)
        strip = f"{density_strip(sample.values, axis)}{f'  {more}' if more else ''}"
        if is_beside:
            page.line(f"{pad(name, column)}{strip}")
        else:
            page.line(keep_start(name, page.width))
            page.line(keep_start(f"{indent}{strip}", page.width))
        page.line(f"{indent}{_mean_line(page, sample, axis)}")


def _mean_line(page: Page, sample: Sample, axis: Axis) -> str:
    """The interval of the mean; the ends of the axis are written where it leaves room for them."""
    low, high = end_texts(axis, scale_for(sample.unit, [axis.high if sample.least is None else sample.least]))
    drawn = " " * axis.width
    if sample.mean is not None:
        start, value, end = ends_of(sample.mean)
        drawn = draw_interval(axis, value, start, end)
    has_room = display_width(low) + display_width(high) + 2 <= axis.width
    if has_room and not drawn[: len(low) + 1].strip():
        drawn = f"{page.paint(low, 'dim')}{drawn[len(low) :]}"
    if has_room and not drawn[-len(high) - 1 :].strip():
        drawn = f"{drawn[: len(drawn) - len(high)]}{page.paint(high, 'dim')}"
    return drawn


def _axes(samples: Sequence[Sample], width: int) -> list[Axis]:
    """One axis for the samples of a group, or one each where that would show each as a single column."""
    groups: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        groups.setdefault((sample.group, sample.unit), []).append(sample)
    axes: dict[int, Axis] = {}
    for group in groups.values():
        alone = {id(sample): axis_of([sample], width) for sample in group}
        shared = axis_of(group, width)
        span = shared.high - shared.low
        is_clear = all(4.0 * (axis.high - axis.low) >= span / len(alone) for axis in alone.values())
        axes.update(dict.fromkeys(alone, shared) if is_clear else alone)
    return [axes[id(sample)] for sample in samples]


def axis_of(samples: Sequence[Sample], width: int) -> Axis:
    """An axis on which samples can be compared; severe outliers do not stretch it, and are counted at its ends.

    Intervals of means stretch it, but to no more than three times the span of the values.
    """
    limits = [within_reach(sample.values, _FENCE) for sample in samples]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    intervals = [sample.mean for sample in samples if isinstance(sample.mean, Estimated)]
    lowest = min((interval.low for interval in intervals), default=low)
    highest = max((interval.high for interval in intervals), default=high)
    start = min(low, max(lowest, low - (high - low)))
    if start < 0.0 <= low:  # no time is negative, whatever an interval says
        start = 0.0
    return Axis(start, max(high, min(highest, high + (high - low))), width)


def density_strip(values: Sequence[float], axis: Axis) -> str:
    """Draw how many values lie where; the fullest bin has the highest block, and one value is always seen.

    >>> density_strip([0.0, 1.0, 1.0, 4.0], Axis(0.0, 4.0, 5))
    '▄█  ▄'
    """
    within = [value for value in values if axis.low <= value <= axis.high]
    if not within:
        return " " * axis.width
    if not axis.high > axis.low:
        return (" " * axis.column(axis.low) + _BLOCKS[-1]).ljust(axis.width)
    columns = _columns_of_a_bin(within, axis)
    counts = bins_of(within, -(-axis.width // columns), axis.low, axis.high).counts
    most = max(counts)
    return "".join(_BLOCKS[-(-count * (len(_BLOCKS) - 1) // most)] * columns for count in counts)[: axis.width]


def _columns_of_a_bin(values: Sequence[float], axis: Axis) -> int:
    """Columns that stand together: where there are few values, single columns would show nothing but gaps."""
    across = axis.width * (max(values) - min(values)) / (axis.high - axis.low)
    return max(1, min(_WIDEST_BIN, int(across / (_MORE_BINS * bin_count(values, axis.width)))))


def beyond(values: Sequence[float], axis: Axis) -> str:
    """How many values the axis does not show, in a word or two; empty for none.

    >>> beyond([0.0, 9.0], Axis(0.0, 4.0, 5))
    '1 above'
    """
    below, above = sum(value < axis.low for value in values), sum(value > axis.high for value in values)
    if not below and not above:
        return ""
    return f"{below + above:,} {'beyond' if below and above else 'below' if below else 'above'}"
