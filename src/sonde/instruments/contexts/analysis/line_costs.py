"""What each line of source costs: the functions that begin there, and the calls that are made from there."""

from dataclasses import dataclass

from sonde.code import Function, Place
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, FunctionTotals, totals_by_function

_Line = tuple[str, int]
_NOWHERE: _Line = ("", 0)


@dataclass(frozen=True, slots=True)
class LineCost:
    """One line; weights are nanoseconds, or calls when times were not measured."""

    place: Place
    calls: int
    """Of the functions that begin there; else those made from there."""
    own: int | None
    """Weight of the functions that begin there; None where none does."""
    callees: int | None
    """Weight of the calls from there; None where none are made."""


def line_costs(profile: ContextProfile, totals: FunctionTotals) -> list[LineCost]:
    """Lines, heaviest first.

    Args:
        totals: of the functions of the profile; their own values are taken.
    Guarantee: a line from which functions call each other in turn counts the outermost of these calls only.
    Cost: O(n log n) for n contexts; no recursion.
    """
    owners, made = _calls_made(profile)
    begun: dict[_Line, tuple[int, int]] = {}
    own_weights = totals.self_ns if profile.has_time else totals.calls
    for number, function in enumerate(profile.functions):
        if totals.calls[number] and function.file and function.first_line:
            line = (function.file, function.first_line)
            owners.setdefault(line, function)
            calls, own = begun.get(line, (0, 0))
            begun[line] = calls + totals.calls[number], own + own_weights[number]
    costs = []
    for line, owner in owners.items():
        ours, theirs = begun.get(line), made.get(line)
        own_weight, callees = (None if sums is None else sums[1] for sums in (ours, theirs))
        costs.append(LineCost(Place(*line, owner), (ours or theirs or (0, 0))[0], own_weight, callees))
    costs.sort(key=lambda cost: -max(cost.own or 0, cost.callees or 0))
    return costs


def _calls_made(profile: ContextProfile) -> tuple[dict[_Line, Function], dict[_Line, tuple[int, int]]]:
    """A function for each line that calls are made from, and the calls and their weight."""
    tree = profile.contexts
    numbers = {_NOWHERE: 0}
    owners: dict[_Line, Function] = {}
    lines = []
    for above, line in zip(tree.parent, tree.call_line, strict=True):
        at = _NOWHERE
        if above != NO_PARENT and line and profile.functions[tree.function[above]].file:
            caller = profile.functions[tree.function[above]]
            at = (caller.file, line)
            owners.setdefault(at, caller)
        lines.append(numbers.setdefault(at, len(numbers)))
    sums = totals_by_function(tree, lines, len(numbers))
    weights = sums.total_ns if profile.has_time else sums.total_calls
    return owners, {at: (sums.calls[numbers[at]], weights[numbers[at]]) for at in owners}
