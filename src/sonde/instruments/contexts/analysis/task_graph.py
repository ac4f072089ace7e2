"""Tasks of asyncio at one moment as a tree: each below the one that awaits it; those in circles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from sonde.code import Function


class TaskState(IntEnum):
    """As `sn_task_state`."""

    RUNS = 0
    READY = 1
    """What it waited for is there, or it has not begun; its loop does something else."""
    WAITS = 2
    WAITS_FOR_TASKS = 3


class ChainFrame(NamedTuple):
    """A coroutine of a chain."""

    function: Function
    line: int
    """Where it is; 0: not known."""


class SeenTask(NamedTuple):
    """A task at a moment."""

    name: str
    """`Task-7` where nobody gave it one."""
    state: TaskState
    frames: tuple[ChainFrame, ...]
    """What it awaits, or runs: outermost first."""
    awaited: str
    """The type of what it waits for; empty: nothing, or not known."""
    made_of: str
    """The type of its coroutine where that is none of Python's; then there are no frames."""
    awaiters: tuple[int, ...]
    """Tasks that await it, by index, some four at most; it stands below the first."""


@dataclass(frozen=True, slots=True)
class TaskNode:
    """Tasks that are alike: they have the same frames and wait for the same, as do those below them."""

    task: SeenTask
    """One of them."""
    names: tuple[str, ...]
    below: tuple["TaskNode", ...]
    total: int
    """Tasks, with those below."""
    is_in_circle: bool = False
    closes: bool = False
    """It stands above itself already: here a circle closes."""


def circles(tasks: Sequence[SeenTask]) -> list[list[int]]:
    """Tasks that await each other in a circle, by index: each circle in the order in which they await, from one on.

    Guarantee: a task is in one if and only if it is reached from itself by going to who awaits it.
    Cost: O(n + e) for n tasks and e awaits. No recursion.
    Source: Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1972: strong components.
    """
    found = [part for part in _strong_components(tasks) if len(part) > 1 or part[0] in tasks[part[0]].awaiters]
    awaited: dict[int, list[int]] = {index: [] for part in found for index in part}
    for index in sorted(awaited):
        for awaiter in tasks[index].awaiters:
            if awaiter in awaited:
                awaited[awaiter].append(index)
    return [_from_one_on(min(part, key=lambda index: (tasks[index].name, index)), awaited, part) for part in found]


def task_forest(tasks: Sequence[SeenTask]) -> list[TaskNode]:
    """The tasks as they await one another; those in circles first, then where most are.

    Guarantee: each task is in one node, besides those that close circles.
    Cost: O(n log n) for n tasks. No recursion.
    """
    found = circles(tasks)
    parent, closing = _parents(tasks, found)
    below: list[list[int]] = [[] for _ in tasks]
    for index, above in enumerate(parent):
        if above is not None:
            below[above].append(index)
    roots = [index for index, above in enumerate(parent) if above is None]
    kinds: dict[tuple[object, ...], int] = {}
    chains = _Numbers()
    made: dict[int, _Alike] = {}
    for index in _bottom_up(below, roots):
        nodes = [made.pop(each) for each in below[index]]
        nodes += (_Alike(-1 - first, [first], [], 0) for first in closing.get(index, ()))
        together = _together(nodes)
        task = tasks[index]
        itself = (task.state, chains.of(task.frames), task.awaited, task.made_of, index in closing)
        kind = (*itself, *(each.kind for each in together))
        number = kinds.setdefault(kind, len(kinds))
        made[index] = _Alike(number, [index], together, 1 + sum(each.total for each in together))
    in_circle = {index for circle in found for index in circle}
    tops = _together([made.pop(index) for index in roots])
    tops.sort(key=lambda each: each.members[0] not in in_circle)
    return [_node(tasks, each, in_circle) for each in tops]


@dataclass(slots=True)
class _Alike:
    """A node while the tree is being made."""

    kind: int
    """Nodes of one kind are alike with all that is below them; negative: it closes a circle."""
    members: list[int]
    below: list["_Alike"]
    total: int


