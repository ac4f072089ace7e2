"""What the tables of a memory profile are sorted by, and the columns that they have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sonde.base.units import format_count
from sonde.instruments.memory.options import level_of_order
from sonde.instruments.memory.profile import CacheLevel, MemoryProfile
from sonde.report import DISPENSABLE, Cell, Column, LazyRows, Part, Row, Table


class Counted(Protocol):
    """Sums of a profile: what all tables have in common."""

    @property
    def accesses(self) -> int:
        """Of data."""

    @property
    def misses(self) -> tuple[int, ...]:
        """Per data level."""


_Row = TypeVar("_Row", bound=Counted)


@dataclass(frozen=True, slots=True)
class Order:
    """What a table is sorted by."""

    profile: MemoryProfile
    level: int
    """A data level; -1 for accesses."""

    @property
    def words(self) -> str:
        """As in a heading."""
        return "by accesses" if self.level < 0 else f"by {self.profile.data_levels[self.level].name} misses"

    @property
    def noun(self) -> str:
        """What is sorted by, in a sentence."""
        return "accesses" if self.level < 0 else f"{self.profile.data_levels[self.level].name} misses"

    @property
    def whole(self) -> int:
        """What the run has of it."""
        return self.profile.accesses if self.level < 0 else self.profile.total_misses[self.level]

    def missed(self, misses: Sequence[int]) -> int:
        """What misses have of it; of the last level where it is accesses."""
        return misses[self.level] if misses else 0

    def weight(self, row: Counted) -> int:
        """What a row has of what is sorted by."""
        return row.accesses if self.level < 0 else row.misses[self.level]

    def sorted(self, rows: Sequence[_Row]) -> list[_Row]:
        """The rows of a table; accesses decide between equal ones."""
        return sorted(rows, key=lambda row: (-self.weight(row), -row.accesses))

    def table(
        self,
        key: str,
        title: str,
        columns: tuple[Column, ...],
        counted: Sequence[_Row],
        row: Callable[[_Row], Row],
        noun: str,
        most: int,
        *,
        told: str = "in all",
        is_secondary: bool = False,
        is_detail: bool = False,
    ) -> Table:
        """A table of what was counted. Paper has only rows that have any of what it is sorted by.

        Args:
            row: makes a row of one of them.
            most: rows on paper.
            told: what stands beside the title, after how many there are.
        """
        least = min(most, sum(self.weight(each) > 0 for each in counted))
        notes = (self.words, f"{format_count(len(counted))} {told}")
        rows = LazyRows(self.sorted(counted), row)
        return Table(
            *(key, title, columns, rows, notes, noun, least),
            is_secondary=is_secondary or not least,
            is_detail=is_detail,
        )


def sorting_level(sort: str, levels: Sequence[CacheLevel]) -> int:
    """Which of the data levels of a profile a table is sorted by, as `level_of_order`."""
    return level_of_order(sort, [level.name for level in levels])


def amount_columns(order: Order) -> tuple[Column, ...]:
    """Accesses, and the misses of each level. Where there is little room, the levels between go."""
    profile = order.profile
    last = len(profile.data_levels) - 1
    kept = {last, order.level if 0 <= order.level < last else 0}
    misses = (
        Column(
            miss_key(level.name),
            f"{level.name} misses",
            "count",
            whole=profile.total_misses[number],
            is_hot=number == order.level,
            priority=0 if number in kept else DISPENSABLE,
            meaning=f"with their share of the accesses that reached {level.name}",
        )
        for number, level in enumerate(profile.data_levels)
    )
    accesses = Column(
        "accesses",
        "accesses",
        "count",
        whole=profile.accesses,
        shown="share",
        is_hot=order.level < 0,
        meaning="share of the run's data accesses",
    )
    return accesses, *misses


def amounts(row: Counted) -> tuple[Cell, ...]:
    """The cells of `amount_columns`."""
    return row.accesses, *misses_of(row.accesses, row.misses)


def misses_of(accesses: int, misses: Sequence[int]) -> tuple[Part, ...]:
    """Misses of each level with the accesses that reached it."""
    return tuple(Part(missed, reaching(accesses, misses, level)) for level, missed in enumerate(misses))


def reaching(accesses: int, misses: Sequence[int], level: int) -> int:
    """Accesses that reach a data level: all reach the first one, and what misses one reaches the next.

    >>> reaching(1000, (80, 10), 1)
    80
    """
    return accesses if level == 0 else misses[level - 1]


def miss_key(level: str) -> str:
    """What a column of misses is called in JSON.

    >>> miss_key("D1")
    'd1_misses'
    """
    return f"{level.lower()}_misses"
