"""A histogram lying on its side, with mean, median and interval beside their bins."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start
from sonde.render.quantity import scale_for
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.axis import ends_of
from sonde.render.terminal.plots.bins import HistogramBins, bin_count, bins_of
from sonde.render.terminal.sentences import say
from sonde.report import Estimated, Plot, Sample

_MOST_BINS = 16
_WIDEST_BAR = 60


def draw(page: Page, plot: Plot, samples: Sequence[Sample]) -> None:
    """Plot how many values are where; all of them are in it, outliers too."""
    for sample in samples:
        _draw(page, sample)
    note = f"at the left, where each bin begins; ● mean, │ its interval, ○ median{plot.legend and '; '}{plot.legend}"
    say(page, note, "dim", indent="  ")


def _draw(page: Page, sample: Sample) -> None:
    bins = bins_of(sample.values, bin_count(sample.values, _MOST_BINS))
    scale = scale_for(sample.unit, [bins.low if sample.least is None else sample.least])
    decimals = scale.decimals_between(bins.low, bins.low + 2.0 * bins.width)
    labels = [scale.number(bins.low + i * bins.width, decimals) for i in range(len(bins.counts))]
    label = max(map(len, labels))
    most = max(bins.counts)
    count_width = len(f"{most:,}")
    marks = [_marks(sample, bins, i) for i in range(len(bins.counts))]
    longest = max(1, min(page.width - label - count_width - 8 - max(map(len, marks)), _WIDEST_BAR))
    page.line(page.paint(keep_start(f"{scale.unit:>{label}}", page.width), "dim"))
    for text, count, mark in zip(labels, bins.counts, marks, strict=True):
        # One value is always seen.
        bar = "█" * (max(1, round(count / most * longest)) if count else 0)
        line = f"{text.rjust(label)} │{bar:<{longest}}  {count or '':>{count_width}}  {mark}".rstrip()
        if display_width(line) > page.width:
            page.line(keep_start(line, page.width))
        else:
            page.line(page.paint(line[:label], "dim") + line[label:])


def _marks(sample: Sample, bins: HistogramBins, number: int) -> str:
    """What lies in a bin besides values."""
    if sample.mean is None:
        return ""
    mark = " "
    low, mean, high = ends_of(sample.mean)
    if isinstance(sample.mean, Estimated) and bins.place(low) <= number <= bins.place(high):
        mark = "│"
    if bins.place(mean) == number:
        mark = "●"
    is_median = sample.median is not None and bins.place(sample.median) == number
    return f"{mark}{' ○' if is_median else ''}".rstrip()
