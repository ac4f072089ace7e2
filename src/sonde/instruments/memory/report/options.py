"""What of a memory profile is shown, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from sonde.base.errors import UsageError
from sonde.instruments.memory.profile.memory_profile import CacheLevel
from sonde.options.declared import Option
from sonde.options.numbers import positive

BY_ACCESSES = "accesses"
"""The word for the order by accesses; other orders are names of cache levels."""


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """How much is told, and what comes first."""

    rows: Annotated[int, Option("rows of each table", parse=positive, metavar="N")] = 10
    sort: Annotated[str, Option("what comes first: D1, L2, L3 (misses), or accesses", metavar="WHAT")] = ""
    """`accesses`, or the cache level whose misses count, as `D1`; empty for the last level."""


def sorting_level(sort: str, levels: Sequence[CacheLevel]) -> int:
    """Which of the data levels of a profile a table is sorted by, as `level_of_order`."""
    return level_of_order(sort, [level.name for level in levels])


def level_of_order(sort: str, levels: Sequence[str]) -> int:
    """Which of the data levels a table is sorted by; -1 for accesses.

    Args:
        sort: as in `MemoryOptions`; case does not matter.
        levels: names of the data levels.
    Raises:
        UsageError: `unknown-order`.
    """
    wanted = sort.lower()
    if wanted == BY_ACCESSES:
        return -1
    if not wanted:
        return len(levels) - 1
    names = [level.lower() for level in levels]
    if wanted not in names:
        raise UsageError(
            f"cannot sort by '{sort}': the profile has {', '.join((BY_ACCESSES, *levels))}",
            slug="unknown-order",
            hint=f"write --sort {levels[-1] if levels else BY_ACCESSES}",
        )
    return names.index(wanted)
