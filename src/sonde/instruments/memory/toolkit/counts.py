"""`Counts`: a table of named integers by keys of one to three parts, or without a key a few counters."""

from collections.abc import Iterator
from typing import ClassVar

from sonde.instruments.memory.toolkit.containers import Key, Row, Table


class Counts(Table):
    """Integers by key.

    In advice: `self.by_type[type].misses += 1`, `self.by_line[loc.method, loc.line].accesses += 1`, without a key
    `self.all.accesses += 1`. In `report()`: a mapping from keys (a name or number, or a tuple of them) to rows.

    >>> by_type = Counts("accesses", "misses")
    >>> by_type["Node"].accesses += 2
    >>> by_type["Leaf"].accesses += 3
    >>> by_type.total("accesses")
    5
    >>> [key for key, row in by_type.top("accesses", 1)]
    ['Leaf']
    """

    ROWS: ClassVar[int] = 1 << 20

    def __init__(self, *columns: str) -> None:
        super().__init__()
        self.columns = columns
        self.by_key: dict[Key, Row] = {}

    def __getitem__(self, key: object) -> Row:
        key = self.key_of(key)
        row = self.by_key.get(key)
        if row is not None:
            return row
        row = Row(self.columns)
        if len(self.by_key) < self.ROWS:
            self.by_key[key] = row
        else:
            self.refused += 1
        return row

    def __getattr__(self, column: str) -> int:
        if column.startswith("_") or column == "columns" or column not in self.columns:
            raise AttributeError(f"Counts has no attribute {column!r}")
        return int(getattr(self[()], column))

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__.get("columns", ()):
            setattr(self[()], name, value)
        else:
            super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self.by_key)

    def __iter__(self) -> Iterator[object]:
        return (key for key, _ in self.items())

    def items(self) -> Iterator[tuple[object, Row]]:
        """Each key with its row; a key of one part is that part."""
        return ((key[0] if len(key) == 1 else key, row) for key, row in self.by_key.items())

    def top(self, column: str, rows: int = 20) -> list[tuple[object, Row]]:
        """The rows with the highest values in a column, highest first."""
        ordered = sorted(self.items(), key=lambda each: (-getattr(each[1], column), str(each[0])))
        return ordered[:rows]

    def total(self, column: str) -> int:
        """The sum of a column."""
        return sum(getattr(row, column) for row in self.by_key.values())
