"""What all tasks of asyncio of a process await at one moment, as a report."""

import re
from collections import Counter
from collections.abc import Sequence

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import counted
from sonde.code import Place, origin_of
from sonde.evidence import Loss
from sonde.instruments.contexts.analysis.task_graph import (
    ChainFrame,
    SeenTask,
    TaskNode,
    TaskState,
    circles,
    task_forest,
)
from sonde.render.place_text import fitting_place
from sonde.report import Block, Cell, Column, Fact, Facts, Named, Notices, Record, Report, Row, Table

_MOST = 60
"""Trees of tasks on paper."""
_MOST_IN_CIRCLE = 6
"""Tasks of a circle that are named in a sentence."""
_MOST_CIRCLES = 2
_LONGEST_NAME, _LONGEST_PLACE = 24, 24
_NUMBER = re.compile(r"\d+")
_STATES = {
    TaskState.RUNS: "runs",
    TaskState.READY: "ready",
    TaskState.WAITS: "waits",
    TaskState.WAITS_FOR_TASKS: "waits for tasks",
}
_USUAL = frozenset({"", "_asyncio.Future", "_asyncio.Task", "_GatheringFuture"})
"""Types of what is waited for that go without saying."""


def tasks_now_report(
    title: str, tasks: Sequence[SeenTask], facts: Sequence[Fact], losses: Sequence[Loss] = ()
) -> Report:
    """The tasks as they await one another.

    Args:
        title: what was looked at.
        facts: of the process, and of the look.
        losses: tasks that could not be told of.
    Cost: O(n log n) for n tasks.
    """
    blocks: list[Block] = [Facts((Fact("tasks", len(tasks), "count", "{} tasks", "{} task"), *facts), "run")]
    if tasks:
        blocks.append(_tree(task_forest(tasks)))
    blocks.append(Notices(tuple(losses)))
    return Report("tasks-now", title, tuple(blocks), headline=_headline(tasks))


def _headline(tasks: Sequence[SeenTask]) -> tuple[str, ...]:
    if not tasks:
        return ("No task of asyncio is there.",)
    found = circles(tasks)
    said = [_circle(tasks, circle) for circle in found[:_MOST_CIRCLES]]
    if more := len(found) - _MOST_CIRCLES:
        said += [f"There {'is' if more == 1 else 'are'} {counted(more, 'more circle')}."] if more > 0 else []
    states = Counter(task.state for task in tasks)
    words = {
        TaskState.WAITS: ("waits", "wait"),
        TaskState.WAITS_FOR_TASKS: ("waits for other tasks", "wait for other tasks"),
        TaskState.READY: ("could go on", "could go on"),
        TaskState.RUNS: ("runs", "run"),
    }
    did = ", ".join(f"{states[state]:,} {words[state][states[state] > 1]}" for state in words if states[state])
    said.append(f"Of {counted(len(tasks), 'task')}, {did}.")
    return (*said, *_heaviest(tasks))


def _circle(tasks: Sequence[SeenTask], circle: Sequence[int]) -> str:
    named = [_short(tasks[index].name) for index in circle[:_MOST_IN_CIRCLE]]
    first = tasks[circle[0]]
    if first.frames:
        named[0] += f" ({fitting_place(_placed(first.frames[-1]), _LONGEST_PLACE)})"
    if len(circle) > _MOST_IN_CIRCLE:
        named.append("…")
    told = " → ".join([*named, _short(first.name)])
    if len(circle) == 1:
        return f"A task awaits itself, and goes on only if that is cancelled: {told}."
    return f"{len(circle)} tasks await each other in a circle, and go on only if one is cancelled: {told}."


def _heaviest(tasks: Sequence[SeenTask]) -> list[str]:
    """The place at which most tasks wait."""
    places: Counter[tuple[ChainFrame, str]] = Counter()
    chains = Counter(task.frames for task in tasks if task.state is TaskState.WAITS and task.frames)
    for frames, times in chains.items():
        nearest = next((each for each in reversed(frames) if origin_of(each.function) == "own"), None)
        where = nearest or frames[0]
        places[where, "" if frames[-1] is where else frames[-1].function.label] += times
    if not places:
        return []
    ((frame, inside), count) = places.most_common(1)[0]
    if count < 2:
        return []
    what = f", in {_short(inside)}" if inside else ""
    at = fitting_place(_placed(frame), _LONGEST_PLACE)
    return [f"Most wait in {_short(frame.function.label)} ({at}){what}: {count:,}."]


def _tree(forest: Sequence[TaskNode]) -> Table:
    columns = (
        Column("count", "tasks", "count"),
        Column("task", "task", "name"),
        Column("place", "", "place"),
        Column("state", "", is_category=True),
        Column("total", "with those below", "count", shown="data"),
        Column("awaited", "type of what it waits for", shown="data"),
        Column("names", "names", shown="data"),
    )
    rows = [_rows(node) for node in forest]
    return Table(
        "tasks_now",
        "tasks",
        columns,
        rows,
        ("each below what awaits it",),
        "tree of tasks",
        _MOST,
    )


def _rows(top: TaskNode) -> Row:
    """A row for each node, with its frames below it, the innermost one with the tasks that it awaits. No recursion."""
    order = [top]
    for node in order:
        order.extend(node.below)
    made: dict[int, Row] = {}
    for node in reversed(order):
        below = tuple(made.pop(id(each)) for each in node.below)
        for frame in reversed(node.task.frames[1:] if not node.closes else ()):
            below = (Row((None, frame.function, _placed(frame), None, None, None, None), below),)
        made[id(node)] = _row(node, below)
    return made[id(top)]


def _row(node: TaskNode, below: tuple[Row, ...]) -> Row:
    task = node.task
    first = task.frames[0] if task.frames else None
    name = _name(node.names)
    if node.closes:
        return Row((None, f"{name}, as above", None, "in a circle", 0, None, None), tone="bad")
    label: Cell = f"{name}: {task.made_of}" if task.made_of else name
    if first is not None:
        label = Named(f"{name}: {first.function.label}", first.function)
    state = _STATES[task.state] + ("" if task.awaited in _USUAL else f" for {task.awaited}")
    cells = (len(node.names), label, None if first is None else _placed(first), state, node.total)
    return Row((*cells, task.awaited or None, Record(list(node.names))), below, tone="bad" if node.is_in_circle else "")


def _name(names: Sequence[str]) -> str:
    """What several tasks are called together: `worker-*`."""
    if len(set(names)) == 1:
        return names[0]
    starred = {_NUMBER.sub("*", name) for name in names}
    return starred.pop() if len(starred) == 1 else f"{min(names)}, …"


def _placed(frame: ChainFrame) -> Place:
    return Place(frame.function.file, frame.line or frame.function.first_line, frame.function)


def _short(name: str) -> str:
    return keep_both_ends(name, _LONGEST_NAME)
