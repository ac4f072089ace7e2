"""A judgement on a terminal: series, comparisons, groups, doubts, and how all of it was computed."""

from collections.abc import Mapping, Sequence
from typing import TextIO

from sonde.base.fitted_text import keep_end, keep_start, printable
from sonde.base.units import counted, format_count
from sonde.instruments.bench.judging import Comparison, Judgement, Summary
from sonde.instruments.bench.report import Scale, all_samples, common_scale, metric_text, series_names
from sonde.instruments.bench.report.terminal.comparison_block import print_comparisons
from sonde.instruments.bench.report.terminal.comparison_table import print_comparison_table
from sonde.instruments.bench.report.terminal.density_strip import axis_of_values
from sonde.instruments.bench.report.terminal.group_tables import print_group
from sonde.instruments.bench.report.terminal.interval_line import Axis
from sonde.instruments.bench.report.terminal.plots import PlotKind, print_plots
from sonde.instruments.bench.report.terminal.series_block import INDENT, print_series
from sonde.instruments.bench.report.terminal.series_table import print_series_table
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_WIDEST_STRIP = 64
"""Columns of a drawn distribution; more would show single values."""

_MOST_UNMATCHED = 5
"""Benchmarks without a partner that are told one by one."""


_LONGEST_SENTENCE = 400
"""Letters; `--json` has the method whole."""


_BLOCKS = 8
"""Up to so many series and comparisons are printed one by one; more become a table."""


