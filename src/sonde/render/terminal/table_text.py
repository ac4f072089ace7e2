"""The one layout of tables and trees on a terminal: amounts to the right, names and places in the room that is left.

Where it is narrow, counts are rounded, then the columns with the highest priorities go, then places are cut, then
names. A row whose place is short lends the room to its name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.fitted_text import display_width, keep_end, keep_start, pad, printable
from sonde.base.units import counted
from sonde.render.cell_text import cell_text, fitted_cell, is_left_aligned, strip
from sonde.render.terminal.outline import continued, outline
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.report import Bins, Cell, Column, Row, Table, Tone, weight_of

GAP = "  "

NARROW = 100
"""Below this width counts are rounded, `12.3M`, and guides are thin, to leave room for names."""

_NAMES_WANTED = 30
"""Columns that names and places should have: as long as they have fewer, columns of amounts go."""

_NAMES_NEEDED = 12
"""As long as they have fewer, even columns without a priority go, but for the first."""

_WIDEST_NAME_SHARE = 0.65
"""Of the room, for names that are followed by places."""

_LEAST_AFTER = 8
"""Columns below which what stands after a name is left out."""

_LEAST_NAME = 16
"""Columns that a name has at least: guides of very deep branches are cut on their left."""

_HOT, _WARM = 0.10, 0.02
"""Shares of the whole from which a cell is red, and yellow."""

_STYLES: dict[Tone, tuple[str, ...]] = {
    "": (),
    "strong": ("bold",),
    "faint": ("dim",),
    "bad": ("red",),
    "good": ("green",),
    "new": ("red",),
    "gone": ("green",),
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A row with the guide before its name, and its amounts as they are written."""

    guide: str
    row: Row
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns are shown, and how wide."""

    table: Table
    fixed: tuple[int, ...]
    named: tuple[int, ...]
    widths: dict[int, int]
    """Of fixed columns."""
    bins_each: int
    room: int
    """For the named columns together."""
    name_width: int
    """Of the first of them, where others follow."""


def print_table(page: Page, table: Table) -> None:
    """Print a table under its title.

    Cost: O(n) for the n rows that are printed, and those below them.
    """
    if table.title:
        page.heading(table.title, *table.notes)
    if not table.rows:
        page.line(page.paint("nothing", "dim"))
    else:
        _print_rows(page, table)
    if table.legend:
        say(page, table.legend, "dim")


def _print_rows(page: Page, table: Table) -> None:
    shown = table.rows[: table.most] if table.most else table.rows
    is_narrow = page.width < NARROW
    drawn = (
        list(outline(shown, lambda row: row.below, is_narrow=is_narrow))
        if any(row.below for row in shown)
        else [("", row) for row in shown]
    )
    lines = [_Line(guide, row, _texts(table, row, is_narrow=is_narrow)) for guide, row in drawn]
    layout = _laid_out(table, lines, page.width)
    if any(table.columns[at].title for at in (*layout.fixed, *layout.named)):
        page.line(page.paint(_header(layout), "dim"))
    for line in lines:
        _print_line(page, layout, line)
    left = len(table.rows) - len(shown) + table.left_out
    if left > 0:
        page.line(page.paint(keep_start(f"… {counted(left, f'more {table.noun}')}", page.width), "dim"))


def _texts(table: Table, row: Row, *, is_narrow: bool) -> tuple[str, ...]:
    """Each cell in full, marks before the first name."""
    cells = zip(row.cells, table.columns, strict=True)
    texts = [cell_text(cell, column, is_narrow=is_narrow) for cell, column in cells]
    if row.mark:
        first = next((at for at, column in enumerate(table.columns) if is_left_aligned(column)), 0)
        texts[first] = f"{printable(row.mark)} {texts[first]}"
    return tuple(texts)


def _laid_out(table: Table, lines: Sequence[_Line], width: int) -> _Layout:
    columns = table.columns
    shown = [
        at for at, column in enumerate(columns) if column.shown != "data" and any(line.texts[at] for line in lines)
    ]
    named = [at for at in shown if is_left_aligned(columns[at])]
    fixed = [at for at in shown if at not in named]
    widths = {at: min(_natural_width(columns[at], [line.texts[at] for line in lines]), width) for at in shown}
    if named:
        widths[named[0]] = max(display_width(line.guide) + display_width(line.texts[named[0]]) for line in lines)
    strips = [at for at in fixed if columns[at].unit == "bins"]
    bins = max((len(_bins(line.row.cells[at])) for at in strips for line in lines), default=0)
    bins_each = 1
    names_wanted = min(sum(widths[at] for at in named) + len(GAP) * (len(named) - 1), _NAMES_WANTED)
    while (room := width - sum(widths[at] + len(GAP) for at in fixed)) < names_wanted:
        if -(-bins // bins_each) > _LEAST_AFTER:
            bins_each += 1
            widths |= dict.fromkeys(strips, -(-bins // bins_each))
            continue
        is_desperate = room < _NAMES_NEEDED
        going = max(fixed[is_desperate:], key=lambda at: (columns[at].priority, at), default=-1)
        if going < 0 or not (is_desperate or columns[going].priority):
            break
        fixed.remove(going)
    room = max(room, 0)
    follow = max((sum(display_width(line.texts[at]) + len(GAP) for at in named[1:]) for line in lines), default=0)
    name_width = room
    if named[1:]:
        name_width = min(widths[named[0]], max(int(room * _WIDEST_NAME_SHARE), room - follow))
    return _Layout(table, tuple(fixed), tuple(named), widths, bins_each, room, name_width)


def _natural_width(column: Column, texts: Sequence[str]) -> int:
    widest = max(map(display_width, texts))
    return widest if column.unit == "bins" else max(widest, display_width(column.title))


def _header(layout: _Layout) -> str:
    columns = layout.table.columns
    cells = []
    for at in layout.fixed:
        width = layout.widths[at]
        title = _scale(columns[at], width) if columns[at].unit == "bins" else columns[at].title
        cells.append(_to_the_right(keep_start(title, width), width))
    if layout.named:
        first, *others = layout.named
        names = [pad(keep_start(columns[first].title, layout.name_width), layout.name_width)]
        room = layout.room - layout.name_width - len(GAP)
        if room >= _LEAST_AFTER and others:
            titles = GAP.join(columns[at].title for at in others if columns[at].title)
            names.append(keep_start(titles, room))
        cells += names
    return GAP.join(cells).rstrip()


def _scale(column: Column, width: int) -> str:
    first, last = column.scale
    return first + last.rjust(width - len(first)) if len(first) + len(last) < width else " " * width


def _print_line(page: Page, layout: _Layout, line: _Line) -> None:
    guide = keep_end(line.guide, max(layout.room - _LEAST_NAME, 0))
    if line.row.led_to_by:
        blank = " " * sum(layout.widths[at] + len(GAP) for at in layout.fixed)
        text = keep_start(printable(line.row.led_to_by), layout.room - display_width(guide))
        page.line(blank + page.paint(guide + text, "dim"))
        guide = continued(guide)
    tone = _STYLES[line.row.tone]
    cells = [_fixed_cell(page, layout, line, at, tone) for at in layout.fixed]
    if layout.named:
        cells.append(_names(page, layout, line, guide, tone))
    page.line(GAP.join(cells))


def _fixed_cell(page: Page, layout: _Layout, line: _Line, at: int, tone: tuple[str, ...]) -> str:
    column, width = layout.table.columns[at], layout.widths[at]
    if column.unit == "bins":
        return page.paint(strip(_bins(line.row.cells[at]), layout.bins_each).ljust(width), "cyan")
    text = line.texts[at]
    styles = tone if tone == ("dim",) or column.is_signed else ()
    if column.is_hot and column.whole:
        styles = _heat(abs(weight_of(line.row.cells[at])) / column.whole) or styles
    return page.paint(_to_the_right(keep_start(text, width), width), *styles)


def _names(page: Page, layout: _Layout, line: _Line, guide: str, tone: tuple[str, ...]) -> str:
    first, *others = layout.named
    columns = layout.table.columns
    room = layout.room - display_width(guide)
    follow = sum(display_width(line.texts[at]) + len(GAP) for at in others if line.texts[at])
    width = max(layout.name_width - display_width(guide), room - follow, 0)
    if line.row.mark or isinstance(line.row.cells[first], str):
        name = keep_start(line.texts[first], width)
    else:
        name = fitted_cell(line.row.cells[first], columns[first], width)
    text = page.paint(guide, "dim") + page.paint(name, *tone)
    used = display_width(guide) + display_width(name)
    for number, at in enumerate(others):
        if not line.texts[at]:
            continue
        blanks = (max(layout.name_width - used, 0) if number == 0 else 0) + len(GAP)
        left = layout.room - used - blanks
        after = fitted_cell(line.row.cells[at], columns[at], left) if left >= _LEAST_AFTER else ""
        text += " " * blanks + page.paint(after, "dim")
        used += blanks + display_width(after)
    return text


def _to_the_right(text: str, width: int) -> str:
    return " " * (width - display_width(text)) + text


def _heat(share: float) -> tuple[str, ...]:
    if share >= _HOT:
        return ("red", "bold")
    return ("yellow",) if share >= _WARM else ()


def _bins(cell: Cell) -> Sequence[int]:
    return cell.counts if isinstance(cell, Bins) else ()
