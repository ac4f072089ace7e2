"""What each line of source costs: the functions that begin there, and the calls that are made from there."""

from sonde.base.units import counted
from sonde.code import Place
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, FunctionTotals, totals_by_function
from sonde.report import Column, Row, Table

_Line = tuple[str, int]
_NOWHERE: _Line = ("", 0)
_PLACE = Column("line", "line", "place")


def line_table(profile: ContextProfile, totals: FunctionTotals) -> Table:
    """Lines with the calls, the own weight of the functions that begin there, and the weight of calls from there.

    A line from which functions call each other in turn counts the outermost of these calls only.

    Args:
        totals: of the functions of the profile; their own values are taken.
    Cost: O(n) for n contexts; no recursion.
    """
    owners, made = _calls_made(profile)
    own: dict[_Line, list[int]] = {}
    own_weights = totals.self_ns if profile.has_time else totals.calls
    for number, function in enumerate(profile.functions):
        if totals.calls[number] and function.file and function.first_line:
            line = (function.file, function.first_line)
            owners.setdefault(line, number)
            sums = own.setdefault(line, [0, 0])
            sums[0] += totals.calls[number]
            sums[1] += own_weights[number]
    rows = []
    for line, number in owners.items():
        begun, calls_from = own.get(line), made.get(line)
        calls, weight = begun or (None, None)
        made_calls, below = calls_from or (None, None)
        cells = (made_calls if calls is None else calls, *((weight,) if profile.has_time else ()), below)
        rows.append((max(weight or 0, below or 0), Row((*cells, Place(*line, profile.functions[number])))))
    rows.sort(key=lambda each: -each[0])
    notes = (f"of the {counted(len(profile.contexts), 'heaviest context')}",) if profile.pruned_contexts else ()
    return Table(
        "lines",
        "lines",
        _columns(profile),
        [row for _, row in rows],
        ("what begins there, and what is called from there", *notes),
        "line",
        is_secondary=True,
    )


def _columns(profile: ContextProfile) -> tuple[Column, ...]:
    calls = Column(
        "calls",
        "calls",
        "count",
        profile.total_calls,
        meaning="of the function that begins there, else made from there",
    )
    whole, meaning = profile.whole, "in calls made from there"
    if not profile.has_time:
        return calls, Column("callees", "calls below", "count", whole, is_hot=True, meaning=meaning), _PLACE
    own = Column("self", "self", "duration", whole, is_hot=True, meaning="of the function that begins there")
    return calls, own, Column("callees", "callees", "duration", whole, is_hot=True, meaning=meaning), _PLACE


def _calls_made(profile: ContextProfile) -> tuple[dict[_Line, int], dict[_Line, tuple[int, int]]]:
    """A function for each line that calls are made from, and the calls and their weight."""
    tree = profile.contexts
    numbers = {_NOWHERE: 0}
    owners: dict[_Line, int] = {}
    lines = []
    for above, line in zip(tree.parent, tree.call_line, strict=True):
        at = _NOWHERE
        if above != NO_PARENT and line and profile.functions[tree.function[above]].file:
            at = (profile.functions[tree.function[above]].file, line)
            owners.setdefault(at, tree.function[above])
        lines.append(numbers.setdefault(at, len(numbers)))
    sums = totals_by_function(tree, lines, len(numbers))
    weights = sums.total_ns if profile.has_time else sums.total_calls
    return owners, {at: (sums.calls[numbers[at]], weights[numbers[at]]) for at in owners}
