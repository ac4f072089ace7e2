"""The one layout of tables and trees on a terminal: amounts to the right, names and places in the room that is left.

Where it is narrow, counts are rounded, places lose their folders, then the columns with the highest priorities go, then
places are cut, then names. A row whose place is short lends the room to its name. Where all names and texts fit, each
has a column of its own, and intervals are drawn in the room that is left. Texts without a title follow names at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sonde.base.fitted_text import display_width, keep_end, keep_start, pad, printable, to_the_right
from sonde.base.units import counted, format_count
from sonde.code import Function, Place
from sonde.render.cell_text import cell_text, fitted_cell, is_left_aligned, sentences_below, strip, title_text
from sonde.render.place_text import LEAST_PLACE, place_of
from sonde.render.terminal.outline import continued, outline
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots.axis import Axis, axis_around, draw_around
from sonde.render.terminal.sentences import broken, say
from sonde.report import (
    DISPENSABLE,
    Bins,
    Cell,
    Change,
    Column,
    Estimated,
    Named,
    Quantity,
    Row,
    Table,
    Tone,
    weight_of,
)

GAP = "  "

NARROW = 100
"""Below this width counts are rounded, `12.3M`, and guides are thin, to leave room for names. Tables that have no
names behind their amounts keep all digits as long as these fit."""

_SHARES_ALONE = 40
"""Below this width amounts are left out where their shares tell as much."""

_NAMES_WANTED = 22
"""Columns that names and places should have: as long as they have fewer, columns of amounts go."""

_NAMES_WELCOME = 40
"""As long as they have fewer and are cut, columns of priority `DISPENSABLE` go."""

_NAMES_NEEDED = 12
"""As long as they have fewer, even columns without a priority go, but for the first."""

_NAME_SHARE, _PLACE_SHARE = 0.55, 0.4
"""Of the room, for names that are followed by places, and for places that are followed by texts, where not all fit."""

_MOST_NAME_SHARE, _PLACE_WANTED = 0.65, 13
"""Names get a little more of the room as long as places keep so many columns: `…object.c:887`."""

_LEAST_AFTER = 8
"""Columns below which what stands after a name is left out, unless it is as short."""

_LEAST_FIRST, _LEAST_OTHER = 10, LEAST_PLACE + len(GAP)
"""Columns of a name, and of what stands after it with its gap: where there is room for both, neither goes."""

_LEAST_STRIP = 10
"""Columns of a distribution: before it gets narrower, columns of amounts go."""

_LEAST_NAME = 16
"""Columns that a name has at least: guides of very deep branches are cut on their left."""

_LEAST_LINE, _WIDEST_LINE = 12, 40
"""Columns for drawn intervals: fewer tell nothing, and more tell nothing more."""
_LEAST_SENTENCE = 24
"""Columns that sentences below a row have at least: else they begin at the left."""

_HOT, _WARM = 0.10, 0.02
"""Shares of the whole from which a cell is red, and yellow."""

_STYLES: dict[Tone, tuple[str, ...]] = {
    "": (),
    "strong": ("bold",),
    "faint": ("dim",),
    "notable": ("yellow",),
    "bad": ("red",),
    "good": ("green",),
    "new": ("red",),
    "gone": ("green",),
    "first": ("cyan",),
    "second": ("magenta",),
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
    lead: int | None
    """A column of names that stands before all others, since it is the table's first one."""
    fixed: tuple[int, ...]
    named: tuple[int, ...]
    widths: dict[int, int]
    """Of the first column and of fixed ones."""
    bins_each: int
    room: int
    """For the named columns together."""
    name_width: int
    """Of the first of them, where others follow."""
    after_widths: tuple[int, ...]
    """Of the others, where all of them fit; else they follow one another."""
    drawn: int = -1
    """The column whose intervals are drawn behind the names."""
    axis: Axis | None = None

    @property
    def before_names(self) -> int:
        """Columns of the terminal left of the names."""
        lead = () if self.lead is None else (self.lead,)
        return sum(self.widths[at] + len(GAP) for at in (*lead, *self.fixed))


