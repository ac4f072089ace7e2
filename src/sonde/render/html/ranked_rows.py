"""The rows of a table in a line, and which of them are kept when there is no room for all."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sonde.code import Place
from sonde.report import Column, Listing, Row, Table, weight_of

_AMOUNTS = ("count", "duration", "bytes", "share", "points", "ratio", "number", "measured")
_ROWS_LOOKED_AT = 100
"""To tell what a table is sorted by."""


@dataclass(frozen=True)
class RankedRows:
    """The rows of a table, trees before what is below them."""

    table: Table
    listed_file: str | None = None
    """The file whose lines the rows are, if the table was made of a listing."""

    @cached_property
    def weight_column(self) -> int:
        """By which column rows are light or heavy; -1: none.

        The first hot one, else with a whole, else with amounts; of several, the first that the rows are sorted by.
        """
        for is_wanted in (_is_hot, _has_whole, _has_amounts):
            wanted = [number for number, column in enumerate(self.table.columns) if is_wanted(column)]
            if wanted:
                return next((number for number in wanted if self._is_sorted_by(number)), wanted[0])
        return -1

    def _is_sorted_by(self, number: int) -> bool:
        weights = [abs(weight_of(row.cells[number])) for row in self.table.rows[:_ROWS_LOOKED_AT]]
        return all(first >= second for first, second in pairwise(weights))

    @cached_property
    def all(self) -> tuple[list[Row], list[int]]:
        """Rows, and how deep each stands: 0 for those of the table itself."""
        rows: list[Row] = []
        depths: list[int] = []
        pending = [(row, 0) for row in reversed(self.table.rows)]
        while pending:
            row, depth = pending.pop()
            rows.append(row)
            depths.append(depth)
            pending.extend((below, depth + 1) for below in reversed(row.below))
        return rows, depths

    @cached_property
    def _heaviest_first(self) -> Sequence[int]:
        """Numbers of rows; none stands before the row that it is below."""
        rows, depths = self.all
        if self.weight_column < 0:
            return range(len(rows))
        weights = [abs(weight_of(row.cells[self.weight_column])) for row in rows]
        # A row is as heavy as the heaviest below it, which it is needed for. From the end, each row hands its weight
        # to the row above, which is the next one before it that is less deep.
        heaviest_at: dict[int, float] = {}
        for number in range(len(rows) - 1, -1, -1):
            weights[number] = max(weights[number], heaviest_at.pop(depths[number] + 1, 0.0))
            heaviest_at[depths[number]] = max(heaviest_at.get(depths[number], 0.0), weights[number])
        return sorted(range(len(rows)), key=lambda number: -weights[number])

    def heaviest(self, most: int) -> tuple[list[Row], list[int]]:
        """As `all`, but at most so many: the heaviest, in the order of the table, with all rows above them."""
        rows, depths = self.all
        if len(rows) <= most:
            return rows, depths
        kept = sorted(self._heaviest_first[:most])
        return [rows[number] for number in kept], [depths[number] for number in kept]


def lines_as_table(listing: Listing) -> RankedRows:
    """A listing as a table of the lines that have counts."""
    line = Column("line", "line", "place")
    rows = [Row((Place(listing.file, number), *cells)) for number, cells in sorted(listing.lines.items())]
    return RankedRows(
        Table(listing.key, listing.title, (line, *listing.columns), rows, notes=listing.notes, noun="line"),
        listing.file,
    )


def _is_hot(column: Column) -> bool:
    return column.is_hot


def _has_whole(column: Column) -> bool:
    return column.whole is not None and column.shown != "data"


def _has_amounts(column: Column) -> bool:
    return column.unit in _AMOUNTS
