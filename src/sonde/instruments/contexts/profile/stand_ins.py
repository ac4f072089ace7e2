"""What stands in a profile for code that is not told of one by one: imports, waiting, code elsewhere."""

from sonde.events import Function

IMPORTS = Function("imports", "", "", 0, "builtin")
"""The interpreter's import machinery with all that ran beneath it, bodies of modules too."""
WAITING = Function("waiting", "", "", 0, "builtin")
"""Functions that wait, where they are not told of themselves; see `is_waiting`."""
ELSEWHERE = Function("elsewhere", "", "", 0, "builtin")
"""Code that was left out and that nothing called which is told of."""

_STAND_INS = frozenset({IMPORTS, WAITING, ELSEWHERE})


def is_stand_in(function: Function) -> bool:
    """Whether it is no function of the program, but stands for many."""
    return function in _STAND_INS
