"""Two memory profiles compared on a terminal: what misses more, and what misses less."""

import io
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any, TextIO

from sonde.base.fitted_text import display_width, keep_end, keep_start, pad, printable
from sonde.base.units import format_count, short_count
from sonde.instruments.memory.profile.difference import MemoryChange, MemoryDifference
from sonde.instruments.memory.report import MemoryOptions, level_of_order, rate_text, reaching
from sonde.instruments.memory.report.terminal.miss_table import print_rest
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, print_table, right_aligned, table_width

_LEAST_PLACE = 10
"""Columns below which a place is left out."""

_MOST_PERCENT = 999
"""A greater change is not told exactly: the counts are beside it."""

_LEGEND = (
    "changes: more or fewer accesses and misses after; rate: misses of the accesses that reached that cache, before and"
    " after; + only after, − only before"
)


def print_memory_difference(
    difference: MemoryDifference,
    stream: TextIO,
    options: MemoryOptions | None = None,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print what changed, the largest change first.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
    Raises:
        UsageError: `unknown-order`.
    """
    options = options or MemoryOptions()
    level = level_of_order(options.sort, difference.levels)
    page = Page(stream, width=width, colour=colour)
    _print_totals(page, difference)
    tables: tuple[tuple[str, str, Sequence[MemoryChange]], ...] = (
        ("Python function", "Python functions", difference.python_functions),
        ("Python line", "Python lines", difference.python_lines),
        ("native function", "native functions", difference.native_functions),
        ("native line", "native lines", () if difference.python_lines else difference.native_lines),
        ("type", "types and regions", difference.types),
    )
    if not any(changes for _, _, changes in tables):
        page.line()
        page.line("nothing else changed")
        return
    for noun, title, changes in tables:
        if changes:
            _print_changes(page, difference, title, noun, changes, level, options.rows)
    page.line()
    say(page, _LEGEND, "dim")


def memory_difference_page(
    difference: MemoryDifference, options: MemoryOptions | None = None, *, columns: int = 80
) -> str:
    """The page as a text of so many columns, without colours; see `print_memory_difference`."""
    text = io.StringIO()
    print_memory_difference(difference, text, options, width=columns, colour=False)
    return text.getvalue()


def memory_difference_data(difference: MemoryDifference) -> dict[str, Any]:
    """Everything that changed, for programs; misses are in the order of `levels`."""
    return asdict(difference)


def _print_totals(page: Page, difference: MemoryDifference) -> None:
    header = ("", "before", "after", "change", "rate", "after")
    rows = _total_rows(difference, format_count)
    if table_width(column_widths([header, *rows])) - len(GAP) > page.width:
        rows = _total_rows(difference, short_count)
    print_table(page, header, rows, left=(0,))


def _total_rows(difference: MemoryDifference, count: Callable[[int], str]) -> list[tuple[str, ...]]:
    before, after = difference.total.before, difference.total.after
    rows: list[tuple[str, ...]] = [
        ("accesses", count(before.accesses), count(after.accesses), _percent(before.accesses, after.accesses), "", "")
    ]
    for level, name in enumerate(difference.levels):
        old, new = before.misses[level], after.misses[level]
        rates = (rate_text(side.misses[level], reaching(side.accesses, side.misses, level)) for side in (before, after))
        rows.append((f"{name} misses", count(old), count(new), _percent(old, new), *rates))
    return rows


def _percent(before: int, after: int) -> str:
    """How much more there is after; `-` when there was nothing before."""
    if not before:
        return "-"
    change = 100 * (after - before) / before
    return f"{change:+.1f}%" if change < _MOST_PERCENT else f">{_MOST_PERCENT}%"


def _print_changes(
    page: Page,
    difference: MemoryDifference,
    title: str,
    noun: str,
    changes: Sequence[MemoryChange],
    level: int,
    rows: int,
) -> None:
    by = "accesses" if level < 0 else f"{difference.levels[level]} misses"
    page.heading(title, f"by change of {by}", f"{format_count(len(changes))} changed")
    shown = sorted(changes, key=lambda each: (-abs(_weight(each, level)), -abs(each.accesses)))[:rows]
    rated = level if level >= 0 else len(difference.levels) - 1
    header = ("accesses", *(f"{name} misses" for name in difference.levels), *_rate_header(difference, rated))
    cells = [
        (_signed(each.accesses), *map(_signed, each.misses), *_rate_cells(each, difference, rated)) for each in shown
    ]
    widths = column_widths([header, *cells])
    room = max(page.width - table_width(widths), 0)
    names = [_mark(each) + (printable(each.name) or "(no name)") for each in shown]
    has_places = any(_place(each) for each in shown)
    widest = room // 2 if has_places else room
    column = min(max(map(display_width, names)), widest)
    page.line(page.paint(GAP.join((*right_aligned(header, widths), keep_start(noun.split(" ")[-1], room))), "dim"))
    for each, row, name in zip(shown, cells, names, strict=True):
        aligned = right_aligned(row, widths)
        at = 0 if level < 0 else 1 + level
        weight = _weight(each, level)
        aligned[at] = page.paint(aligned[at], *(("red",) if weight > 0 else ("green",) if weight < 0 else ()))
        left = room - column - len(GAP)
        place = keep_end(_place(each), left) if left >= _LEAST_PLACE else ""
        page.line(GAP.join((*aligned, pad(keep_start(name, column), column), page.paint(place, "dim"))))
    print_rest(page, len(changes) - len(shown), noun)


def _weight(change: MemoryChange, level: int) -> int:
    return change.accesses if level < 0 else change.misses[level]


def _signed(count: int) -> str:
    if not count:
        return "0"
    return f"{'+' if count > 0 else '−'}{short_count(abs(count))}"


def _rate_header(difference: MemoryDifference, level: int) -> tuple[str, ...]:
    return (f"{difference.levels[level]} rate",) if difference.levels else ()


def _rate_cells(change: MemoryChange, difference: MemoryDifference, level: int) -> tuple[str, ...]:
    if not difference.levels:
        return ()
    rates = (
        rate_text(side.misses[level], reaching(side.accesses, side.misses, level))
        for side in (change.before, change.after)
    )
    return ("→".join(rates),)


def _mark(change: MemoryChange) -> str:
    if not change.before.accesses:
        return "+ "
    return "− " if not change.after.accesses else ""


def _place(change: MemoryChange) -> str:
    """`file:line` after, and the line before where it was another one."""
    if not change.file:
        return ""
    before, after = change.lines
    lines = f"{before}→{after}" if before and after and before != after else str(after or before or "")
    name = printable(PurePosixPath(change.file).name)
    return f"{name}:{lines}" if lines else name
