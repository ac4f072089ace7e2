"""Many comparisons on a terminal: what got worse first, worst first; what is the same is counted."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sonde.base.fitted_text import display_width, keep_both_ends, pad, printable
from sonde.base.units import format_count
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import Comparison, Sample
from sonde.instruments.bench.report import Ranked, Scale, ranked, ratio_parts
from sonde.instruments.bench.report.terminal.comparison_block import verdict_mark, verdict_styles
from sonde.instruments.bench.report.terminal.interval_line import Axis, axis_of_ratios, draw_ratio
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

_LEAST_SHOWN = 5
"""Rows that a verdict gets even where a worse one has taken all of them."""

_LEAST_NAME, _LEAST_LINE, _WIDEST_LINE = 20, 16, 40
"""Columns for names, and for drawn intervals: these only where names have enough."""

_REASONS = 3
"""Different reasons for withheld intervals that are told; `--json` has all."""


def print_comparison_table(
    page: Page,
    comparisons: Sequence[Comparison],
    names: Mapping[int, str],
    scales: Mapping[int, Scale],
    policy: Policy,
    *,
    rows: int,
    show_same: bool,
) -> None:
    """Print a table for each verdict, the worst first.

    Args:
        names: what to call each comparison, by its `id`.
        scales: the units of samples, by their `id`.
        rows: about how many to print; every verdict gets a few.
        show_same: whether to list what is the same, too.
    """
    groups = ranked(comparisons)
    left = rows
    for group in groups:
        if group.verdict == "same" and not show_same:
            _print_heading(page, group, policy)
            continue
        room = max(left, _LEAST_SHOWN)
        shown = group.comparisons[:room]
        left -= len(shown)
        _print_heading(page, group, policy)
        _print_rows(page, shown, names, scales)
        if len(group.comparisons) > len(shown):
            page.line(page.paint(f"… {format_count(len(group.comparisons) - len(shown))} more", "dim"))
        _print_reasons(page, group)


def _print_heading(page: Page, group: Ranked, policy: Policy) -> None:
    count = len(group.comparisons)
    regressions = sum(comparison.is_regression for comparison in group.comparisons)
    note = ""
    if group.verdict == "worse":
        title = "worse"
        if policy.tolerance:
            note = f"{format_count(regressions)} by more than the tolerance of {100.0 * policy.tolerance:g}%"
    elif group.verdict == "same":
        title, note = "same", f"no difference beyond {100.0 * policy.equivalent:g}%"
    elif group.verdict == "better":
        title = "better"
    else:
        title, note = "cannot say", "neither a difference nor that there is none"
    page.line()
    head = page.paint(f"{title}: {format_count(count)}", "bold", *verdict_styles(group.verdict))
    page.line(f"{head}  {page.paint(note, 'dim')}" if note else head)


def _print_rows(
    page: Page, comparisons: Sequence[Comparison], names: Mapping[int, str], scales: Mapping[int, Scale]
) -> None:
    with_needed = any(comparison.needed for comparison in comparisons)
    header = ("", "ratio", "interval", *_sides(comparisons), *(("needed",) if with_needed else ()))
    rows: list[tuple[str, ...]] = []
    for comparison in comparisons:
        ratio, interval = ("-", "-") if comparison.ratio is None else ratio_parts(comparison.ratio)
        sides = (_mean(comparison.first, scales), _mean(comparison.second, scales))
        needed = (format_count(comparison.needed) if comparison.needed else "",) if with_needed else ()
        rows.append((verdict_mark(comparison), ratio, interval or "-", *sides, *needed))
    if page.width - table_width(column_widths([header, *rows])) < _LEAST_NAME:  # the ratio says it, too
        header, rows = _without_sides(header), [_without_sides(row) for row in rows]
    widths = column_widths([header, *rows])
    room = page.width - table_width(widths)
    labels = [names[id(comparison)] for comparison in comparisons]
    column = min(max(*map(display_width, labels), len("benchmark")), room)
    axis = _line_axis(comparisons, room - column - len(GAP))
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "benchmark")), "dim"))
    for comparison, label, row in zip(comparisons, labels, rows, strict=True):
        styles = verdict_styles(comparison.verdict)
        cells = right_aligned(row, widths)
        painted = (page.paint(cells[0], *styles), page.paint(cells[1], *styles), *cells[2:])
        name = pad(keep_both_ends(label, column), column)
        drawn = draw_ratio(axis, comparison.ratio) if axis is not None and comparison.ratio is not None else ""
        page.line(GAP.join((*painted, name, page.paint(drawn, *styles))).rstrip())


def _without_sides(cells: tuple[str, ...]) -> tuple[str, ...]:
    return (*cells[:3], *cells[5:])


def _sides(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """What to write over the two means: the names, where all comparisons have the same short ones."""
    names = {(comparison.first_name, comparison.second_name) for comparison in comparisons}
    if len(names) == 1:
        first, second = next(iter(names))
        if first != second and max(len(first), len(second)) <= 10:
            return printable(first), printable(second)
    return "first", "second"


def _mean(sample: Sample, scales: Mapping[int, Scale]) -> str:
    return scales[id(sample)].text(float(sample.values.mean())) if len(sample.values) else "-"


def _line_axis(comparisons: Sequence[Comparison], room: int) -> Axis | None:
    if room < _LEAST_LINE:
        return None
    return axis_of_ratios([c.ratio for c in comparisons if c.ratio is not None], min(room, _WIDEST_LINE))


def _print_reasons(page: Page, group: Ranked) -> None:
    """Why some have no interval."""
    reasons = Counter(
        comparison.why for comparison in group.comparisons if comparison.ratio is None or comparison.ratio.withheld
    )
    for reason, count in reasons.most_common(_REASONS):
        say(page, f"! {format_count(count)} without an interval: {printable(reason)}", "yellow")
    if len(reasons) > _REASONS:
        rest = sum(count for _, count in reasons.most_common()[_REASONS:])
        say(page, f"! {format_count(rest)} without an interval for other reasons", "yellow")
