"""What changed between two profiles, as tables: contexts in their tree, and functions."""

from collections.abc import Sequence

from sonde.code import Function
from sonde.instruments.contexts.analysis.change_tree import ChangeTree, NodeChange, change_tree
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge
from sonde.instruments.contexts.analysis.tree_selection import Branch
from sonde.instruments.contexts.profile import is_stand_in
from sonde.instruments.contexts.profile.comparison import ContextDiff, FunctionPair, Status, Yardstick
from sonde.instruments.contexts.report.node_label import (
    ambiguous_nodes,
    chain_label,
    is_faint,
    node_name,
    place_of,
    stand_in_label,
)
from sonde.report import Cell, Change, Column, Named, Row, Table, Tone, Unit

_MARKS: dict[Status, str] = {"appeared": "+", "vanished": "−", "hotter": "▲", "colder": "▼", "unchanged": ""}
"""So that colour is not the only one to tell."""

TONES: dict[Status, Tone] = {
    "appeared": "new",
    "vanished": "gone",
    "hotter": "bad",
    "colder": "good",
    "unchanged": "",
}

_LEGEND = "▲ hotter · ▼ colder · + only after · − only before"


def changed_contexts(diff: ContextDiff, *, rows: int, judge: ChangeJudge | None = None) -> Table:
    """The largest changes in their contexts, and the way there; below what appeared or vanished nothing is news.

    Args:
        rows: about how many.
        judge: of profiles that are samples.
    Cost: O(n) for n contexts; no recursion.
    """
    tree = change_tree(diff, rows=rows, judge=judge)
    columns = (
        *_change_columns(diff.yardstick, "change"),
        Column("context", "context", "name"),
        Column("place", "", "place"),
        Column("status", "status", shown="data"),
    )
    listed = _tree_rows(diff, tree)
    return Table(
        "contexts",
        "calling contexts that changed",
        columns,
        listed,
        (f"by {least_change(diff.yardstick)} or more, largest change first",),
        "changed context",
        left_out=tree.hidden,
        legend=_LEGEND if listed else "",
    )


def changed_functions(diff: ContextDiff, *, most: int) -> Table:
    """The functions that changed, by their own values, largest change first.

    Args:
        most: rows on paper, >= 1.
    """
    yardstick, changes = diff.yardstick, diff.function_changes
    numbers = [i for i, status in enumerate(changes.status) if status != "unchanged"]
    numbers.sort(key=lambda i: (-abs(changes.own[i]), i))
    is_time = yardstick.metric == "time"
    ours, theirs = diff.functions_before, diff.functions_after
    before, after = (ours.self_ns, theirs.self_ns) if is_time else (ours.calls, theirs.calls)
    rows = []
    for i in numbers:
        pair, status = diff.contexts.functions.pairs[i], changes.status[i]
        cells = _change_cells(yardstick, changes.own[i], (before[i], after[i]), (ours.calls[i], theirs.calls[i]))
        details = (
            status,
            changes.total[i],
            Change(ours.total_ns[i], theirs.total_ns[i]) if is_time else None,
            former_function(pair),
        )
        row = (*cells, function_name(pair), None if is_stand_in(pair.either) else place_of(pair.either), *details)
        rows.append(Row(row, tone=TONES[status], mark=_MARKS[status]))
    columns = (
        *_change_columns(yardstick, "self change" if is_time else "change"),
        Column("function", "function", "name"),
        Column("place", "", "place"),
        Column("status", "status", shown="data"),
        Column("total_change", "total change", change_unit(yardstick), shown="data"),
        Column("total", "total", "duration", shown="data"),
        Column("was", "was", "name", shown="data"),
    )
    by = f"by {'self time' if is_time else 'calls'}"
    return Table("functions", "functions that changed", columns, rows, (by,), "changed function", most)


def least_change(yardstick: Yardstick) -> str:
    """The least change that counts, in words."""
    if yardstick.normalise == "total":
        return f"{100 * yardstick.least_change:g} percentage points"
    share = 100 * yardstick.least_change / yardstick.whole if yardstick.whole else 0
    return f"{share:g}% of the heavier run"


