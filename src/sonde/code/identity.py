"""When functions that different instruments tell of are the same one."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from sonde.code.function import Function

IMPLICIT = {
    "<listcomp>": "list comprehension",
    "<setcomp>": "set comprehension",
    "<dictcomp>": "dict comprehension",
    "<genexpr>": "generator expression",
}
"""Names that CPython makes for functions without one, and what people call them: `list comprehension in parse`."""

_LOCALS = ".<locals>"


class FunctionIndex:
    """Functions by what they are, for others to be found again.

    Instruments know more or less of a function: an interpreter its module, debug information its file, a compiler's
    log perhaps the name alone. Two are one function if they agree in name and in the file's name and line as far as
    both know them, and no other fits as well. A generator expression, which one calls `generator expression in parse`
    and another `parse.<locals>.<genexpr>`, is one function, and so is a comprehension.

    >>> index = FunctionIndex([Function("parse", "app", "/home/ada/app.py", 3), Function("main", "", "main.c", 1)])
    >>> index.find(Function("parse", "", "app.py", 3)), index.find(Function("main", "", "", 0)), index.find(
    ...     Function("parse", "", "other.py", 3))
    (0, 1, None)
    """

    def __init__(self, functions: Iterable[Function]) -> None:
        self._functions = list(functions)
        self._named: dict[str, list[int]] = defaultdict(list)
        for number, function in enumerate(self._functions):
            self._named[_bare(function)].append(number)

    def find(self, function: Function) -> int | None:
        """Which of the functions it is; None where it is none or could be several.

        Cost: O(n) for n functions of its name.
        """
        fitting = [number for number in self._named[_bare(function)] if _may_be_one(self._functions[number], function)]
        exact = [number for number in fitting if self._functions[number] == function]
        return exact[0] if exact else fitting[0] if len(fitting) == 1 else None


def _bare(function: Function) -> str:
    """The name without the parameters that C++ has behind it, and without the module that a record has before it.

    Of what has no name of its own, the name that CPython makes, without that of the function around it.
    """
    if function.language != "python":
        return function.name.partition("(")[0]
    implicit, _ = _implicit(function)
    return implicit or function.name.partition("(")[0].rpartition(":")[2].replace(_LOCALS, "")


def _implicit(function: Function) -> tuple[str, frozenset[str]]:
    """The name that CPython makes, empty for all others; and what the function around it may be, empty for a module."""
    around, _, name = function.name.rpartition(".")
    if name in IMPLICIT:
        return name, frozenset({around.rpartition(":")[2].replace(_LOCALS, "")})
    words, is_in, around = function.name.partition(" in ")
    name = next((made for made, called in IMPLICIT.items() if called == words), "") if is_in else ""
    # At the top of a module it is called after that, or after the file.
    is_at_top = not name or around in (function.module, function.file)
    return name, frozenset({around.replace(_LOCALS, ""), *([""] if is_at_top else [])})


def _may_be_one(one: Function, other: Function) -> bool:
    (name, around), (_, other_around) = _implicit(one), _implicit(other)
    if name and around.isdisjoint(other_around):
        return False
    files = PurePath(one.file).name, PurePath(other.file).name
    lines = one.first_line, other.first_line
    return (not all(files) or files[0] == files[1]) and (not all(lines) or lines[0] == lines[1])