def print_table(page: Page, table: Table) -> None:
    """Print a table under its title.

    A line of the legend that begins with the title of a column, and a colon, goes with the column.

    Cost: O(n) for the n rows that are printed, and those below them.
    """
    table = with_places(table)
    if table.title:
        page.heading(table.title, *table.notes)
    hidden: set[str] = set()
    if not table.rows:
        page.line(page.paint("nothing", "dim"))
    else:
        hidden = {each.title for each in table.columns} - _print_rows(page, table)
    for sentence in table.legend.splitlines():
        if sentence.partition(":")[0] not in hidden:
            say(page, sentence, "dim")


def with_places(table: Table) -> Table:
    """The rows that are printed, with the places of functions, where the table does not say them itself.

    Trees stay as they are: those that want places have a column of them.
    """
    shown = table.rows[: table.most] if table.most else table.rows
    names = [at for at, each in enumerate(table.columns) if each.unit == "name" and each.is_printed]
    if len(names) != 1 or any(each.unit == "place" for each in table.columns) or any(row.below for row in shown):
        return table
    functions = [_function_of(row.cells[names[0]]) for row in shown]
    if not any(function is not None and function.file for function in functions):
        return table
    rows = [
        replace(row, cells=(*row.cells, None if function is None else place_of(function)))
        for row, function in zip(shown, functions, strict=True)
    ]
    left_out = table.left_out + len(table.rows) - len(shown)
    columns = (*table.columns, Column("place of the function", "", "place"))
    return replace(table, columns=columns, rows=rows, most=0, left_out=left_out)


def _function_of(cell: Cell) -> Function | None:
    return cell if isinstance(cell, Function) else cell.function if isinstance(cell, Named) else None


def _print_rows(page: Page, table: Table) -> set[str]:
    """Returns: titles of the columns for which there was room."""
    shown = table.rows[: table.most] if table.most else table.rows
    is_narrow = page.width < NARROW
    if page.width < _SHARES_ALONE:
        is_share = [column.shown == "both" and bool(column.whole) for column in table.columns]
        columns = zip(table.columns, is_share, strict=True)
        table = replace(
            table, columns=tuple(replace(each, shown="share") if is_it else each for each, is_it in columns)
        )
    drawn = (
        list(outline(shown, lambda row: rows_below(row, table), is_narrow=is_narrow, is_indented=table.is_grouped))
        if any(row.below or row.left_out for row in shown)
        else [("", row) for row in shown]
    )
    lines = _lines(table, drawn, is_narrow=is_narrow)
    if is_narrow and not any(
        is_left_aligned(column) for column in table.columns[1:] if column.is_printed or column.shown == "below"
    ):
        whole = _lines(table, drawn, is_narrow=False)
        lines = whole if _fits(table, whole, page.width) else lines
    layout = _laid_out(table, lines, page.width)
    if layout.room < min(sum(layout.widths[at] for at in layout.named), _NAMES_NEEDED):
        # Amounts without their intervals leave more for names.
        lines = [replace(line, texts=tuple(text.partition(" [")[0].strip() for text in line.texts)) for line in lines]
        layout = _laid_out(table, lines, page.width)
    header = _header(layout)
    if header.strip():
        page.line(page.paint(printable(header), "dim"))
    for line in lines:
        _print_line(page, layout, line)
    left = len(table.rows) - len(shown) + table.left_out
    if left > 0:
        rest = f", {printable(table.rest)}" if table.rest else ""
        page.line(page.paint(keep_start(f"… {counted(left, f'more {table.noun}')}{rest}", page.width), "dim"))
    lead = () if layout.lead is None else (layout.lead,)
    return {table.columns[at].title for at in (*lead, *layout.fixed, *layout.named)}


