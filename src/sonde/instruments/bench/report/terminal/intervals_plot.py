"""Intervals of all alternatives of a benchmark on one axis."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_both_ends, keep_start, pad
from sonde.instruments.bench.judging import Summary
from sonde.instruments.bench.report import Scale, series_names
from sonde.instruments.bench.report.terminal.interval_line import Axis, draw_interval
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.stats import Estimate

_LEAST_LINE, _WIDEST_LINE = 16, 80
_LEAST_NAME = 10
_MARGIN = 0.02


def print_intervals(page: Page, summaries: Sequence[Summary], scales: Sequence[Scale]) -> None:
    """Plot the interval of the mean of each alternative; a dot alone where it was withheld.

    Args:
        summaries: of one benchmark and metric.
        scales: the unit of each, which are different only where the means are very far apart.
    """
    means = [summary.mean for summary in summaries]
    told = [mean for mean in means if mean is not None]
    if not told:
        page.line("  not one invocation ended well")
        return
    names = series_names([summary.sample for summary in summaries])
    texts = ["-" if mean is None else scale.estimate(mean) for mean, scale in zip(means, scales, strict=True)]
    widest_text = page.width - _LEAST_NAME - _LEAST_LINE - 4
    texts = [keep_start(text, widest_text) for text in texts]
    text_width = max(map(display_width, texts))
    column = min(max(map(display_width, names)), max(_LEAST_NAME, page.width - text_width - _LEAST_LINE - 4))
    width = max(_LEAST_LINE, min(page.width - column - text_width - 4, _WIDEST_LINE))
    axis = _axis(told, width)
    for name, text, mean in zip(names, texts, means, strict=True):
        drawn = "" if mean is None else _drawn(mean, axis)
        page.line(f"{pad(keep_both_ends(name, column), column)}  {pad(text, text_width)}  {drawn}")
    page.line(
        page.paint(f"{' ' * (column + text_width + 4)}{_ends(axis, max(scales, key=lambda one: one.size))}", "dim")
    )
    for why in sorted({mean.withheld for mean in told if mean.withheld}):
        say(page, f"● without an interval: {why}", "dim")


def _ends(axis: Axis, scale: Scale) -> str:
    decimals = scale.decimals_between(axis.low, axis.high)
    low, high = scale.number(axis.low, decimals), scale.text(axis.high, decimals)
    room = axis.width - display_width(high)
    return f"{low if display_width(low) < room else '':<{max(room, 0)}}{high}"


def _axis(means: Sequence[Estimate], width: int) -> Axis:
    ends = [mean.value for mean in means]
    for mean in means:
        if mean.interval is not None:
            ends.extend((mean.interval.low, mean.interval.high))
    margin = (max(ends) - min(ends)) * _MARGIN
    return Axis(min(ends) - margin, max(ends) + margin, width)


def _drawn(mean: Estimate, axis: Axis) -> str:
    if mean.interval is None:
        return draw_interval(axis, mean.value, mean.value, mean.value)
    return draw_interval(axis, mean.value, mean.interval.low, mean.interval.high)
