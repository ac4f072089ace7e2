"""Tables, whose columns know what they hold; a table whose rows have rows below them is a tree."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, overload

from sonde.base.errors import InternalError
from sonde.report.cells import Amount, Cell, Unit

Shown = Literal["amount", "share", "both", "below", "details", "data"]
"""How a column is written: its amounts, their shares of `Column.whole`, or the amount with its share; `below` in
sentences under the row, after the column's title; `details` where one asks for a row: in JSON, and first in the page's
details. `data` is for programs only: in JSON, and last in the page's details."""

Tone = Literal["", "strong", "faint", "notable", "bad", "good", "new", "gone", "first", "second"]
"""How a row stands out: `bad` is worse than before and `good` is better; `new` and `gone` are on one side only, where
less is better; `first` and `second` are on one side only, too, of which neither is better; `notable` is another way
than most, or than before."""

Axis = Literal["", "linear", "log"]
"""On which axis intervals of a column are drawn, one for all rows: `linear` around 0, `log` around 1, for ratios."""

DISPENSABLE = 3
"""The priority from which on a column tells less than the ends of names and texts."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str
    """Its name in JSON; never changes, unlike the title."""
    title: str
    unit: Unit = "text"
    whole: Amount | None = None
    """What shares are of, and heat."""
    shown: Shown = "amount"
    is_hot: bool = False
    """Cells are coloured by their share of `whole`."""
    is_signed: bool = False
    """Amounts are changes: written with their sign."""
    priority: int = 0
    """Where there is no room, the column with the highest one goes first; from `DISPENSABLE` on even where names would
    only be cut; 0 stays. Sentences `below` are faint if they have one."""
    meaning: str = ""
    """A sentence for a tooltip or a legend."""
    scale: tuple[str, str] = ("", "")
    """Of `bins`: what the first bin and the last are."""
    axis: Axis = ""
    """Intervals are also drawn, where there is room."""
    is_category: bool = False
    """Its texts are few: pages can show the rows of one of them only."""

    @property
    def is_printed(self) -> bool:
        """Whether paper has it as a column."""
        return self.shown not in ("below", "details", "data")


@dataclass(frozen=True, slots=True)
class MoreOf:
    """The row that a table, or two side by side, tell more of; pages show them when it is selected."""

    table: str
    """Its key."""
    row: int
    """The number of the row, in the order of `Table.all_rows`."""
    name: str
    """What is told, beside others of the same row: `inlining`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row, and those below it."""

    cells: tuple[Cell, ...]
    below: tuple["Row", ...] = ()
    tone: Tone = ""
    led_to_by: str = ""
    """In trees: what stands between the row above and this one, and only passes on."""
    mark: str = ""
    """What stands before the name: `+`, `inlined`."""
    left_out: int = 0
    """Rows below it that are not even here."""
    plot: str = ""
    """The key of the plot that pages show while the row is selected."""
    leads_to: tuple[str, int] | None = None
    """Where it is told of at length: the key of a table, and the number of a row there, or of a line side by side."""


_Item = TypeVar("_Item")


@dataclass(frozen=True)
class LazyRows(Sequence[Row], Generic[_Item]):
    """Rows that are made when they are asked for: paper has ten, JSON and pages all.

    >>> rows = LazyRows([3, 1], lambda count: Row((count,)))
    >>> len(rows), rows[0].cells, [row.cells for row in rows[:1]]
    (2, (3,), [(3,)])
    """

    items: Sequence[_Item]
    make: Callable[[_Item], Row]
    """Makes rows with as many cells as the table has columns, which is only noticed when they are written."""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> Row: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...

    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        return [self.make(item) for item in self.items[at]] if isinstance(at, slice) else self.make(self.items[at])


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    >>> table = Table("functions", "functions", (Column("self", "self", "duration"),), (Row((12,)),))
    >>> [row.cells for row in table.all_rows()]
    [(12,)]
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    """All that are known, in order; `most` says how many of them are printed."""
    notes: tuple[str, ...] = ()
    """What stands beside the title: what it is sorted by, how many there are."""
    noun: str = "row"
    """Of which so many more are not printed."""
    most: int = 0
    """Rows on paper; 0 for all. JSON and pages have them all."""
    left_out: int = 0
    """Rows that are not even here."""
    rest: str = ""
    """What those that are not printed hold together, in words."""
    legend: str = ""
    """Sentences below, a line each."""
    is_grouped: bool = False
    """The rows are groups, with their members below; else a row that is the only one below another stands right below
    it on paper, so that long chains of calls do not run off the page."""
    is_secondary: bool = False
    """Paper has no room for it: only JSON and pages have it."""
    is_detail: bool = False
    """Paper has it for who asks for more (`-v`)."""
    part_of: str = ""
    """The title of the whole that it is a part of, with the tables beside it that have the same columns: pages show the
    whole, and by its categories the parts."""
    more_of: MoreOf | None = None
    of: str = ""
    """Where several reports are joined, the kind of the one that it is from; it stands before the keys of its columns
    in what is told of all of them."""

    def __post_init__(self) -> None:
        if len({column.key for column in self.columns}) != len(self.columns):
            raise InternalError(f"cannot make table '{self.key}': two columns have one key", slug="invalid-report")
        for row in () if isinstance(self.rows, LazyRows) else self.all_rows():
            if len(row.cells) != len(self.columns):
                raise InternalError(
                    f"cannot make table '{self.key}': a row has {len(row.cells)} cells, the table"
                    f" {len(self.columns)} columns",
                    slug="invalid-report",
                )

    @property
    def is_tree(self) -> bool:
        """Whether rows have rows below them."""
        return any(row.below for row in self.rows)

    def all_rows(self) -> Iterator[Row]:
        """Each row, before those below it. No recursion: trees of calls are deep."""
        pending = list(reversed(self.rows))
        while pending:
            row = pending.pop()
            yield row
            if row.below:
                pending.extend(row.below[::-1])


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of a source file, with what was counted of them."""

    key: str
    title: str
    file: str
    text: str
    """The whole file; empty when it is not known."""
    columns: tuple[Column, ...]
    lines: Mapping[int, tuple[Cell, ...]] = field(default_factory=dict)
    """Cells by 1-based line."""
    notes: tuple[str, ...] = ()
    most: int = 0
    """Counted lines on paper, those with the largest shares of any column; 0 for all."""
    of: str = ""
    """As of a table."""
