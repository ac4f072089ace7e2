"""The alternative that others are compared with: the first of its benchmark, or the one that was asked for."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from sonde.base.errors import UsageError
from sonde.base.near_names import near_or_all

_T = TypeVar("_T")


def baseline_of(names: Sequence[str], asked: str) -> int | None:
    """The place of the baseline among the alternatives of a benchmark.

    Args:
        asked: a name, or a number from 1 on; empty for the first. What is both is taken for a name.
    Returns:
        None where the benchmark has no such alternative.

    >>> baseline_of(["old", "new"], "new"), baseline_of(["old", "new"], "2"), baseline_of(["old"], "2")
    (1, 1, None)
    """
    if not asked:
        return 0
    if asked in names:
        return names.index(asked)
    return int(asked) - 1 if asked.isdecimal() and 1 <= int(asked) <= len(names) else None


def check_baseline(benchmarks: Collection[Sequence[str]], asked: str) -> None:
    """See to it that a benchmark has the baseline.

    Args:
        benchmarks: the names of the alternatives of each.
    Raises:
        UsageError: `no-such-alternative`.
    """
    if not asked or any(baseline_of(names, asked) is not None for names in benchmarks):
        return
    known = list(dict.fromkeys(name for names in benchmarks for name in names if name))
    most = max(map(len, benchmarks), default=0)
    raise UsageError(
        f"cannot compare with '{asked}': it is neither the name of an alternative nor a number from 1 to {most}",
        slug="no-such-alternative",
        hint=near_or_all(asked, known) if known else "--baseline 1",
    )


def with_baseline_first(
    group: Sequence[_T], names: Sequence[str], asked: str, is_broken: Callable[[_T], bool]
) -> list[_T]:
    """The alternatives of a benchmark, the baseline before the others.

    Where it is not among them, or none was asked for, that is the first one that is not broken.
    """
    place = baseline_of(names, asked) if asked else None
    if place is None:
        place = next((number for number, each in enumerate(group) if not is_broken(each)), 0)
    return [group[place], *group[:place], *group[place + 1 :]]
