"""Tables of what misses caches: accesses, misses and miss rate of each level, then names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sonde.base.fitted_text import display_width, keep_start, pad
from sonde.base.units import counted, format_count, format_share, short_count
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.report import rate_text, reaching
from sonde.render.terminal.heat import heat
from sonde.render.terminal.page import Page
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width
from sonde.render.terminal.tree_table import NARROW, WIDEST_NAME_SHARE

_LEAST_AFTER = 8
"""Columns below which what stands after a name is left out."""


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
    def whole(self) -> int:
        """The sum over the run of what is sorted by."""
        return self.profile.accesses if self.level < 0 else self.profile.total_misses[self.level]

    def weight(self, row: Counted) -> int:
        """What a row has of it."""
        return row.accesses if self.level < 0 else row.misses[self.level]

    def heaviest(self, rows: Sequence[_Row], limit: int) -> list[_Row]:
        """The first rows of a table; accesses decide between equal ones, and rows without either are left out."""
        kept = [row for row in rows if self.weight(row)]
        return sorted(kept, key=lambda row: (-self.weight(row), -row.accesses))[:limit]


@dataclass(frozen=True, slots=True)
class MissRow:
    """One line of a table."""

    counts: Counted
    name: Callable[[int], str]
    """The name in at most so many columns."""
    after: Callable[[int], str]
    """What stands after the name, in so many columns."""
    extra: tuple[str, ...] = ()
    """Cells between the misses and the name."""


def print_miss_table(
    page: Page,
    order: Order,
    rows: Sequence[MissRow],
    *,
    name: str,
    extra: Sequence[str] = (),
    name_share: float = WIDEST_NAME_SHARE,
) -> None:
    """Print rows under a header of their own.

    Args:
        name: heading of the names.
        extra: headings of the cells between misses and name.
        name_share: of the room, that names take at most when something stands after them.
    """
    shown = shown_levels(page, order)
    header = ("accesses", *(f"{order.profile.data_levels[level].name} misses" for level in shown), *extra)
    cells = [
        (
            format_share(row.counts.accesses, order.profile.accesses),
            *(miss_cell(page, row.counts, level) for level in shown),
            *row.extra,
        )
        for row in rows
    ]
    widths = column_widths([header, *cells])
    room = max(page.width - table_width(widths), 0)
    is_followed = any(row.after(room) for row in rows)
    names = [row.name(min(max(int(room * name_share), _LEAST_AFTER), room) if is_followed else room) for row in rows]
    column = max(map(display_width, names), default=0)
    heated = 0 if order.level < 0 else 1 + shown.index(order.level) if order.level in shown else -1
    page.line(page.paint(GAP.join((*right_aligned(header, widths), keep_start(name, room))), "dim"))
    for row, values, label in zip(rows, cells, names, strict=True):
        aligned = right_aligned(values, widths)
        if heated >= 0:
            aligned[heated] = page.paint(aligned[heated], *heat(order.weight(row.counts), order.whole))
        left = room - column - len(GAP)
        after = row.after(left) if left >= _LEAST_AFTER else ""
        page.line(GAP.join((*aligned, pad(label, column), page.paint(after, "dim"))))


def shown_levels(page: Page, order: Order) -> list[int]:
    """The levels that have a column: all; where there is little room, the last and the one sorted by, or the first."""
    levels = list(range(len(order.profile.data_levels)))
    if page.width >= NARROW or len(levels) < 3:
        return levels
    return [order.level if 0 <= order.level < levels[-1] else 0, levels[-1]]


def miss_cell(page: Page, counts: Counted, level: int) -> str:
    """Misses of a level with their share of the accesses that reached it: ` 41.2M   3.2%`."""
    misses = counts.misses[level]
    count = short_count if page.width < NARROW else format_count
    return f"{count(misses)} {rate_text(misses, reaching(counts.accesses, counts.misses, level)):>6}"


def print_rest(page: Page, left: int, noun: str) -> None:
    """Say how many rows were not printed."""
    if left > 0:
        page.line(page.paint(f"… {counted(left, f'more {noun}')}", "dim"))


def nothing(_width: int) -> str:
    """What stands after names that nothing is to be said of."""
    return ""
