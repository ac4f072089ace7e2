"""Numbers on the left, a tree of names on the right, places after the names as far as they fit."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.fitted_text import display_width, keep_end, keep_start
from sonde.events import Function
from sonde.render.terminal.outline import continued
from sonde.render.terminal.page import Page
from sonde.render.terminal.place import fitting_place
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

NARROW = 100
"""Below this width counts are rounded, `12.3M`, and guides are thin, to leave room for names."""

WIDEST_NAME_SHARE = 0.65
"""Of the room right of the numbers, for names; places are aligned after them."""

LEAST_NAME = 16
"""Columns that a name has at least: guides of very deep branches are cut on their left."""


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line, before it is cut and coloured."""

    guide: str
    cells: Sequence[str]
    cell_styles: Sequence[tuple[str, ...]]
    label: str
    label_styles: tuple[str, ...] = ()
    function: Function | None = None
    """Whose place to print, if any."""
    chain: str = ""
    """Names of callers that only pass calls on, for a dim line above this one."""


def print_tree_table(page: Page, header: Sequence[str], lines: Sequence[TreeLine]) -> None:
    """Print a tree with columns of numbers before it."""
    widths = column_widths([header, *(line.cells for line in lines)])
    room = page.width - table_width(widths)
    longest = max((display_width(line.guide + line.label) for line in lines), default=0)
    column = min(longest, int(room * WIDEST_NAME_SHARE))
    blank = " " * table_width(widths)
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "context")), "dim"))
    for line in lines:
        guide = keep_end(line.guide, room - LEAST_NAME)
        if line.chain:
            page.line(blank + page.paint(guide + keep_start(line.chain, room - display_width(guide)), "dim"))
            guide = continued(guide)
        cells = right_aligned(line.cells, widths)
        painted = [page.paint(cell, *styles) for cell, styles in zip(cells, line.cell_styles, strict=True)]
        page.line(GAP.join((*painted, _name(page, line, guide, room, column))))


def _name(page: Page, line: TreeLine, guide: str, room: int, column: int) -> str:
    label = keep_start(line.label, room - display_width(guide))
    name = page.paint(guide, "dim") + page.paint(label, *line.label_styles)
    if line.function is None:
        return name
    used = display_width(guide) + display_width(label)
    blanks = max(column - used, 0) + len(GAP)
    return name + " " * blanks + page.paint(fitting_place(line.function, room - used - blanks), "dim")
