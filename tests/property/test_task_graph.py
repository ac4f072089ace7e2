"""Tasks as a tree, and in circles, against what follows from the definitions by looking at all paths."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from sonde.code import Function
from sonde.instruments.contexts.analysis.task_graph import (
    ChainFrame,
    SeenTask,
    TaskNode,
    TaskState,
    circles,
    task_forest,
)

_FUNCTIONS = [Function(f"f{i}", "app", "app.py", i + 1) for i in range(2)]


@st.composite
def _tasks(draw: st.DrawFn) -> list[SeenTask]:
    count = draw(st.integers(0, 12))
    indices = st.lists(st.integers(0, max(0, count - 1)), max_size=3, unique=True)
    return [
        SeenTask(
            draw(st.sampled_from(("a", "b", f"Task-{index}"))),
            draw(st.sampled_from(TaskState)),
            tuple(ChainFrame(each, 3) for each in draw(st.lists(st.sampled_from(_FUNCTIONS), max_size=2))),
            draw(st.sampled_from(("", "_asyncio.Future"))),
            "",
            tuple(draw(indices)),
        )
        for index in range(count)
    ]


def _reached(tasks: list[SeenTask], start: int) -> set[int]:
    """By going to who awaits it, one time or more."""
    found: set[int] = set()
    pending = [start]
    while pending:
        for each in tasks[pending.pop()].awaiters:
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def _nodes(forest: list[TaskNode]) -> list[TaskNode]:
    order = list(forest)
    for node in order:
        order.extend(node.below)
    return order


@given(_tasks())
@examples(1.0)
def test_who_is_reached_from_itself_is_in_one_circle_and_nobody_else(tasks: list[SeenTask]) -> None:
    reached = [_reached(tasks, index) for index in range(len(tasks))]
    found = circles(tasks)
    assert sorted(index for circle in found for index in circle) == [
        index for index in range(len(tasks)) if index in reached[index]
    ]
    for circle in found:
        assert all(other in reached[one] for one in circle for other in circle)


@given(_tasks())
@examples(1.0)
def test_each_task_is_in_one_node_below_one_that_awaits_it(tasks: list[SeenTask]) -> None:
    forest = task_forest(tasks)
    nodes = _nodes(forest)
    names = Counter(name for node in nodes if not node.closes for name in node.names)
    assert names == Counter(task.name for task in tasks)
    assert sum(node.total for node in forest) == len(tasks)
    in_circle = {index for circle in circles(tasks) for index in circle}
    assert sum(len(node.names) for node in nodes if node.is_in_circle and not node.closes) == len(in_circle)
    # One stands at the top if nobody awaits it, or a circle begins with it.
    tops = sum(len(node.names) for node in forest)
    assert tops == sum(not task.awaiters for task in tasks) + len(circles(tasks))
    assert [node.is_in_circle for node in forest] == sorted((node.is_in_circle for node in forest), reverse=True)


def test_a_chain_of_ten_thousand_tasks_needs_no_recursion() -> None:
    tasks = [SeenTask(f"t{i}", TaskState.WAITS, (), "", "", (i - 1,) if i else ()) for i in range(10_000)]
    assert circles(tasks) == []
    assert task_forest(tasks)[0].total == 10_000
