"""Plots of a judgement on a terminal: run sequences, distributions, intervals."""

from collections.abc import Sequence
from typing import Literal, TextIO

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import format_count
from sonde.instruments.bench.judging import Judgement, Summary
from sonde.instruments.bench.report import common_scale, series_names
from sonde.instruments.bench.report.terminal.distribution_plot import print_distribution
from sonde.instruments.bench.report.terminal.intervals_plot import print_intervals
from sonde.instruments.bench.report.terminal.sequence_plot import print_sequence
from sonde.render.terminal.page import Page

PlotKind = Literal["sequence", "distribution", "intervals"]

PLOTS: tuple[PlotKind, ...] = ("sequence", "distribution", "intervals")
"""What `print_plots` draws."""


def print_plots(
    judgement: Judgement,
    kind: PlotKind,
    stream: TextIO,
    *,
    most: int = 12,
    invocation: int | None = None,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print one plot for each series, or for `intervals` one for each benchmark.

    Args:
        judgement: with summaries.
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        most: plots to print; the rest is counted.
        invocation: whose iterations `sequence` shows, from 0; a typical one when not given.
        width, colour: override what the stream and the environment say.
    """
    page = Page(stream, width=width, colour=colour)
    if not judgement.summaries:
        page.line()
        page.line(f"nothing to draw for {kind}: no series was summarised")
        return
    if kind == "intervals":
        _print_intervals(page, judgement.summaries, most)
        return
    summaries = judgement.summaries
    scales = common_scale([summary.sample for summary in summaries])
    names = series_names([summary.sample for summary in summaries])
    for summary, name in list(zip(summaries, names, strict=True))[:most]:
        page.heading(keep_start(name, page.width - len(summary.sample.metric.name) - 2), summary.sample.metric.name)
        scale = scales[id(summary.sample)]
        if kind == "sequence":
            print_sequence(page, summary, scale, invocation=invocation)
        else:
            print_distribution(page, summary, scale)
    _print_rest(page, len(summaries) - most, "series")


def _print_intervals(page: Page, summaries: Sequence[Summary], most: int) -> None:
    by_benchmark: dict[tuple[str, str], list[Summary]] = {}
    for summary in summaries:
        key = (summary.sample.series.benchmark, summary.sample.metric.name)
        by_benchmark.setdefault(key, []).append(summary)
    for (benchmark, metric), group in list(by_benchmark.items())[:most]:
        name = printable(benchmark) or "means"
        page.heading(keep_start(name, page.width - len(metric) - 2), printable(metric))
        scales = common_scale([summary.sample for summary in group])
        print_intervals(page, group, [scales[id(summary.sample)] for summary in group])
    _print_rest(page, len(by_benchmark) - most, "benchmarks")


def _print_rest(page: Page, count: int, what: str) -> None:
    if count > 0:
        page.line()
        page.line(page.paint(f"… {format_count(count)} more {what}", "dim"))
