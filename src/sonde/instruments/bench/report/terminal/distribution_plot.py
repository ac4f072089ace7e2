"""A histogram lying on its side, with mean, median and interval beside their bins."""

from sonde.instruments.bench.judging import Summary
from sonde.instruments.bench.report import Bins, Scale, bin_count, bins_of
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_MOST_BINS = 16
_WIDEST_BAR = 60


def print_distribution(page: Page, summary: Summary, scale: Scale) -> None:
    """Plot how many invocations had which value; all of them are in it, outliers too."""
    values = summary.sample.values
    if not len(values):
        page.line("  not one invocation ended well")
        return
    bins = bins_of(values, bin_count(values, _MOST_BINS))
    decimals = scale.decimals_between(bins.low, bins.low + 2.0 * bins.width)
    labels = [scale.number(bins.low + i * bins.width, decimals) for i in range(len(bins.counts))]
    label = max(map(len, labels))
    count_width = len(f"{bins.counts.max():,}")
    marks = [_marks(summary, bins, i) for i in range(len(bins.counts))]
    room = page.width - label - count_width - 8 - max(map(len, marks))
    longest = max(8, min(room, _WIDEST_BAR))
    page.line(page.paint(f"{scale.unit:>{label}}", "dim"))
    for text, count, mark in zip(labels, bins.counts.tolist(), marks, strict=True):
        # One value is always seen.
        bar = "█" * (max(1, round(count / int(bins.counts.max()) * longest)) if count else 0)
        page.line(f"{page.paint(text.rjust(label), 'dim')} │{bar:<{longest}}  {count or '':>{count_width}}  {mark}")
    note = "at the left, where each bin begins; ● mean, │ its interval, ○ median"
    say(page, note, "dim", indent=" " * min(label + 2, 12))


def _marks(summary: Summary, bins: Bins, number: int) -> str:
    """What lies in a bin besides values."""
    mean = summary.mean
    if mean is None:
        return ""
    mark = " "
    if mean.interval is not None and bins.place(mean.interval.low) <= number <= bins.place(mean.interval.high):
        mark = "│"
    if bins.place(mean.value) == number:
        mark = "●"
    is_median = summary.median is not None and bins.place(summary.median.value) == number
    return f"{mark}{' ○' if is_median else ''}".rstrip()
