"""On whose behalf a program waits most: functions that wait are called by libraries, which the program calls."""

from collections import defaultdict
from dataclasses import dataclass

from sonde.code import Function, is_launch_machinery, origins_of
from sonde.instruments.contexts.profile import NO_PARENT, WAITING, ContextProfile, is_stand_in, is_waiting

_NEARNESS = {"own": 2, "installed": 1}
"""To the reader's question: what is neither is in the standard library or the interpreter."""
_STARTING = frozenset({"Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run"})
"""Functions of `threading` by which a thread begins."""


@dataclass(frozen=True, slots=True)
class Wait:
    """What one function waits in one that it calls, or in what that calls."""

    caller: int
    """Number of the innermost function of the program itself that waits there; else of a library that was installed;
    else of the outermost one, behind what starts the thread or the module."""
    callee: int
    """Number of the function of a library that it called; its own where it waits itself."""
    own: int
    """Nanoseconds."""


def heaviest_wait(profile: ContextProfile) -> Wait | None:
    """What takes most of the waiting; None where nothing waits.

    Cost: O(n) for n contexts.
    """
    functions, tree = profile.functions, profile.contexts
    waits = [function == WAITING or is_waiting(function) for function in functions]
    if not any(waits):
        return None
    origins = origins_of(functions)
    nearness = [0 if is_stand_in(function) else _NEARNESS.get(origins[function], 0) for function in functions]
    starts = [_is_start(function) for function in functions]
    callers, callees = [-1] * (len(tree) + 1), [-1] * (len(tree) + 1)  # the last one is the caller of roots, -1
    sums: dict[tuple[int, int], int] = defaultdict(int)
    for row, (above, function, own) in enumerate(zip(tree.parent, tree.function, tree.self_ns, strict=True)):
        caller = callers[above]
        is_nearer = 0 < nearness[function] >= nearness[caller] or starts[caller]
        if above == NO_PARENT or is_nearer:
            callers[row], callees[row] = function, -1
        else:
            callers[row] = caller
            callees[row] = function if callees[above] < 0 else callees[above]
        if waits[function]:
            sums[callers[row], callers[row] if callees[row] < 0 else callees[row]] += own
    (caller, callee), own = max(sums.items(), key=lambda item: item[1], default=((0, 0), 0))
    return Wait(caller, callee, own) if own else None


def _is_start(function: Function) -> bool:
    """Whether it starts a thread, or the module that the program is."""
    return (function.module == "threading" and function.name in _STARTING) or is_launch_machinery(function)
