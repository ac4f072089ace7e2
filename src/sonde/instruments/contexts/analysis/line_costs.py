"""What each line of source costs: its own time, the functions that begin there, the calls that are made from there."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.code import CodeSelection, Function, Place
from sonde.instruments.contexts.analysis.line_shares import line_shares, watching_by_line
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, FunctionTotals, totals_by_function

_Line = tuple[str, int]
_NOWHERE: _Line = ("", 0)


@dataclass(frozen=True, slots=True)
class LineCost:
    """One line; weights are nanoseconds, or calls when times were not measured."""

    place: Place
    calls: int | None
    """Of the functions that begin there; else those made from there; None where there is neither."""
    own: int | None
    """Own weight: of the line, where the lines of its function are told apart, and of functions that begin there whose
    lines are not; None where there is neither."""
    around: int | None
    """The true own weight is within so much of it, 19 times out of 20; None: it was not sampled."""
    callees: int | None
    """Weight of the calls from there; None where none are made."""
    alone: int
    """What is of no other line: the own weight, and what is called from there that has no lines, or none that are
    listed."""


def line_costs(
    profile: ContextProfile, totals: FunctionTotals, selection: CodeSelection | None = None
) -> list[LineCost]:
    """Lines: where they were sampled by what is theirs alone, else by all that they cost, heaviest first.

    Args:
        totals: of the functions of the profile; their own values are taken.
        selection: the functions whose lines are listed; all calls that are made from there count.
    Guarantee: own weights of the lines of a function add up to its own. A line from which functions call each other in
        turn counts the outermost of these calls only.
    Cost: O(n log n) for n contexts; no recursion.
    """
    owners, made = _calls_made(profile)
    own_weights = totals.self_ns if profile.has_time else totals.calls
    calls: dict[_Line, int] = {}
    own: dict[_Line, int] = {}
    around: dict[_Line, int] = {}
    watching = watching_by_line(profile) if profile.has_time and profile.line_samples else {}
    for number, function in enumerate(profile.functions):
        has_run = totals.calls[number] if profile.has_calls else totals.contexts[number]
        if not (has_run and function.file and function.first_line):
            continue
        begin = (function.file, function.first_line)
        owners.setdefault(begin, function)
        calls[begin] = calls.get(begin, 0) + totals.calls[number]
        samples = profile.line_samples.get(function, {}) if profile.has_time else {}
        shares = line_shares(own_weights[number], samples, watching.get(number))
        for share in shares:
            line = (function.file, share.line)
            owners.setdefault(line, function)
            own[line] = own.get(line, 0) + share.own_ns
            around[line] = around.get(line, 0) + share.around_ns
        if not shares:
            own[begin] = own.get(begin, 0) + own_weights[number]
    listed = frozenset(profile.functions) if selection is None else selection.among(profile.functions)
    is_listed = [bool(function.file) and function in listed for function in profile.functions]
    unlisted = _unlisted_below(profile, is_listed)
    costs = []
    for line, owner in owners.items():
        if owner not in listed:
            continue
        callees = made.get(line)
        count = calls.get(line, None if callees is None else callees[0])
        alone = own.get(line, 0) + unlisted.get(line, 0)
        costs.append(
            LineCost(
                Place(*line, owner),
                count,
                own.get(line),
                around.get(line),
                None if callees is None else callees[1],
                alone,
            )
        )
    if around:
        costs.sort(key=lambda cost: -cost.alone)
    else:
        costs.sort(key=lambda cost: -max(cost.own or 0, cost.callees or 0))
    return costs


def _unlisted_below(profile: ContextProfile, is_listed: Sequence[bool]) -> dict[_Line, int]:
    """What functions that are not listed have of their own, by the line that calls them, or calls what calls them."""
    tree = profile.contexts
    weights = tree.self_ns if profile.has_time else tree.calls
    sums: dict[_Line, int] = {}
    called_from: list[_Line] = []
    for above, function, line, weight in zip(tree.parent, tree.function, tree.call_line, weights, strict=True):
        at = _NOWHERE
        if above != NO_PARENT and not is_listed[function]:
            caller = tree.function[above]
            at = (profile.functions[caller].file, line) if is_listed[caller] else called_from[above]
            sums[at] = sums.get(at, 0) + weight
        called_from.append(at)
    return sums


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
