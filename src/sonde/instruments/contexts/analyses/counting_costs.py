"""What counting calls took, out of times that were sampled."""

from array import array
from collections.abc import Collection
from typing import NamedTuple

from sonde.instruments.contexts.profile import NO_PARENT, Contexts


class CountingCosts(NamedTuple):
    """Nanoseconds of one call: what the caller was seen to spend on its being counted, and the callee."""

    caller: float = 0.0
    callee: float = 0.0
    builtin_caller: float = 0.0
    """Likewise of a call of a function written in C."""
    builtin_callee: float = 0.0


def without_counting(
    tree: Contexts, costs: CountingCosts, counted: Collection[int], builtins: Collection[int]
) -> "array[int]":
    """Own times less what counting took: (n_contexts,) int64, nanoseconds.

    A context that was seldom looked at may have been seen for less than its calls cost, or not at all, while others
    like it were seen for more. So what is too much for one is taken from the other contexts of its function, from each
    in proportion.

    Args:
        tree: own times as sampled, and all calls.
        counted, builtins: functions whose calls cost that, by their numbers; others cost nothing.
    Guarantee: nothing is below zero, or more than it was. All that is taken from the contexts of a function is what
        counting cost them together, but for one nanosecond each, or all that they have if that is less.
    Cost: O(n_contexts).
    """
    due = _cost_of(tree, costs, frozenset(counted), frozenset(builtins))
    left = array("q")
    too_much: dict[int, float] = {}
    rest: dict[int, int] = {}
    for function, own, cost in zip(tree.function, tree.self_ns, due, strict=True):
        value = max(0, own - round(cost))
        left.append(value)
        rest[function] = rest.get(function, 0) + value
        if cost > own:
            too_much[function] = too_much.get(function, 0.0) + cost - own
    for function, missing in too_much.items():
        rest[function] = max(0, rest[function] - round(missing))
    whole: dict[int, int] = {}
    for function, value in zip(tree.function, left, strict=True):
        if function in too_much:
            whole[function] = whole.get(function, 0) + value
    for row, function in enumerate(tree.function):
        if function in too_much and whole[function]:
            part = left[row] * rest[function] // whole[function]
            whole[function] -= left[row]
            rest[function] -= part
            left[row] = part
    return left


def _cost_of(tree: Contexts, costs: CountingCosts, counted: frozenset[int], builtins: frozenset[int]) -> list[float]:
    due = [0.0] * (len(tree) + 1)  # the last: what calls the roots
    for row, (above, function, calls) in enumerate(zip(tree.parent, tree.function, tree.calls, strict=True)):
        if function in builtins:
            due[row] += calls * costs.builtin_callee
            due[above] += calls * costs.builtin_caller
        elif function in counted:
            due[row] += calls * costs.callee
            due[above] += calls * costs.caller
    del due[NO_PARENT]
    return due
