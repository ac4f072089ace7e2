"""What the tables of a memory profile are sorted by, and the columns that they have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from sonde.base.units import format_count
from sonde.instruments.memory.options import ACCESSES_FIRST, COST_FIRST, MemoryOptions, check_latencies, level_of_order
from sonde.instruments.memory.profile import Latencies, MemoryProfile
from sonde.report import DISPENSABLE, Cell, Column, LazyRows, Part, Row, Table

COST_NOUN = "lost cycles"
"""What misses cost, estimated."""


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
    """A data level, `ACCESSES_FIRST` or `COST_FIRST`."""
    latencies: Latencies
    least_share: float = 0.0
    """Rows with less of the whole are not told."""

    @property
    def words(self) -> str:
        """As in a heading."""
        return f"by {self.noun}"

    @property
    def noun(self) -> str:
        """What is sorted by: there is so much of it."""
        if self.level == COST_FIRST:
            return COST_NOUN
        return "accesses" if self.level == ACCESSES_FIRST else f"{self.profile.data_levels[self.level].name} misses"

    @property
    def whole(self) -> int:
        """What the run has of it."""
        return self.profile.accesses if self.level == ACCESSES_FIRST else self.missed(self.profile.total_misses)

    def missed(self, misses: Sequence[int]) -> int:
        """What misses have of it; their cost where it is accesses."""
        return misses[self.level] if self.level >= 0 else self.latencies.lost(misses)

    def weight(self, row: Counted) -> int:
        """What a row has of what is sorted by."""
        return row.accesses if self.level == ACCESSES_FIRST else self.missed(row.misses)

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
        notes = (self.words, f"{format_count(len(counted))} {told}")
        if self.least_share:
            counted = [each for each in counted if self.weight(each) >= self.least_share * self.whole]
        rows = LazyRows(self.sorted(counted), row)
        least = min(most, sum(self.weight(each) > 0 for each in counted))
        return Table(
            *(key, title, columns, rows, notes, noun, least),
            is_secondary=is_secondary or not least,
            is_detail=is_detail,
        )


def order_of(profile: MemoryProfile, options: MemoryOptions) -> Order:
    """The order that is asked for.

    Raises:
        UsageError: `unknown-order`, `bad-latencies`.
    """
    levels = [level.name for level in profile.data_levels]
    if levels:
        check_latencies(options.latencies, len(levels))
    latencies = Latencies(options.latencies, "given") if levels and options.latencies else profile.latencies
    return Order(profile, level_of_order(options.sort, levels), latencies, options.min_share)


def amount_columns(order: Order) -> tuple[Column, ...]:
    """What misses cost, accesses, and the misses of each level. Where there is little room, the levels between go."""
    profile = order.profile
    last = len(profile.data_levels) - 1
    kept = {last, order.level if 0 <= order.level < last else 0}
    if order.level == COST_FIRST:
        kept = {last}
    misses = (
        replace(
            column,
            is_hot=number == order.level,
            priority=0 if number in kept else DISPENSABLE,
            meaning=f"with their share of the accesses that reached {level.name}",
        )
        for number, (level, column) in enumerate(zip(profile.data_levels, miss_columns(profile), strict=True))
    )
    accesses = Column(
        "accesses",
        "accesses",
        "count",
        whole=profile.accesses,
        shown="share",
        is_hot=order.level == ACCESSES_FIRST,
        meaning="share of the run's data accesses",
    )
    return *_cost_column(order), accesses, *misses


def _cost_column(order: Order) -> tuple[Column, ...]:
    if not order.profile.data_levels:
        return ()
    return (
        Column(
            "cost",
            "cycles lost",
            "count",
            whole=order.latencies.lost(order.profile.total_misses),
            shown="both" if order.level == COST_FIRST else "data",
            is_hot=order.level == COST_FIRST,
            meaning="estimated from misses and latencies; with its share of the run's",
        ),
    )


def amounts(order: Order, row: Counted) -> tuple[Cell, ...]:
    """The cells of `amount_columns`."""
    cost = (order.latencies.lost(row.misses),) if row.misses else ()
    return *cost, row.accesses, *misses_of(row.accesses, row.misses)


def misses_of(accesses: int, misses: Sequence[int]) -> tuple[Part, ...]:
    """Misses of each level with the accesses that reached it."""
    return tuple(Part(missed, reaching(accesses, misses, level)) for level, missed in enumerate(misses))


def reaching(accesses: int, misses: Sequence[int], level: int) -> int:
    """Accesses that reach a data level: all reach the first one, and what misses one reaches the next.

    >>> reaching(1000, (80, 10), 1)
    80
    """
    return accesses if level == 0 else misses[level - 1]


def miss_columns(profile: MemoryProfile) -> tuple[Column, ...]:
    """The misses of each data level."""
    levels = zip(profile.data_levels, profile.total_misses, strict=True)
    return tuple(Column(miss_key(level.name), f"{level.name} misses", "count", whole) for level, whole in levels)


def miss_key(level: str) -> str:
    """What a column of misses is called in JSON.

    >>> miss_key("D1")
    'd1_misses'
    """
    return f"{level.lower()}_misses"
