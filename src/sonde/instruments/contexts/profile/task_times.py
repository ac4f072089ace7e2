"""Tasks of asyncio: how long they ran, awaited, and were ready while their loop did something else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

NO_FUNCTION = -1


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Tasks of one coroutine, made at one place, with one name. Times are elapsed, in nanoseconds, summed over them."""

    name: str
    """Empty: asyncio has numbered them (`Task-7`)."""
    coroutine: int
    """Index into `ContextProfile.functions`; -1: all tasks beyond those that were told apart."""
    made_in: int
    """The function that made them, of the program's own code if it is there; -1: not known."""
    made_at_line: int
    tasks: int
    ended: int
    cancelled: int
    """Of those that ended."""
    failed: int
    """Of those that ended: with another exception."""
    steps: int
    """A step is what a task runs between two suspensions."""
    life_ns: int
    """From their making to their end, or to that of the run."""
    run_ns: int
    """In steps."""
    awaited_ns: int
    """What they waited for was not there."""
    ready_ns: int
    """It was there, and the loop was busy."""
    longest_step_ns: int
    longest_in: int
    """The function that went on when the longest step began; -1: there was none."""
    longest_at_line: int
    """Where it had awaited; 0: the step was the first."""


@dataclass(frozen=True, slots=True)
class TaskAwait:
    """What tasks of one group awaited at one place."""

    task: int
    """Index of the `TaskGroup`."""
    function: int
    """Whose await it is: of the program's own code, the innermost one."""
    line: int
    awaited: int
    """The coroutine function of a library that was awaited there, or that of the task; -1: a future itself."""
    thing: str
    """Of a future itself: its type, or `task`."""
    times: int
    awaited_ns: int
    ready_ns: int
    longest_ns: int
    """Of one wait, without the time ready."""


@dataclass(frozen=True, slots=True)
class LoopTimes:
    """What the loops of all threads did, together."""

    loops: int
    span_ns: int
    """While they had tasks."""
    held_ns: int
    """Of that, in steps of tasks."""
    longest_step_ns: int
    longest_in: int
    longest_at_line: int
    longest_of: int
    """Index of the `TaskGroup`; -1: there was none."""


@dataclass(frozen=True, slots=True)
class TaskTimes:
    """All that is known of tasks.

    Guarantee: of each group, `life_ns` is `run_ns + awaited_ns + ready_ns`, but for tasks that lived when the process
        was killed, of which only the parts are known.
    """

    groups: tuple[TaskGroup, ...]
    awaits: tuple[TaskAwait, ...]
    loops: LoopTimes


def merged_tasks(parts: Sequence[TaskTimes | None], numbers: Sequence[Sequence[int]]) -> TaskTimes | None:
    """The tasks of several profiles or processes; groups and places that are the same are one.

    Args:
        numbers: for each part, by function, its number in the result.
    Returns:
        None where no part has any.
    Guarantee: commutative and associative, up to the order of groups. Sums are those of the parts.
    Cost: O(n).
    """
    groups: dict[tuple[object, ...], TaskGroup] = {}
    places: dict[tuple[object, ...], int] = {}
    awaits: dict[tuple[object, ...], TaskAwait] = {}
    loops: LoopTimes | None = None
    for part, number in zip(parts, numbers, strict=True):
        if part is None:
            continue
        renumbered = _Renumbering(number)
        place: list[int] = []
        for group in map(renumbered.group, part.groups):
            key = (group.name, group.coroutine, group.made_in, group.made_at_line)
            groups[key] = _together(groups[key], group) if key in groups else group
            place.append(places.setdefault(key, len(places)))
        for each in part.awaits:
            one = replace(
                each, task=place[each.task], function=renumbered(each.function), awaited=renumbered(each.awaited)
            )
            wait = (one.task, one.function, one.line, one.awaited, one.thing)
            awaits[wait] = _together(awaits[wait], one) if wait in awaits else one
        of = part.loops.longest_of
        own = replace(
            part.loops, longest_in=renumbered(part.loops.longest_in), longest_of=of if of == NO_FUNCTION else place[of]
        )
        loops = own if loops is None else _together(loops, own)
    return None if loops is None else TaskTimes(tuple(groups.values()), tuple(awaits.values()), loops)


class _Renumbering:
    def __init__(self, number: Sequence[int]) -> None:
        self._number = number

    def __call__(self, function: int) -> int:
        return function if function == NO_FUNCTION else self._number[function]

    def group(self, group: TaskGroup) -> TaskGroup:
        return replace(
            group, coroutine=self(group.coroutine), made_in=self(group.made_in), longest_in=self(group.longest_in)
        )


_Counted = TypeVar("_Counted", TaskGroup, TaskAwait, LoopTimes)


_SUMS: Mapping[type, tuple[str, ...]] = {
    TaskGroup: ("tasks", "ended", "cancelled", "failed", "steps", "life_ns", "run_ns", "awaited_ns", "ready_ns"),
    TaskAwait: ("times", "awaited_ns", "ready_ns"),
    LoopTimes: ("loops", "span_ns", "held_ns"),
}


def _together(one: _Counted, other: _Counted) -> _Counted:
    """Two of the same: the sums, and what was longest."""
    sums = {name: getattr(one, name) + getattr(other, name) for name in _SUMS[type(one)]}
    return replace(max(one, other, key=_longest), **sums)


def _longest(each: TaskGroup | TaskAwait | LoopTimes) -> tuple[int, ...]:
    """What was longest, and where: by that the longer of two is found."""
    if isinstance(each, TaskAwait):
        return (each.longest_ns,)
    return each.longest_step_ns, each.longest_in, each.longest_at_line


def check_tasks(tasks: TaskTimes | None, functions: int, broken: Callable[[str], Exception]) -> None:
    """Check that everything named is there, and nothing is negative.

    Args:
        functions: how many there are.
        broken: makes the exception to raise of a fact.
    """
    if tasks is None:
        return
    values: list[TaskGroup | TaskAwait | LoopTimes] = [*tasks.groups, *tasks.awaits, tasks.loops]
    for value in values:
        for name, number in asdict(value).items():
            is_reference = name in ("coroutine", "made_in", "longest_in", "function", "awaited")
            if not isinstance(number, str) and number < (NO_FUNCTION if is_reference or name == "longest_of" else 0):
                raise broken(f"'{name}' of a task is {number}")
            if is_reference and number >= functions:
                raise broken(f"a task names function {number} of {functions}")
    named = [*(each.task for each in tasks.awaits), tasks.loops.longest_of]
    if any(group >= len(tasks.groups) for group in named):
        raise broken(f"a task is of no group: there are {len(tasks.groups)}")