def rows_below(row: Row, table: Table) -> tuple[Row, ...]:
    """The rows below a row, and one that counts those that were left out."""
    if not row.left_out:
        return row.below
    first = next((at for at, column in enumerate(table.columns) if is_left_aligned(column)), 0)
    text = f"… {format_count(row.left_out)} more below"
    return (*row.below, Row(tuple(text if at == first else None for at in range(len(row.cells))), tone="faint"))


def _texts(table: Table, row: Row, *, is_narrow: bool) -> tuple[str, ...]:
    """Each cell in full, marks before the first name."""
    cells = zip(row.cells, table.columns, strict=True)
    texts = [cell_text(cell, column, is_narrow=is_narrow) for cell, column in cells]
    if row.mark:
        first = next((at for at, column in enumerate(table.columns) if is_left_aligned(column)), 0)
        texts[first] = f"{printable(row.mark)} {texts[first]}"
    return tuple(texts)


def _lines(table: Table, drawn: Sequence[tuple[str, Row]], *, is_narrow: bool) -> list[_Line]:
    """The rows with their texts, intervals below one another."""
    texts = _aligned(table, drawn, [_texts(table, row, is_narrow=is_narrow) for _, row in drawn])
    return [_Line(guide, row, written) for (guide, row), written in zip(drawn, texts, strict=True)]


def _aligned(
    table: Table, drawn: Sequence[tuple[str, Row]], texts: Sequence[tuple[str, ...]]
) -> Sequence[tuple[str, ...]]:
    """Intervals stand below one another, and so do the amounts before them."""
    for at in range(len(table.columns)):
        if not any(_interval_of(row.cells[at]) is not None for _, row in drawn):
            continue
        parts = [written[at].partition(" [") for written in texts]
        before = max(display_width(amount) for amount, _, _ in parts)
        behind = max(display_width(mark + ends) for _, mark, ends in parts)
        told = [to_the_right(amount, before) + pad(mark + ends, behind) for amount, mark, ends in parts]
        cells = [text if text.strip() else "" for text in told]
        texts = [(*written[:at], cell, *written[at + 1 :]) for written, cell in zip(texts, cells, strict=True)]
    return texts


def _interval_of(cell: Cell) -> Estimated | None:
    value = cell.value if isinstance(cell, Quantity) else cell
    return value if isinstance(value, Estimated) else None


def _shown(table: Table, lines: Sequence[_Line]) -> list[int]:
    """Columns that have anything to show."""
    columns = enumerate(table.columns)
    return [at for at, each in columns if each.is_printed and any(line.texts[at] for line in lines)]


def _fits(table: Table, lines: Sequence[_Line], width: int) -> bool:
    """Whether there is room for a table without names behind its amounts."""
    shown = _shown(table, lines)
    if any(table.columns[at].unit == "bins" for at in shown):
        return False
    widths = [_natural_width(table.columns[at], [line.texts[at] for line in lines]) for at in shown]
    guide = max(display_width(line.guide) for line in lines)
    return guide + sum(widths) + len(GAP) * len(widths[1:]) <= width


