"""Contexts whose calls are known by number: their lines, and the functions that were inlined around them."""

from array import array
from collections.abc import Callable

from sonde.code import Function, Place
from sonde.events import FunctionTable
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Regrouping


def with_inlined_functions(profile: ContextProfile, place: Callable[[int], Place]) -> ContextProfile:
    """Give calls the lines of their places, and put functions that were inlined between caller and callee.

    Such a function has the values of what was called from its code, and none of its own: it was not seen to run.

    Args:
        profile: with numbers of places for `call_line`.
        place: of a number.
    Guarantee: no total changes; the calls of a function in a context of functions with probes are as many as before.
    Cost: O(n), and one `place` for each number.
    """
    functions, tree = FunctionTable(profile.functions), profile.contexts
    known: dict[int, tuple[tuple[tuple[int, int], ...], int]] = {}
    regrouping = Regrouping(profile, functions)
    new_row = array("q", [NO_PARENT]) * (len(tree) + 1)  # the last one is the caller of roots, -1
    for row, (above, function, number) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True)):
        if number not in known:
            known[number] = _chain(place(number), functions)
        inlined, line = known[number]
        at = new_row[above]
        for each, inlined_line in inlined:
            at = regrouping.at(at, each, inlined_line)
        new_row[row] = regrouping.at(at, function, line)
    return regrouping.made(new_row[:-1])


def _chain(place: Place, functions: FunctionTable) -> tuple[tuple[tuple[int, int], ...], int]:
    """Functions that were inlined into one with probes, outermost first, each with the line of that call; and the
    line of the call itself."""
    outwards = (place, *place.inlined_into)
    inlined = tuple(
        (functions.number(inner.function or Function("(unknown)", "", inner.file, 0, "function", "jit")), outer.line)
        for inner, outer in zip(outwards[-2::-1], outwards[:0:-1], strict=True)
    )
    return inlined, place.line
