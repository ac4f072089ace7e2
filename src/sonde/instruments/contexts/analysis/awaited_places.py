"""What groups of tasks wait for, and where, of a profile of all tasks that were looked at from outside."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from sonde.code import origins_of
from sonde.instruments.contexts.profile import (
    NO_PARENT,
    READY,
    TASK_WAITING,
    WAITING,
    ContextProfile,
    Contexts,
    is_stand_in,
)

_LEAST = 4
"""Names that differ in their numbers alone: fewer are told apart, they may be names of things."""
_NUMBER = re.compile(r"\d+")
_NEARNESS = {"own": 2, "installed": 1}
"""To the reader's question: what is neither is in the standard library or the interpreter."""


@dataclass(slots=True)
class TaskTime:
    """Time of tasks, summed over them; nanoseconds, and the squares of their standard errors."""

    waiting_ns: int = 0
    """For something that is no task."""
    for_tasks_ns: int = 0
    ready_ns: int = 0
    """They could go on, and the loop did something else."""
    running_ns: int = 0
    variance: float = 0.0
    """Of what was waited, for tasks too."""

    @property
    def whole_ns(self) -> int:
        """All of it."""
        return self.waiting_ns + self.for_tasks_ns + self.ready_ns + self.running_ns

    @property
    def awaited_ns(self) -> int:
        """What was waited, for tasks too."""
        return self.waiting_ns + self.for_tasks_ns

    def add(self, what: str, ns: int, deviation: int) -> None:
        """Add some.

        Args:
            what: name of the field.
        """
        setattr(self, what, getattr(self, what) + ns)
        if what in ("waiting_ns", "for_tasks_ns"):
            self.variance += float(deviation) ** 2


@dataclass(frozen=True, slots=True)
class AwaitedPlace:
    """Where tasks await something: in the innermost function of the program itself, else of an installed library, else
    in that which the task runs."""

    function: int
    line: int
    awaited: int
    """The function that was awaited there, or the same one where it awaits something that is no coroutine."""
    innermost: int
    """The function that waits in the end."""


@dataclass(frozen=True, slots=True)
class WaitingGroup:
    """Tasks with one name, or without one of one coroutine."""

    name: str
    time: TaskTime = field(default_factory=TaskTime)
    places: dict[AwaitedPlace, TaskTime] = field(default_factory=lambda: defaultdict(TaskTime))


def waiting_groups(profile: ContextProfile) -> list[WaitingGroup]:
    """Groups of tasks, those that have most time first; names that differ in numbers alone are one: `client-*`.

    Args:
        profile: of tasks, with what each group has.
    Guarantee: times add up to those of all groups of the profile.
    Cost: O(n) for n contexts.
    """
    trees = profile.threads
    if trees is None:
        return []
    alike = Counter(_NUMBER.sub("*", thread.name) for thread in trees.threads)
    names = [
        _NUMBER.sub("*", thread.name) if alike[_NUMBER.sub("*", thread.name)] >= _LEAST else thread.name
        for thread in trees.threads
    ]
    groups: dict[str, WaitingGroup] = {name: WaitingGroup(name) for name in dict.fromkeys(names)}
    tree = trees.contexts
    places = _Places(profile, tree)
    states = {WAITING: "waiting_ns", TASK_WAITING: "for_tasks_ns", READY: "ready_ns"}
    what_of = [states.get(function, "running_ns") for function in profile.functions]
    deviations = tree.ns_deviation or [0] * len(tree)
    group_of: list[str] = []
    for row, (above, function, ns) in enumerate(zip(tree.parent, tree.function, tree.self_ns, strict=True)):
        group_of.append(names[-1 - function] if above == NO_PARENT else group_of[above])
        if function < 0 or not ns:
            continue
        what, group = what_of[function], groups[group_of[row]]
        group.time.add(what, ns, deviations[row])
        if what in ("waiting_ns", "for_tasks_ns"):
            group.places[places.of(row)].add(what, ns, deviations[row])
    return sorted(groups.values(), key=lambda group: (-group.time.whole_ns, group.name))


class _Places:
    """Finds the place at which a context waits, from its callers."""

    def __init__(self, profile: ContextProfile, tree: Contexts) -> None:
        origins = origins_of(profile.functions)
        self._tree = tree
        self._nearness = [0 if is_stand_in(each) else _NEARNESS.get(origins[each], 0) for each in profile.functions]

    def of(self, leaf: int) -> AwaitedPlace:
        """The place; `leaf`: row of what stands for waiting."""
        tree = self._tree
        row, below, line = tree.parent[leaf], -1, tree.call_line[leaf]
        innermost = first = tree.function[row] if tree.parent[row] != NO_PARENT else -1
        found, best = AwaitedPlace(first, line, first, innermost), -1
        while row != NO_PARENT and tree.function[row] >= 0:
            function = tree.function[row]
            if self._nearness[function] > best:
                best = self._nearness[function]
                found = AwaitedPlace(function, line, function if below < 0 else below, innermost)
            below, line, row = function, tree.call_line[row], tree.parent[row]
        return found