def _laid_out(table: Table, lines: Sequence[_Line], width: int) -> _Layout:
    columns, shown = table.columns, _shown(table, lines)
    named = [at for at in shown if is_left_aligned(columns[at])]
    fixed = [at for at in shown if at not in named]
    widths = {at: min(_natural_width(columns[at], [line.texts[at] for line in lines]), width) for at in shown}
    if named:
        first = max(display_width(line.guide) + display_width(line.texts[named[0]]) for line in lines)
        has_titles = any(columns[at].title for at in named[1:])
        widths[named[0]] = max(first, display_width(columns[named[0]].title) if has_titles or len(named) == 1 else 0)
    lead = named.pop(0) if fixed and named and shown[0] == named[0] else None
    if lead is not None:
        if named:
            widths[lead] = min(widths[lead], int(width * _NAME_SHARE))
        width -= len(GAP) + widths[lead]
    strips = [at for at in fixed if columns[at].unit == "bins"]
    bins = max((len(_bins(line.row.cells[at])) for at in strips for line in lines), default=0)
    bins_each = max(-(-bins // max(width, 1)), 1)
    whole = [max(widths[at], display_width(columns[at].title) if at in named[1:] else 0) for at in named]
    taken = sum(whole) + len(GAP) * max(len(named) - 1, 0)
    names = [_wanted(columns[at], lines, at, widths[at]) for at in named]
    wanted = sum(names) + len(GAP) * max(len(names) - 1, 0)
    for at in sorted(fixed, key=lambda at: -columns[at].priority):
        room = width - sum(widths[other] + len(GAP) for other in fixed)
        if columns[at].priority >= DISPENSABLE and room < min(wanted, _NAMES_WELCOME):
            fixed.remove(at)
    names_wanted = min(wanted, _NAMES_WANTED)
    while (room := width - sum(widths[at] + len(GAP) for at in fixed) + (0 if named else len(GAP))) < names_wanted:
        if -(-bins // (bins_each + 1)) >= _LEAST_STRIP:
            bins_each += 1
            widths |= dict.fromkeys(strips, -(-bins // bins_each))
            continue
        is_desperate = room < min(_NAMES_NEEDED, names_wanted)
        going = max(fixed[is_desperate:], key=lambda at: (columns[at].priority, at), default=-1)
        if going < 0 or not (is_desperate or columns[going].priority):
            break
        fixed.remove(going)
    if lead is not None and room < 0:
        widths[lead] = max(widths[lead] + room, 0)
        lead = lead if widths[lead] else None
    room = max(room, 0)
    name_width = _name_width(columns, lines, named, widths, room)
    after: tuple[int, ...] = ()
    if named and taken <= room:
        name_width, *others = whole
        after = tuple(others)
    at = next((at for at in fixed if columns[at].axis), -1)
    line = min(room - taken - len(GAP), _WIDEST_LINE)
    if at < 0 or line < _LEAST_LINE:
        return _Layout(table, lead, tuple(fixed), tuple(named), widths, bins_each, room, name_width, after)
    amounts = [value for line in lines if (value := _drawable(line.row.cells[at])) is not None]
    axis = axis_around(amounts, columns[at].axis, line)
    return _Layout(table, lead, tuple(fixed), tuple(named), widths, bins_each, taken, name_width, after, at, axis)


def _name_width(
    columns: Sequence[Column], lines: Sequence[_Line], named: Sequence[int], widths: dict[int, int], room: int
) -> int:
    """Columns for the first names, so that what follows can be told, too."""
    if not named[1:]:
        return room
    first, *others = named
    if columns[first].unit == "place":
        follow = max(sum(len(GAP) + display_width(line.texts[at]) for at in others) for line in lines)
        width = min(widths[first], max(int(room * _PLACE_SHARE), _NAMES_NEEDED, room - follow), room)
        shortest = max(display_width(_without_folders(line.texts[first])) for line in lines)
        if width > room - follow >= shortest:
            width = room - follow
        elif width > room - follow and room - _LEAST_AFTER - len(GAP) >= LEAST_PLACE:
            width = min(width, room - _LEAST_AFTER - len(GAP))
        return max(display_width(fitted_cell(line.row.cells[first], columns[first], width)) for line in lines)
    least = max((sum(_least_width(line.row.cells[at], line.texts[at]) for at in others) for line in lines), default=0)
    share = max(int(room * _NAME_SHARE), min(int(room * _MOST_NAME_SHARE), room - _PLACE_WANTED - len(GAP)))
    width = min(widths[first], max(share, room - least))
    if room - width >= min(least, _LEAST_OTHER):
        return width
    return min(widths[first], room - _LEAST_OTHER if room >= _LEAST_FIRST + _LEAST_OTHER else room)


def _least_width(cell: Cell, text: str) -> int:
    """Columns that something needs after a name, with the gap before it; a place needs no folders."""
    shortest = _without_folders(text) if isinstance(cell, Place | Change) else text
    return display_width(shortest) + len(GAP) if shortest else 0


def _drawable(cell: Cell) -> float | Estimated | None:
    value = cell.value if isinstance(cell, Quantity) else cell
    return value if isinstance(value, int | float | Estimated) else None


def _wanted(column: Column, lines: Sequence[_Line], at: int, width: int) -> int:
    """Columns that amounts make room for: places need no folders."""
    return max(display_width(_without_folders(line.texts[at])) for line in lines) if column.unit == "place" else width


def _without_folders(place: str) -> str:
    return place.rpartition("/")[2]


def _natural_width(column: Column, texts: Sequence[str]) -> int:
    widest = max(map(display_width, texts))
    return widest if column.unit == "bins" else max(widest, display_width(title_text(column)))


def _header(layout: _Layout) -> str:
    columns = layout.table.columns
    cells = []
    if layout.lead is not None:
        cells.append(
            pad(keep_start(columns[layout.lead].title, layout.widths[layout.lead]), layout.widths[layout.lead])
        )
    for at in layout.fixed:
        width = layout.widths[at]
        title = _scale(columns[at], width) if columns[at].unit == "bins" else title_text(columns[at])
        cells.append(to_the_right(keep_start(title, width), width))
    if layout.named:
        first, *others = layout.named
        titles = GAP.join(columns[at].title for at in others if columns[at].title)
        room = layout.room - layout.name_width - len(GAP)
        if titles and layout.after_widths:
            cells += [pad(columns[first].title, layout.name_width)]
            cells += [pad(columns[at].title, width) for at, width in zip(others, layout.after_widths, strict=True)]
        elif titles and room >= _LEAST_AFTER:
            cells += [pad(keep_start(columns[first].title, layout.name_width), layout.name_width)]
            cells += [keep_start(titles, room)]
        else:
            cells.append(keep_start(columns[first].title, layout.room))
    return GAP.join(cells).rstrip()


def _scale(column: Column, width: int) -> str:
    first, last = column.scale
    return first + last.rjust(width - len(first)) if len(first) + len(last) < width else " " * width


def _print_line(page: Page, layout: _Layout, line: _Line) -> None:
    room = layout.room if layout.lead is None else layout.widths[layout.lead]
    guide = keep_end(line.guide, max(room - _LEAST_NAME, 0))
    if line.row.led_to_by:
        blank = "" if layout.lead is not None else " " * layout.before_names
        text = keep_start(printable(line.row.led_to_by), page.width - len(blank) - display_width(guide))
        page.line(blank + page.paint(guide + text, "dim"))
        guide = continued(guide)
    tone = _STYLES[line.row.tone]
    cells = [_fixed_cell(page, layout, line, at, tone) for at in layout.fixed]
    if layout.lead is not None:
        name = _fitted_name(layout, line, layout.lead, max(room - display_width(guide), 0))
        blanks = " " * max(room - display_width(guide) - display_width(name), 0)
        cells.insert(0, page.paint(guide, "dim") + page.paint(name, *tone) + blanks)
        guide = ""
    used = 0
    if layout.named:
        names, used = _names(page, layout, line, guide, tone)
        cells.append(names)
    if layout.axis is not None and (value := _drawable(line.row.cells[layout.drawn])) is not None:
        drawn = draw_around(layout.axis, value, layout.table.columns[layout.drawn].axis)
        cells.append(" " * (layout.room - used) + page.paint(drawn, *tone))
    page.line(GAP.join(cells))
    _print_sentences(page, layout, line, guide)


def _print_sentences(page: Page, layout: _Layout, line: _Line, guide: str) -> None:
    said = sentences_below(line.row.cells, layout.table.columns)
    if not said:
        return
    count = len(line.row.below) + bool(line.row.left_out)
    beside = "│ " if count > 1 or (count and layout.table.is_grouped) else "  "
    blank = "" if layout.lead is not None else " " * layout.before_names
    indent = f"{blank}{continued(guide)}{beside}"
    if page.width - display_width(indent) < _LEAST_SENTENCE:
        indent = "  "
    for text, is_faint in said:
        for number, part in enumerate(broken(text, page.width - display_width(indent), hang=2)):
            page.line(page.paint(indent, "dim") + "  " * (number > 0) + page.paint(part, *("dim",) * is_faint))


def _fitted_name(layout: _Layout, line: _Line, at: int, width: int) -> str:
    """A name in so many columns, with its mark."""
    mark = f"{printable(line.row.mark)} " if line.row.mark else ""
    fitted = fitted_cell(line.row.cells[at], layout.table.columns[at], max(width - display_width(mark), 0))
    return keep_start(mark + fitted, width)


def _fixed_cell(page: Page, layout: _Layout, line: _Line, at: int, tone: tuple[str, ...]) -> str:
    column, width = layout.table.columns[at], layout.widths[at]
    if column.unit == "bins":
        return page.paint(keep_start(strip(_bins(line.row.cells[at]), layout.bins_each).ljust(width), width), "cyan")
    text = line.texts[at]
    is_toned = column.is_signed and (column.is_hot or not any(each.is_hot for each in layout.table.columns))
    styles = tone if tone == ("dim",) or is_toned else ()
    if column.is_hot and column.whole:
        styles = _heat(abs(weight_of(line.row.cells[at])) / column.whole) or styles
    return page.paint(to_the_right(keep_start(text, width), width), *styles)


def _names(page: Page, layout: _Layout, line: _Line, guide: str, tone: tuple[str, ...]) -> tuple[str, int]:
    """The names and what follows them, and how many columns they take."""
    first, *others = layout.named
    columns = layout.table.columns
    room = layout.room - display_width(guide)
    follow = sum(display_width(line.texts[at]) + len(GAP) for at in others if line.texts[at])
    lent = room - follow if columns[first].unit != "place" else 0
    behind = layout.room - layout.name_width - len(GAP)
    if not any(_after(line, columns, at, behind) for at in others):
        lent = room
    width = max(layout.name_width - display_width(guide), lent, 0)
    name = _fitted_name(layout, line, first, width)
    text = page.paint(guide, "dim") + page.paint(name, *tone)
    used = display_width(guide) + display_width(name)
    begins = layout.name_width
    for number, at in enumerate(others):
        follows_at_once = columns[at].unit == "text" and not columns[at].title
        if (number == 0 or layout.after_widths) and not follows_at_once:
            blanks = max(begins - used, 0) + len(GAP)
            begins += len(GAP) + (layout.after_widths[number] if layout.after_widths else 0)
        else:
            blanks = len(GAP)
        if not line.texts[at]:
            continue
        left = layout.room - used - blanks
        after = _after(line, columns, at, left)
        text += " " * blanks + page.paint(after, "dim")
        used += blanks + display_width(after)
    return text, used


def _after(line: _Line, columns: Sequence[Column], at: int, width: int) -> str:
    """What stands after a name, in so many columns; nothing where only a letter or two could be told."""
    needed = min(display_width(line.texts[at]), _LEAST_AFTER)
    return fitted_cell(line.row.cells[at], columns[at], width) if width >= needed else ""


def _heat(share: float) -> tuple[str, ...]:
    if share >= _HOT:
        return ("red", "bold")
    return ("yellow",) if share >= _WARM else ()


def _bins(cell: Cell) -> Sequence[int]:
    return cell.counts if isinstance(cell, Bins) else ()