def function_name(pair: FunctionPair) -> Cell:
    """The function, with its former name when it may have been renamed."""
    if is_stand_in(pair.either):
        return stand_in_label(pair.either)
    was = former_name(pair)
    return Named(f"{pair.either.label}{was}", pair.either) if was else pair.either


def former_name(pair: FunctionPair) -> str:
    """What stands behind the name of a function that may have been renamed."""
    return f" (was {pair.before.label}?)" if pair.how == "maybe renamed" and pair.before is not None else ""


def former_function(pair: FunctionPair) -> Function | None:
    """What it was before; None when it is the same, or on one side alone."""
    return pair.before if pair.after is not None and pair.before != pair.after else None


def change_unit(yardstick: Yardstick) -> Unit:
    """The unit of changes."""
    if yardstick.normalise == "total":
        return "points"
    return "duration" if yardstick.metric == "time" else "count"


def _change_columns(yardstick: Yardstick, title: str) -> tuple[Column, ...]:
    """Columns for one change: by how much, how much that is, from what, to what, in how many calls."""
    unit = change_unit(yardstick)
    calls = Column("calls", "calls", "count", priority=1)
    if yardstick.normalise == "total":
        change = Column("change", title, unit, is_signed=True)
        relative = Column("of_before", "of before", "share", is_signed=True, priority=2)
        sides = (Column("before", "before", "share"), Column("after", "after", "share"))
        return change, relative, *sides, calls
    change = Column("change", title, unit, yardstick.whole, "both", is_signed=True, meaning="share of the heavier run")
    if yardstick.normalise == "calls":
        each: Unit = "duration" if yardstick.metric == "time" else "ratio"
        return change, Column("before", "per call", each), Column("after", "now", each), calls
    return change, Column("before", "before", unit), Column("after", "after", unit), calls


def _change_cells(
    yardstick: Yardstick, change: float, values: tuple[int, int], calls: tuple[int, int]
) -> tuple[Cell, ...]:
    """Cells of `_change_columns`; values and calls are of before and after."""
    times_called = Change(*calls) if any(calls) else None  # of stacks that were looked at, calls are not known
    before, after = values
    if yardstick.normalise == "total":
        ours, theirs = before / (yardstick.total_before or 1), after / (yardstick.total_after or 1)
        return change, change / ours if ours and theirs else None, ours, theirs, times_called
    if yardstick.normalise == "calls":
        each = (value / times if times else None for value, times in zip(values, calls, strict=True))
        return change, *each, times_called
    return change, before, after, times_called


def _tree_rows(diff: ContextDiff, tree: ChangeTree) -> Sequence[Row]:
    branches: list[Branch] = list(tree.roots)
    for branch in branches:  # the list grows while it is walked
        branches.extend(branch.children)
    ambiguous = ambiguous_nodes(tree.roots)
    rows: dict[int, Row] = {}
    for branch in reversed(branches):
        below = tuple(rows.pop(id(child)) for child in branch.children)
        change = tree.changes[id(branch.node)]
        rows[id(branch)] = _tree_row(diff, tree, branch, change, below, is_ambiguous=id(branch.node) in ambiguous)
    return [rows[id(branch)] for branch in tree.roots]


def _tree_row(
    diff: ContextDiff,
    tree: ChangeTree,
    branch: Branch,
    change: NodeChange,
    below: tuple[Row, ...],
    *,
    is_ambiguous: bool,
) -> Row:
    node, functions = branch.node, tree.laid_over.functions
    is_machinery = node.folding.is_machinery
    more = former_name(diff.contexts.functions.pairs[node.function])
    if is_ambiguous and node.call_line:
        more += f" from line {node.call_line}"
    if branch.hidden_contexts:
        more += f" … {branch.hidden_contexts:,} below"
    cells = _change_cells(
        diff.yardstick,
        change.total,
        (change.total_before, change.total_after),
        (change.calls_before, change.calls_after),
    )
    place = None if is_faint(node) else place_of(functions[node.function])
    return Row(
        (*cells, node_name(functions, node, more), place, change.status),
        below,
        tone="faint" if is_machinery else TONES[change.status],
        led_to_by=chain_label(functions, branch.passed_on),
        mark=_MARKS[change.status],
    )
