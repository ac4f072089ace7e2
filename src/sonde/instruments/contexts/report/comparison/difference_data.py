"""All that differs between two profiles, as tables for programs."""

from collections.abc import Sequence
from itertools import zip_longest

from sonde.instruments.contexts.profile import NO_PARENT
from sonde.instruments.contexts.profile.comparison import ContextDiff
from sonde.instruments.contexts.report.comparison.change_tables import change_unit, former_function
from sonde.report import Cell, Change, Column, Row, Table


def difference_data(diff: ContextDiff) -> tuple[Table, ...]:
    """Contexts that changed and their callers, functions that are not the same on both sides, call sites guessed.

    Cost: O(n) for n contexts; no recursion.
    """
    return _contexts(diff), _pairs(diff), _sites(diff)


def _contexts(diff: ContextDiff) -> Table:
    before, after, changes = diff.contexts.before, diff.contexts.after, diff.changes
    present, pairs = (diff.contexts.present_before, diff.contexts.present_after), diff.contexts.functions.pairs
    lines, new_lines = ([line or None for line in side.call_line] for side in (before, after))
    values: tuple[tuple[Column, Sequence[int | None], Sequence[int | None]], ...] = (
        (Column("call_line", "from line", "count"), lines, new_lines),
        (Column("calls", "calls", "count"), before.calls, after.calls),
        (Column("total_calls", "calls below", "count"), before.total_calls, after.total_calls),
        (Column("self", "self", "duration"), before.self_ns, after.self_ns),
        (Column("total", "total", "duration"), before.total_ns, after.total_ns),
    )
    unit = change_unit(diff.yardstick)
    columns = (
        Column("function", "function", "name"),
        Column("was", "was", "name"),
        Column("status", "status"),
        Column("change", "change", unit, is_signed=True),
        Column("own_change", "own change", unit, is_signed=True),
        *(column for column, _, _ in values),
    )
    below: dict[int, list[Row]] = {}
    for row in reversed(range(len(before.parent))):
        callees = below.pop(row, [])
        if changes.status[row] == "unchanged" and not callees:
            continue
        ours, theirs = (bool(side[row]) for side in present)
        pair = pairs[before.function[row]]
        cells: tuple[Cell, ...] = (
            pair.either,
            former_function(pair),
            changes.status[row],
            changes.total[row],
            changes.own[row],
        )
        sides = (Change(old[row] if ours else None, new[row] if theirs else None) for _, old, new in values)
        below.setdefault(before.parent[row], []).append(Row((*cells, *sides), tuple(reversed(callees))))
    rows = list(reversed(below.get(NO_PARENT, [])))
    return Table("changed_contexts", "contexts that changed", columns, rows, is_secondary=True)


def _pairs(diff: ContextDiff) -> Table:
    columns = (Column("function", "function", "name"), Column("was", "was", "name"), Column("how", "how"))
    rows = [
        Row((pair.either, former_function(pair), pair.how))
        for pair in diff.contexts.functions.pairs
        if pair.how != "same"
    ]
    return Table("unaligned_functions", "functions that are not the same", columns, rows, is_secondary=True)


def _sites(diff: ContextDiff) -> Table:
    pairs = diff.contexts.functions.pairs
    columns = (
        Column("caller", "caller", "name"),
        Column("callee", "callee", "name"),
        Column("line", "line", "count"),
    )
    rows = [
        Row((pairs[sites.caller].either, pairs[sites.callee].either, Change(*lines)))
        for sites in diff.contexts.guessed_sites
        for lines in zip_longest(sites.lines_before, sites.lines_after)
    ]
    return Table("guessed_call_sites", "call sites that were guessed", columns, rows, is_secondary=True)
