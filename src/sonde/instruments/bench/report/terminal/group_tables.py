"""Three and more alternatives at once, on a terminal: analyses of variance, and which pairs differ."""

import math

from sonde.base.fitted_text import display_width, keep_both_ends, keep_start, printable
from sonde.base.units import format_count
from sonde.instruments.bench.judging import GroupComparison
from sonde.instruments.bench.report import Scale, failed_in_words, format_p_value, format_percent
from sonde.instruments.bench.report.terminal.interval_line import Axis, draw_interval
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, print_table, right_aligned, table_width
from sonde.stats import AnovaRow, AnovaTable, Assumption, PairwiseDifference

INDENT = "  "

_WIDEST_SOURCE = 28
_LEAST_LINE, _WIDEST_LINE = 12, 40
_MOST_PAIRS = 45
"""Pairs that are printed, those of ten alternatives; the rest is in `--json`."""


def print_group(page: Page, group: GroupComparison, scale: Scale, *, with_name: bool) -> None:
    """Print what can be said of all alternatives of a benchmark together.

    Args:
        scale: the unit of the benchmark.
        with_name: whether the page has other groups.
    """
    name = printable(group.benchmark) if with_name else ""
    page.heading("all alternatives", name, f"{len(group.alternatives)} of them")
    if group.withheld:
        say(page, f"no analysis of variance: {group.withheld}", "yellow", indent=INDENT)
        return
    if group.variance is not None:
        _print_anova(page, group.variance)
    if group.factors is not None:
        page.line()
        _print_anova(page, group.factors)
    if group.pairs:
        _print_pairs(page, group.pairs, scale)


def _print_anova(page: Page, table: AnovaTable) -> None:
    say(page, table.method, "dim")
    header = ("source", "sum of squares", "df", "mean square", "F", "p")
    print_table(page, header, [_anova_cells(row) for row in table.rows], left=(0,))
    if table.within is not None and table.between is not None:
        say(
            page,
            f"coefficient of variation: {format_percent(table.within)} within alternatives,"
            f" {format_percent(table.between)} between them",
        )
    _print_failed(page, table.assumptions)


def _anova_cells(row: AnovaRow) -> tuple[str, ...]:
    return (
        keep_start(printable(row.source), _WIDEST_SOURCE),
        "-" if row.sum_of_squares is None else f"{row.sum_of_squares:.4g}",
        f"{row.degrees_of_freedom:.4g}",
        "-" if row.mean_square is None else f"{row.mean_square:.4g}",
        "" if row.f is None else f"{row.f:.4g}",
        "" if row.p_value is None else format_p_value(row.p_value).removeprefix("p ").removeprefix("= "),
    )


def _print_pairs(page: Page, pairs: tuple[PairwiseDifference, ...], scale: Scale) -> None:
    page.line()
    say(page, f"differences of means, {pairs[0].method}", "dim")
    shown = pairs[:_MOST_PAIRS]
    rows = [_pair_cells(pair, scale) for pair in shown]
    header = ("difference", "interval", "p")
    widths = column_widths([header, *rows])
    room = page.width - table_width(widths)
    column = max(display_width(_label(pair, room)) for pair in shown)
    if column > room - _LEAST_LINE - len(GAP):
        column = max(room - _LEAST_LINE - len(GAP), room * 2 // 3)
    axis = _axis(shown, min(room - column - len(GAP), _WIDEST_LINE))
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "pair")), "dim"))
    for pair, row in zip(shown, rows, strict=True):
        is_different = pair.interval is not None and 0.0 not in pair.interval
        name = _label(pair, column)
        drawn = ""
        if axis is not None and pair.interval is not None:
            drawn = draw_interval(axis, pair.difference, pair.interval.low, pair.interval.high, mark=0.0)
        cells = GAP.join(right_aligned(row, widths))
        gap = " " * (column - display_width(name))
        line = f"{cells}{GAP}{page.paint(name, *(('bold',) if is_different else ()))}{gap}{GAP}{drawn}"
        page.line(line)
    if len(pairs) > len(shown):
        page.line(page.paint(f"… {format_count(len(pairs) - len(shown))} more pairs", "dim"))
    for why in dict.fromkeys(pair.withheld for pair in pairs if pair.withheld):
        say(page, f"! no interval: {why}", "yellow")
    _print_failed(page, pairs[0].assumptions)


def _label(pair: PairwiseDifference, width: int) -> str:
    """`second - first`, both cut evenly where they do not fit."""
    first, second = printable(pair.first), printable(pair.second)
    room = width - len(" - ")
    if display_width(first) + display_width(second) > room:
        first, second = keep_both_ends(first, room // 2), keep_both_ends(second, room // 2)
    return f"{second} - {first}"


def _pair_cells(pair: PairwiseDifference, scale: Scale) -> tuple[str, str, str]:
    decimals = scale.decimals_for(pair.difference, pair.interval)
    interval = "-" if pair.interval is None else scale.interval(pair.interval, decimals)
    p = "-" if math.isnan(pair.p_value) else format_p_value(pair.p_value).removeprefix("p ").removeprefix("= ")
    return scale.text(pair.difference, decimals), interval, p


def _axis(pairs: tuple[PairwiseDifference, ...], width: int) -> Axis | None:
    ends = [end for pair in pairs if pair.interval is not None for end in (pair.interval.low, pair.interval.high)]
    if width < _LEAST_LINE or not ends:
        return None
    return Axis(min(0.0, *ends), max(0.0, *ends), width)


def _print_failed(page: Page, assumptions: tuple[Assumption, ...]) -> None:
    for assumption in assumptions:
        if assumption.failed:
            say(page, f"! {failed_in_words(assumption)}", "yellow")
