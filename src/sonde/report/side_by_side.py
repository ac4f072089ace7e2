"""Two trees beside each other, row by row: what both have in common stands in one line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonde.base.errors import InternalError
from sonde.report.table import MoreOf, Row, Table


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two trees whose rows are aligned.

    Paper and Markdown have no room for it: a table of what differs belongs to it. Pages show both sides, and what is
    the same folded; JSON has it whole.

    >>> left, right = Table("a", "A", (), [Row((), (Row(()),))]), Table("b", "B", (), [Row(())])
    >>> [change for change, _, _ in SideBySide("trees", "trees", left, right, [(0, 0), (1, -1)]).lines()]
    ['', 'first']
    """

    key: str
    title: str
    left: Table
    right: Table
    """With the same columns; a side's title is what it is called. A row that both sides have, but not the same, has the
    tone `notable` on both."""
    pairs: Sequence[tuple[int, int]]
    """Lines from top to bottom: the numbers of rows, as `Table.all_rows` has them; -1: the side has none. Each row
    is in one pair, those of a side in their order, and below rows whose pairs hold what they are below."""
    more_of: MoreOf | None = None

    def __post_init__(self) -> None:
        sides = ([left for left, _ in self.pairs if left >= 0], [right for _, right in self.pairs if right >= 0])
        rows = [sum(1 for _ in side.all_rows()) for side in (self.left, self.right)]
        if self.left.columns != self.right.columns or any(
            numbers != list(range(count)) for numbers, count in zip(sides, rows, strict=True)
        ):
            raise InternalError(
                f"cannot make '{self.key}': its pairs hold {len(sides[0])} and {len(sides[1])} rows in some order, its"
                f" trees, which must have the same columns, {rows[0]} and {rows[1]}",
                slug="invalid-report",
            )

    def lines(self) -> Iterator[tuple[str, Row | None, Row | None]]:
        """Each line: what it is (`first` or `second` side only, `notable` or the same), and the rows of both sides."""
        left, right = list(self.left.all_rows()), list(self.right.all_rows())
        for first, second in self.pairs:
            if second < 0:
                yield "first", left[first], None
            elif first < 0:
                yield "second", None, right[second]
            else:
                change = "notable" if left[first].tone == right[second].tone == "notable" else ""
                yield change, left[first], right[second]
