"""Lines of machine code: for each stretch of a function's code, what was written where."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sonde.base.errors import InternalError


@dataclass(frozen=True, slots=True)
class CodeFrame:
    """One function of an inline stack, and the place in it."""

    function: str
    """As the compiler knows it; mangled for C++."""
    file: str = ""
    """Empty when unknown."""
    line: int = 0
    """1-based; 0 when unknown, or when the compiler made code up that no line asks for."""
    column: int = 0
    """1-based; 0 when unknown."""


@dataclass(frozen=True, slots=True)
class LineRow:
    """What holds from `offset` bytes after the beginning of a function's code up to the next row."""

    offset: int
    frames: tuple[CodeFrame, ...]
    """Innermost first: code that was inlined stands before the call that it was inlined into. Empty: unknown."""


class LineTable:
    """The line table of one stretch of code, with inline stacks. Knows offsets only, so that code may move.

    >>> table = LineTable([LineRow(0, (CodeFrame("f", "f.c", 1),)), LineRow(8, (CodeFrame("f", "f.c", 2),))])
    >>> [table.frames_at(offset)[0].line for offset in (0, 7, 8, 100)]
    [1, 1, 2, 2]
    """

    __slots__ = ("_offsets", "_read", "_rows")

    def __init__(self, rows: Iterable[LineRow] = ()) -> None:
        """
        Raises:
            InternalError: `line-order`: the offsets do not increase, or one is negative.
        """
        self._read: Callable[[], Iterable[LineRow]] | None = None
        self._rows: tuple[LineRow, ...] = ()
        self._offsets: list[int] = []
        self._take(rows)

    @classmethod
    def later(cls, read: Callable[[], Iterable[LineRow]]) -> "LineTable":
        """A table whose rows are asked for when somebody looks: reading debug information takes its time."""
        table = cls()
        table._read = read
        return table

    @property
    def rows(self) -> tuple[LineRow, ...]:
        """All of them, in order of their offsets."""
        if self._read is not None:
            self._take(self._read())
            self._read = None
        return self._rows

    def frames_at(self, offset: int) -> tuple[CodeFrame, ...]:
        """The inline stack at that many bytes after the beginning; empty when unknown."""
        rows = self.rows
        row = bisect_right(self._offsets, offset) - 1
        return rows[row].frames if row >= 0 else ()

    def _take(self, rows: Iterable[LineRow]) -> None:
        rows = tuple(rows)
        before = -1
        for row in rows:
            if row.offset <= before:
                raise InternalError(
                    f"cannot use a line table: offset {row.offset} comes after offset {before}", slug="line-order"
                )
            before = row.offset
        self._rows, self._offsets = rows, [row.offset for row in rows]
