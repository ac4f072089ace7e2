"""What tasks of asyncio wait for most, and what a function that holds the loop mostly runs."""

from collections import defaultdict

from sonde.code import origin_of
from sonde.instruments.contexts.profile import ContextProfile, TaskAwait, TaskTimes

_OF_OTHER_TASKS = frozenset(
    {
        *(("asyncio.taskgroups", name) for name in ("TaskGroup.__aexit__", "TaskGroup._aexit")),
        *(("asyncio.tasks", name) for name in ("wait", "_wait", "wait_for")),
        *(("asyncio.base_events", name) for name in ("Server.serve_forever", "Server.wait_closed")),
    }
)
"""Module and qualified name of coroutines that wait until other tasks have ended."""
_FUTURES_OF_TASKS = frozenset({"task", "_GatheringFuture"})


def is_for_tasks(profile: ContextProfile, wait: TaskAwait) -> bool:
    """Whether what is awaited is other tasks, which say themselves what they wait for."""
    if wait.thing in _FUTURES_OF_TASKS:
        return True
    awaited = profile.functions[wait.awaited] if wait.awaited >= 0 else None
    return awaited is not None and (awaited.module, awaited.name) in _OF_OTHER_TASKS


def heaviest_await(profile: ContextProfile, tasks: TaskTimes) -> list[TaskAwait]:
    """What is awaited most at one place, by tasks of one or several groups; empty where nothing is awaited.

    Waits for other tasks are left out. Places in a library are told apart by where the program made the task.

    Cost: O(n) for n places.
    """
    found: dict[tuple[object, ...], list[TaskAwait]] = defaultdict(list)
    for wait in tasks.awaits:
        if wait.awaited_ns and not is_for_tasks(profile, wait):
            group, is_own = tasks.groups[wait.task], origin_of(profile.functions[wait.function]) == "own"
            made = () if is_own else (group.made_in, group.made_at_line)
            found[wait.function, wait.line, wait.awaited, wait.thing, *made].append(wait)
    return max(found.values(), key=lambda waits: sum(wait.awaited_ns for wait in waits), default=[])


def heaviest_path(profile: ContextProfile, function: int) -> list[int]:
    """Where most of the time of a function is spent: down from callee to callee that has more than half of it.

    Returns:
        indices of functions, that of `function` first.
    Cost: O(n) for n contexts, for each call on the way.
    """
    tree = profile.contexts
    rows = {row for row, each in enumerate(tree.function) if each == function}
    rows = {row for row in rows if tree.parent[row] not in rows}
    path = [function]
    while rows:
        whole = sum(tree.total_ns[row] for row in rows)
        below: dict[int, set[int]] = defaultdict(set)
        for row, above in enumerate(tree.parent):
            if above in rows:
                below[tree.function[row]].add(row)
        weight = {callee: sum(tree.total_ns[row] for row in found) for callee, found in below.items()}
        callee = max(weight, key=weight.__getitem__, default=function)
        if callee in path or 2 * weight[callee] <= whole:
            break
        rows = below[callee]
        path.append(callee)
    return path
