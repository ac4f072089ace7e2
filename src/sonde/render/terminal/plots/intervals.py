"""Intervals of all samples on one axis."""

from collections.abc import Sequence
from math import isfinite

from sonde.base.fitted_text import display_width, keep_both_ends, keep_start, pad, printable
from sonde.render.quantity import quantity_text, scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.axis import Axis, draw_interval, ends_of
from sonde.render.terminal.sentences import say
from sonde.report import Plot, Quantity, Sample

_LEAST_LINE, _WIDEST_LINE = 12, 80
_LEAST_NAME = 10
_MARGIN = 0.02


def draw(page: Page, plot: Plot, samples: Sequence[Sample]) -> None:
    """Plot the interval of the mean of each sample; a dot alone where there is none."""
    told = [sample for sample in samples if sample.mean is not None]
    if not told:
        return
    names = [printable(sample.name) for sample in told]
    texts = [quantity_text(Quantity(s.mean, s.unit, s.least)) for s in told if s.mean is not None]
    widest = max(map(display_width, texts))
    text_width = min(widest, max(page.width - _LEAST_NAME - _LEAST_LINE - 4, 0))
    # Names have what the axis leaves; on the narrowest pages the numbers go.
    after = text_width + 2 if text_width >= min(widest, _LEAST_NAME) else 0
    column = min(max(map(display_width, names)), max(page.width - after - _LEAST_LINE - 2, 1))
    axis = _axis(told, max(min(page.width - column - after - 2, _WIDEST_LINE), 1))
    for name, text, sample in zip(names, texts, told, strict=True):
        low, mean, high = ends_of(sample.mean or 0.0)
        drawn = draw_interval(axis, mean, low, high)
        shown = f"{pad(keep_start(text, text_width), text_width)}  " if after else ""
        page.line(f"{pad(keep_both_ends(name, column), column)}  {shown}{drawn}")
    largest = max(sample.least or axis.high for sample in told)
    ends = axis.ends(scale_for(told[0].unit, [largest]))
    page.line(page.paint(keep_start(" " * (column + after + 2) + ends, page.width), "dim"))
    if plot.legend:
        say(page, plot.legend, "dim")


def _axis(samples: Sequence[Sample], width: int) -> Axis:
    ends = [end for sample in samples if sample.mean is not None for end in ends_of(sample.mean) if isfinite(end)] or [
        0.0
    ]
    margin = (max(ends) - min(ends)) * _MARGIN
    return Axis(min(ends) - margin, max(ends) + margin, width)