class _Numbers:
    """Numbers of chains, the same for equal ones. Most tasks share theirs, and looking at each frame takes long."""

    def __init__(self) -> None:
        self._by_identity: dict[int, int] = {}
        self._by_value: dict[tuple[ChainFrame, ...], int] = {}

    def of(self, chain: tuple[ChainFrame, ...]) -> int:
        """The number; the chain must outlive this."""
        number = self._by_identity.get(id(chain))
        if number is None:
            number = self._by_value.setdefault(chain, len(self._by_value))
            self._by_identity[id(chain)] = number
        return number


def _strong_components(tasks: Sequence[SeenTask]) -> Iterator[list[int]]:
    """Each task in one, with all from which it is reached and which it reaches."""
    numbers: dict[int, int] = {}
    low: dict[int, int] = {}
    open_tasks: list[int] = []
    is_open = bytearray(len(tasks))
    for start in range(len(tasks)):
        pending = [] if start in numbers else [(start, iter(tasks[start].awaiters))]
        while pending:
            index, awaiters = pending[-1]
            if index not in numbers:
                numbers[index] = low[index] = len(numbers)
                open_tasks.append(index)
                is_open[index] = 1
            following = next((each for each in awaiters if each not in numbers or is_open[each]), None)
            if following is None:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    low[above] = min(low[above], low[index])
                if low[index] == numbers[index]:
                    part = [open_tasks.pop()]
                    while part[-1] != index:
                        part.append(open_tasks.pop())
                    for each in part:
                        is_open[each] = 0
                    yield part
            elif following in numbers:
                low[index] = min(low[index], numbers[following])
            else:
                pending.append((following, iter(tasks[following].awaiters)))


def _from_one_on(first: int, awaited: dict[int, list[int]], part: Sequence[int]) -> list[int]:
    """All of a component, nearest to the first one first."""
    members, order, seen = set(part), [first], {first}
    for index in order:
        for each in awaited[index]:
            if each in members and each not in seen:
                seen.add(each)
                order.append(each)
    return order


def _parents(
    tasks: Sequence[SeenTask], found: Sequence[Sequence[int]]
) -> tuple[list[int | None], dict[int, list[int]]]:
    """Below which task each one stands; and for those that close circles, which tasks begin these."""
    parent: list[int | None] = [task.awaiters[0] if task.awaiters else None for task in tasks]
    closing: dict[int, list[int]] = {}
    for circle in found:
        place = {index: number for number, index in enumerate(circle)}
        parent[circle[0]] = None
        for index in circle[1:]:  # the nearest one stands before it: so none is above itself
            parent[index] = min((each for each in tasks[index].awaiters if each in place), key=place.__getitem__)
        for index in tasks[circle[0]].awaiters:
            if index in place:
                closing.setdefault(index, []).append(circle[0])
    return parent, closing


def _bottom_up(below: Sequence[Sequence[int]], roots: Iterable[int]) -> list[int]:
    """All tasks, each after those below it."""
    order = list(roots)
    for index in order:
        order.extend(below[index])
    return order[::-1]


def _together(nodes: list[_Alike]) -> list[_Alike]:
    """Those that are alike as one, where most tasks are first."""
    first_of: dict[int, _Alike] = {}
    for node in nodes:
        if node.kind not in first_of:
            first_of[node.kind] = node
            continue
        pending = [(first_of[node.kind], node)]
        while pending:  # alike ones have the same below them, in one order
            one, other = pending.pop()
            one.members += other.members
            one.total += other.total
            pending.extend(zip(one.below, other.below, strict=True))
    return sorted(first_of.values(), key=lambda each: (-each.total, each.kind))


def _node(tasks: Sequence[SeenTask], top: _Alike, in_circle: set[int]) -> TaskNode:
    order = [top]
    for node in order:
        order.extend(node.below)
    made: dict[int, TaskNode] = {}
    for node in reversed(order):
        below = tuple(made.pop(id(each)) for each in node.below)
        first = node.members[0]
        names = tuple(tasks[index].name for index in node.members)
        made[id(node)] = TaskNode(tasks[first], names, below, node.total, first in in_circle, node.kind < 0)
    return made[id(top)]
