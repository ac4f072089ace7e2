"""Tables of the shell's answers, in the layout that all of sonde's tables have."""

import io
from collections.abc import Iterable, Sequence

from sonde.render.terminal.page import Page
from sonde.render.terminal.table_text import print_table
from sonde.report import Cell, Column, Row, Table

_WIDE = 1 << 20
"""Columns that no line has."""
_NARROWEST = 20


def text_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, width: int | None = None) -> str:
    """Rows below the titles of their columns; amounts stand before texts, but for the first.

    Args:
        width: of the terminal; None: lines may be long.

    >>> print(text_table([Column("name", "name"), Column("size", "size", "count")], [["isord", 12], ["f", 7]]))
    name   size
    isord    12
    f         7
    """
    text = io.StringIO()
    table = Table("answer", "", tuple(columns), [Row(tuple(cells)) for cells in rows])
    print_table(Page(text, width=width or _WIDE, colour=False, narrowest=_NARROWEST), table)
    return text.getvalue().rstrip("\n")
