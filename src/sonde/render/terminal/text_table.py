"""Columns of text: each as wide as its widest cell, numbers to the right."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, pad
from sonde.render.terminal.page import Page

GAP = "  "


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """How wide each column must be for all of its cells."""
    return [max(map(display_width, column)) for column in zip(*rows, strict=True)]


def right_aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Fill cells with blanks on their left."""
    return [" " * (width - display_width(cell)) + cell for cell, width in zip(cells, widths, strict=True)]


def table_width(widths: Sequence[int]) -> int:
    """Columns of the terminal that such a table takes, with the gap after it."""
    return sum(widths) + len(GAP) * len(widths)


def print_table(page: Page, header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int] = ()) -> None:
    """Print a small table, columns `left` aligned to the left, the header dim."""
    widths = column_widths([header, *rows])
    for number, row in enumerate((header, *rows)):
        cells = [
            pad(cell, width) if column in left else " " * (width - display_width(cell)) + cell
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        page.line(page.paint(GAP.join(cells).rstrip(), *(("dim",) if number == 0 else ())))
