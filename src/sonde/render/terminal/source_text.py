"""Listings: the lines of a file that something was counted of, with the lines around them."""

from sonde.base.fitted_text import printable
from sonde.render.terminal.page import Page
from sonde.render.terminal.table_text import print_table
from sonde.report import Column, Listing, Row, Table

_AROUND = 1
"""Lines before and after each counted one."""


def print_listing(page: Page, listing: Listing) -> None:
    """Print the counted lines of a file, in its order."""
    print_table(page, listing_table(listing))


def listing_table(listing: Listing) -> Table:
    """A listing as a table: counts, line numbers, source; gaps are rows of their own."""
    texts = listing.text.splitlines()
    blank = tuple(None for _ in listing.columns)
    near = {
        at
        for line in listing.lines
        for at in range(line - _AROUND, line + _AROUND + 1)
        if 1 <= at <= len(texts) or at in listing.lines
    }
    rows: list[Row] = []
    last = 0
    for line in sorted(near):
        if last and line > last + 1:
            rows.append(Row((*blank, None, "⋮"), tone="faint"))
        text = printable(texts[line - 1]) if line <= len(texts) else ""
        rows.append(Row((*listing.lines.get(line, blank), line, text), tone="" if line in listing.lines else "faint"))
        last = line
    number, source = Column("line", "line", "count"), Column("source", "source", "code")
    return Table(listing.key, listing.title, (*listing.columns, number, source), rows, listing.notes, "line")
