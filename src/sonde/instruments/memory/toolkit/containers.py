"""What the declared containers of a tool have in common."""

from typing import ClassVar

from sonde.instruments.memory.toolkit.int64 import wrapped

Key = tuple[object, ...]
MOST_PARTS = 3
"""Of a key; SN_KEYS of native/core/advice/advice_runtime.h."""


class Container:
    """A field of a tool that is declared in its class and holds more than a number."""


class Row:
    """One row of a table: its columns are attributes."""

    __slots__ = ("_cells",)

    def __init__(self, columns: tuple[str, ...]) -> None:
        object.__setattr__(self, "_cells", dict.fromkeys(columns, 0))

    def __getattr__(self, column: str) -> int:
        cells: dict[str, int] = object.__getattribute__(self, "_cells")
        if column not in cells:
            raise AttributeError(f"there is no column {column!r} but {', '.join(cells)}")
        return cells[column]

    def __setattr__(self, column: str, value: int) -> None:
        if column not in self._columns():
            raise AttributeError(f"there is no column {column!r} but {', '.join(self._columns())}")
        self._columns()[column] = wrapped(value)  # type: ignore[assignment]  # of an int comes an int

    def _columns(self) -> dict[str, int]:
        return object.__getattribute__(self, "_cells")  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._columns() == other._columns()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{column}={value}' for column, value in self._columns().items())})"

    def values(self) -> tuple[int, ...]:
        """The cells in the order of the columns."""
        return tuple(self._columns().values())


class Table(Container):
    """Rows by key; a row comes to be when it is first named, with zeros in it."""

    ROWS: ClassVar[int]
    """How many rows fit. What is said to others is counted in `refused` and goes nowhere."""

    def __init__(self) -> None:
        self.refused = 0

    @staticmethod
    def key_of(key: object) -> Key:
        """A key as a tuple: `table[a]` and `table[a, b, c]` are the same thing with one part and three."""
        return key if isinstance(key, tuple) else (key,)
