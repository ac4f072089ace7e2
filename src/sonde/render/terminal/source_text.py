"""Listings: the lines of a file that something was counted of, with the lines around them."""

from collections.abc import Sequence

from sonde.base.fitted_text import printable
from sonde.render.terminal.page import Page
from sonde.render.terminal.table_text import print_table
from sonde.report import Column, Listing, Row, Table, weight_of

_AROUND = 1
"""Lines before and after each counted one."""


def print_listing(page: Page, listing: Listing) -> None:
    """Print the counted lines of a file, in its order."""
    print_table(page, listing_table(listing))


def listing_table(listing: Listing) -> Table:
    """A listing as a table: counts, line numbers, source; gaps are rows of their own."""
    texts = listing.text.splitlines()
    blank = tuple(None for _ in listing.columns)
    counted = _heaviest(listing)
    near = {
        at
        for line in counted
        for at in range(line - _AROUND, line + _AROUND + 1)
        if 1 <= at <= len(texts) or at in counted
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


def _heaviest(listing: Listing) -> Sequence[int]:
    """The lines that are printed, by their largest share of what a column has in all."""
    if not listing.most or len(listing.lines) <= listing.most:
        return list(listing.lines)
    wholes = [
        column.whole or sum(weight_of(cells[at]) for cells in listing.lines.values()) or 1
        for at, column in enumerate(listing.columns)
    ]

    def share(line: int) -> float:
        return max(weight_of(cell) / whole for cell, whole in zip(listing.lines[line], wholes, strict=True))

    return sorted(listing.lines, key=lambda line: (-share(line), line))[: listing.most]
