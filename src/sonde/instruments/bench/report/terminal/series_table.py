"""Many series on a terminal, one line each: mean, interval, spread, size, and whether there is a doubt."""

from collections.abc import Mapping, Sequence

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_count
from sonde.instruments.bench.judging import Summary
from sonde.instruments.bench.report import Scale, format_percent, series_names
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

_LEAST_NAME = 16


def print_series_table(page: Page, summaries: Sequence[Summary], scales: Mapping[int, Scale], *, rows: int) -> None:
    """Print the first `rows` series, in the order of the measurements, and count the rest.

    A `!` marks series with failed invocations, assumptions or a withheld interval; below the table stands how many
    have which.
    """
    shown = summaries[:rows]
    names = series_names([summary.sample for summary in summaries])[:rows]
    header = ("", "mean", "interval", "spread", "n")
    cells = [_cells(summary, scales[id(summary.sample)]) for summary in shown]
    widths = column_widths([header, *cells])
    room = max(page.width - table_width(widths), _LEAST_NAME)
    page.line()
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "series")), "dim"))
    for name, row in zip(names, cells, strict=True):
        aligned = right_aligned(row, widths)
        page.line(GAP.join((page.paint(aligned[0], "yellow"), *aligned[1:], keep_both_ends(name, room))))
    if len(summaries) > len(shown):
        page.line(page.paint(f"… {format_count(len(summaries) - len(shown))} more", "dim"))
    for text, count in _doubts(summaries).items():
        say(page, f"! {format_count(count)} of {format_count(len(summaries))} series: {text}", "yellow")


def _cells(summary: Summary, scale: Scale) -> tuple[str, ...]:
    mean, n = summary.mean, format_count(len(summary.sample.values))
    mark = "!" if _doubts([summary]) else ""
    if mean is None:
        return mark, "-", "-", "-", n
    decimals = scale.decimals_for(mean.value, mean.interval)
    interval = "-" if mean.interval is None else scale.interval(mean.interval, decimals)
    spread = "-" if summary.deviation is None or not mean.value else format_percent(summary.deviation / abs(mean.value))
    return mark, scale.text(mean.value, decimals), interval, spread, n


def _doubts(summaries: Sequence[Summary]) -> dict[str, int]:
    """What speaks against series, and against how many."""
    found: dict[str, int] = {}
    for summary in summaries:
        told = [f"{assumption.name} does not hold" for assumption in summary.assumptions if assumption.failed]
        if summary.sample.failed:
            told.append("invocations failed")
        if summary.mean is not None and summary.mean.withheld:
            told.append(f"no interval: {summary.mean.withheld}")
        for text in told:
            found[text] = found.get(text, 0) + 1
    return found
