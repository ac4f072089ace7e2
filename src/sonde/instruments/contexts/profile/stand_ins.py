"""What stands in a profile for code that is not told of one by one: imports, waiting, the interpreter's own doings."""

from sonde.events import Function

IMPORTS = Function("imports", "", "", 0, "builtin")
"""The interpreter's import machinery with all that ran beneath it, bodies of modules too."""
WAITING = Function("waiting", "", "", 0, "builtin")
"""Functions that wait, where they are not told of themselves; see `is_waiting`."""
LOCK_WAITING = Function("waiting for the lock", "", "", 0, "builtin")
"""A thread that waits for the interpreter's lock, below the function that goes on when it has it."""
COLLECTING = Function("garbage collection", "", "", 0, "builtin")
"""Collecting garbage, below the function that came to do it."""
TASK_WAITING = Function("waiting for tasks", "", "", 0, "builtin")
"""A task of asyncio that waits for others, below the function that awaits them."""
READY = Function("ready", "", "", 0, "builtin")
"""A task that could go on, and its loop does something else; below the function that it goes on in."""
ELSEWHERE = Function("elsewhere", "", "", 0, "builtin")
"""Code that was left out and that nothing called which is told of."""

_STAND_INS = frozenset({IMPORTS, WAITING, LOCK_WAITING, COLLECTING, TASK_WAITING, READY, ELSEWHERE})


def is_stand_in(function: Function) -> bool:
    """Whether it is no function of the program, but stands for many."""
    return function in _STAND_INS