def print_judgement(
    judgement: Judgement,
    stream: TextIO,
    *,
    rows: int = 40,
    plots: Sequence[PlotKind] = (),
    show_same: bool = False,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print all that can be said of a set of measurements, and what cannot.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        rows: lines of a table of many benchmarks, about.
        plots: what to draw besides.
        show_same: whether to list in a table what is the same, too, instead of counting it.
        width, colour: override what the stream and the environment say.
    Cost: O(n log n) for n comparisons.
    """
    page = Page(stream, width=width, colour=colour)
    scales = common_scale(all_samples(judgement))
    _print_head(page, judgement)
    if len(judgement.summaries) <= _BLOCKS:
        _print_series(page, judgement.summaries, scales)
    elif not judgement.comparisons:
        print_series_table(page, judgement.summaries, scales, rows=rows)
    for kind in plots:
        print_plots(judgement, kind, stream, width=width, colour=colour)
    _print_comparisons(page, judgement, scales, rows=rows, show_same=show_same)
    _print_groups(page, judgement, scales)
    _print_doubts(page, judgement)
    _print_method(page, judgement)


def _print_head(page: Page, judgement: Judgement) -> None:
    samples = all_samples(judgement)
    benchmarks = {sample.series.benchmark for sample in samples}
    metrics = list(dict.fromkeys(metric_text(sample) for sample in samples))
    parts = [
        counted(len(benchmarks), "benchmark"),
        counted(len(samples), "series", "series"),
        ", ".join(metrics[:3]) + (", ..." if len(metrics) > 3 else ""),
        f"{100.0 * judgement.policy.level:g}% intervals",
    ]
    sides = ("first: ", "second: ") if len(judgement.provenances) == 2 else ("",) * len(judgement.provenances)
    for side, provenance in zip(sides, judgement.provenances, strict=True):
        told = [printable(part) for part in (provenance.file, provenance.tool, provenance.measured_at) if part]
        if told:
            page.flow([f"{side}{keep_end(told[0], page.width - len(side))}", *told[1:]], "dim")
    page.flow([part for part in parts if part], "dim")


def _print_series(page: Page, summaries: Sequence[Summary], scales: Mapping[int, Scale]) -> None:
    samples = [summary.sample for summary in summaries]
    axes = _axes(summaries, min(_WIDEST_STRIP, page.width - len(INDENT) - len("  1,000 beyond")))
    for summary, name in zip(summaries, series_names(samples), strict=True):
        page.line()
        sample = summary.sample
        print_series(page, name, summary, scales[id(sample)], axes[id(sample)])


def _axes(summaries: Sequence[Summary], width: int) -> dict[int, Axis]:
    """One axis for the series of a benchmark, or one each where that would show each as a single column."""
    by_benchmark: dict[tuple[str, str], list[Summary]] = {}
    for summary in summaries:
        key = (summary.sample.series.benchmark, summary.sample.metric.unit)
        by_benchmark.setdefault(key, []).append(summary)
    axes = {id(summary.sample): Axis(0.0, 0.0, width) for summary in summaries}
    for group in by_benchmark.values():
        alone = {id(one.sample): _axis([one], width) for one in group if len(one.sample.values)}
        if not alone:
            continue
        shared = _axis([one for one in group if len(one.sample.values)], width)
        span = shared.high - shared.low
        is_clear = all(4.0 * (axis.high - axis.low) >= span / len(alone) for axis in alone.values())
        axes.update(dict.fromkeys(alone, shared) if is_clear else alone)
    return axes


def _axis(summaries: Sequence[Summary], width: int) -> Axis:
    means = [summary.mean for summary in summaries]
    intervals = [mean.interval for mean in means if mean is not None and mean.interval is not None]
    return axis_of_values([summary.sample.values for summary in summaries], width, intervals)


def _print_comparisons(
    page: Page, judgement: Judgement, scales: Mapping[int, Scale], *, rows: int, show_same: bool
) -> None:
    comparisons = judgement.comparisons
    if not comparisons:
        return
    if len(comparisons) <= _BLOCKS:
        print_comparisons(page, comparisons, _names(judgement), judgement.policy)
    else:
        print_comparison_table(
            page,
            comparisons,
            {id(comparison): _row_name(comparison, comparisons) for comparison in comparisons},
            scales,
            judgement.policy,
            rows=rows,
            show_same=show_same,
        )
    if len(comparisons) > 1:
        page.line()
        _print_counts(page, judgement)


def _names(judgement: Judgement) -> list[tuple[str, str]]:
    """What to call both sides of each comparison.

    Where two files were compared, the head of the page says which is first and which second; their paths would leave no
    room for the benchmarks.
    """
    comparisons = judgement.comparisons
    is_of_files = len(judgement.provenances) == 2
    one_benchmark = len({comparison.benchmark for comparison in comparisons}) == 1
    names = []
    for comparison in comparisons:
        first, second = printable(comparison.first_name), printable(comparison.second_name)
        benchmark = printable(comparison.benchmark)
        if is_of_files:
            names.append(("first", f"{benchmark}: second"))
        else:
            names.append((first, second if one_benchmark and first != second else f"{benchmark} · {second}"))
    return names


def _row_name(comparison: Comparison, comparisons: Sequence[Comparison]) -> str:
    """The benchmark, with both sides where they are not the same for all rows."""
    first = comparisons[0]
    name = printable(comparison.benchmark)
    if len({one.second_name for one in comparisons}) > 1:
        name = f"{name} · {printable(comparison.second_name)}"
    if comparison.first_name != first.first_name or len({one.first_name for one in comparisons}) > 1:
        name = f"{name} against {printable(comparison.first_name)}"
    return name


def _print_counts(page: Page, judgement: Judgement) -> None:
    counts = judgement.counts()
    regressions = sum(comparison.is_regression for comparison in judgement.comparisons)
    parts = [f"{counted(len(judgement.comparisons), 'comparison')}: {format_count(counts['worse'])} worse"]
    if regressions != counts["worse"]:
        parts[0] += f" ({format_count(regressions)} beyond the tolerance)"
    parts += [
        f"{format_count(counts['better'])} better",
        f"{format_count(counts['same'])} the same",
        f"{format_count(counts['unclear'])} cannot be said",
    ]
    if judgement.geometric_mean is not None:
        parts.append(f"geometric mean of ratios {judgement.geometric_mean:.3f}x")
    page.flow(parts, "bold", between=", ")


def _print_groups(page: Page, judgement: Judgement, scales: Mapping[int, Scale]) -> None:
    if len(judgement.groups) > _BLOCKS:
        page.line()
        say(
            page,
            f"{format_count(len(judgement.groups))} benchmarks have three alternatives and more: their analyses of"
            " variance are in --json and in the HTML page",
            "dim",
        )
        return
    units = {sample.series.benchmark: scales[id(sample)] for sample in all_samples(judgement)}
    for group in judgement.groups:
        print_group(page, group, units.get(group.benchmark, Scale(1.0, "")), with_name=len(judgement.groups) > 1)


def _print_doubts(page: Page, judgement: Judgement) -> None:
    if judgement.doubts or judgement.unmatched:
        page.line()
    for text in judgement.unmatched[:_MOST_UNMATCHED]:
        say(page, f"! not compared: {text}", "yellow")
    if len(judgement.unmatched) > _MOST_UNMATCHED:
        say(page, f"! {format_count(len(judgement.unmatched) - _MOST_UNMATCHED)} more were not compared", "yellow")
    for doubt in dict.fromkeys(judgement.doubts):
        say(page, f"! {doubt.slug}: {doubt.text}", "yellow")
        if doubt.hint:
            say(page, f"hint: {doubt.hint}", "dim", indent=INDENT)


def _print_method(page: Page, judgement: Judgement) -> None:
    if judgement.method:
        page.line()
        sentences = (keep_start(sentence, _LONGEST_SENTENCE) for sentence in judgement.method)
        say(page, f"method: {' '.join(sentences)}", "dim")
