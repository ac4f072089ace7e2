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
ELSEWHERE = Function("elsewhere", "", "", 0, "builtin")
"""Code that was left out and that nothing called which is told of."""

_STAND_INS = frozenset({IMPORTS, WAITING, LOCK_WAITING, COLLECTING, ELSEWHERE})


def is_stand_in(function: Function) -> bool:
    """Whether it is no function of the program, but stands for many."""
    return function in _STAND_INS
