"""Tasks whose names are numbered (`client-1`, `client-2`, ...) as one group, as asyncio's own `Task-1` are."""

import re
from collections import Counter
from dataclasses import replace

from sonde.instruments.contexts.profile import TaskGroup, TaskTimes, merged_tasks

_LEAST = 4
"""Names that differ in their numbers alone: fewer are told apart, they may be names of things."""
_NUMBER = re.compile(r"\d+")


def numbered_together(tasks: TaskTimes, functions: int) -> TaskTimes:
    """Groups of one coroutine, made at one place, with names that differ in numbers alone, are one: `client-*`.

    Args:
        functions: how many the profile has.
    Guarantee: sums are those of all groups.
    Cost: O(n) for n groups and places.
    """
    alike = Counter(map(_kind, tasks.groups))
    groups = tuple(
        replace(group, name=_NUMBER.sub("*", group.name)) if alike[_kind(group)] >= _LEAST else group
        for group in tasks.groups
    )
    together = merged_tasks([replace(tasks, groups=groups)], [range(functions)])
    assert together is not None  # of one part that is there
    return together


def _kind(group: TaskGroup) -> tuple[object, ...]:
    return (_NUMBER.sub("*", group.name), group.coroutine, group.made_in, group.made_at_line)
