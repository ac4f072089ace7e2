"""Columns of short cells with names of methods after them, which get the room that is left."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.render.name_text import short_name, whole_name
from sonde.render.terminal.page import Page
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

LEAST_NAME = 20

_WIDEST_CELL = 24
"""Ids are as long as compilers make them: mangled names, for instance."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """One line."""

    cells: tuple[str, ...]
    method: str
    after: str = ""
    """Told after the name."""
    styles: tuple[str, ...] = ()


def print_name_table(page: Page, header: Sequence[str], name: str, rows: Sequence[NamedRow], *, wide: bool) -> None:
    """Print a table.

    Args:
        header: of the cells.
        name: heading of the names.
    """
    cells = [[keep_start(printable(cell), _WIDEST_CELL) for cell in row.cells] for row in rows]
    widths = column_widths([header, *cells])
    room = max(page.width - table_width(widths), LEAST_NAME)
    page.line(page.paint(GAP.join((*right_aligned(header, widths), name)), "dim"))
    for row, shown in zip(rows, cells, strict=True):
        after = keep_start(printable(row.after), max(room - LEAST_NAME, 0))
        text = whole_name(row.method) if wide else short_name(row.method, room - display_width(after))
        page.line(page.paint(GAP.join((*right_aligned(shown, widths), text)) + after, *row.styles))
