"""What loops of asyncio run besides tasks: callbacks of timers, sockets and futures, which hold them, too."""

from collections import Counter

from sonde.instruments.contexts.profile import ContextProfile, TaskTimes

_CALLER = ("asyncio.events", "Handle._run")
"""Module and qualified name of the function by which asyncio's own loops call all callbacks."""


def loop_callbacks(profile: ContextProfile, tasks: TaskTimes) -> Counter[int]:
    """Time of callbacks that are no steps of tasks, by function; empty under loops that call them from C (uvloop).

    Returns:
        nanoseconds with all that they called, by number of the function; what was not kept of the tree is missing.
    Cost: O(n) for n contexts.
    """
    tree = profile.contexts
    callers = {number for number, each in enumerate(profile.functions) if (each.module, each.name) == _CALLER}
    coroutines = {group.coroutine for group in tasks.groups}
    found: Counter[int] = Counter()
    for function, above, total in zip(tree.function, tree.parent, tree.total_ns, strict=True):
        if above >= 0 and tree.function[above] in callers and function not in coroutines:
            found[function] += total
    return found
