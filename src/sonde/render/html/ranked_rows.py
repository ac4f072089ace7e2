"""The rows of a table in a line, and which of them are kept when there is no room for all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from sonde.code import Place
from sonde.report import Cell, Column, Listing, Row, SideBySide, Table, Tone, weight_of

_AMOUNTS = ("count", "duration", "bytes", "share", "points", "ratio", "number", "measured")
_ROWS_LOOKED_AT = 100
"""To tell what a table is sorted by."""


@dataclass(frozen=True)
class RankedRows:
    """The rows of a table, trees before what is below them."""

    table: Table
    listed_file: str | None = None
    """The file whose lines the rows are, if the table was made of a listing."""
    keeps_first: bool = False
    """Rows are kept in their order, whatever they weigh."""

    @cached_property
    def weight_column(self) -> int:
        """By which column rows are light or heavy; -1: none.

        The first hot one, else with a whole, else with amounts; of several, the first that the rows are sorted by.
        """
        if self.keeps_first:
            return -1
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
        Table(
            listing.key, listing.title, (line, *listing.columns), rows, notes=listing.notes, noun="line", of=listing.of
        ),
        listing.file,
    )


def pairs_as_table(block: SideBySide) -> Table:
    """Two trees as one, of lines: a line has the cells of both sides, the left ones first, and the left one's mark.

    Where both sides have the same details, only the left one has them.
    """
    columns = block.left.columns
    named = [replace(column, key=f"{side}_{column.key}") for side in ("left", "right") for column in columns]
    nothing: tuple[Cell, ...] = (None,) * len(columns)
    is_detail = [column.shown in ("below", "data") for column in columns]

    def cells(left: Row | None, right: Row | None) -> tuple[Cell, ...]:
        if left is None or right is None:
            return (left.cells if left else nothing) + (right.cells if right else nothing)
        both = list(zip(is_detail, left.cells, right.cells, strict=True))
        if all(own == other for detail, own, other in both if detail):
            return (*left.cells, *(None if detail else other for detail, _, other in both))
        return (*left.cells, *right.cells)

    # A line stands right below the one that the row of either side stands below: the nearest before it less deep.
    depths = _depths(block)
    below: dict[int, list[Row]] = {}
    for depth, (change, left, right) in zip(reversed(depths), reversed(list(block.lines())), strict=True):
        row = Row(
            cells(left, right),
            tuple(reversed(below.pop(depth + 1, []))),
            _TONES[change],
            mark=left.mark if left else "",
            leads_to=(left or right or _NO_ROW).leads_to,
        )
        below.setdefault(depth, []).append(row)
    return Table(
        block.key,
        block.title,
        tuple(named),
        tuple(reversed(below.get(0, []))),
        block.left.notes,
        block.left.noun,
        is_grouped=True,
        more_of=block.more_of,
    )


_NO_ROW = Row(())
_TONES: dict[str, Tone] = {"": "", "notable": "notable", "first": "first", "second": "second"}


def _depths(block: SideBySide) -> list[int]:
    left, right = RankedRows(block.left).all[1], RankedRows(block.right).all[1]
    return [left[first] if first >= 0 else right[second] for first, second in block.pairs]


def _is_hot(column: Column) -> bool:
    return column.is_hot


def _has_whole(column: Column) -> bool:
    return column.whole is not None and column.shown != "data"


def _has_amounts(column: Column) -> bool:
    return column.unit in _AMOUNTS
