"""The heaviest contexts as they were counted, one row each: for programs."""

from collections.abc import Sequence
from heapq import nsmallest

from sonde.instruments.contexts.analysis.uncertainty import not_kept_below
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, context_classes
from sonde.report import Cell, Column, Row, Table, Unit


def unfolded_table(profile: ContextProfile, *, rows: int, least_weight: float) -> Table:
    """The heaviest contexts below their callers, not folded.

    Of a profile in bounded memory each has its error, class, and what ran right below it in contexts that were given
    up, which is not known when not all contexts were read; of a sample, standard errors.

    Args:
        rows: how many contexts, at most.
        least_weight: lighter ones are left out.
    Cost: O(n log rows) for n contexts; no recursion.
    """
    tree, weights = profile.contexts, profile.weights()
    # A caller weighs at least as much as its callees and comes first, so these are closed under "caller of".
    heaviest = nsmallest(rows, range(len(tree)), key=lambda row: (-weights[row], row))
    columns = _columns(profile)
    below: dict[int, list[Row]] = {}
    listed = sorted((row for row in heaviest if weights[row] >= least_weight), reverse=True)
    for row in listed:
        cells = (profile.functions[tree.function[row]], *(values[row] if values else None for _, values in columns))
        made = Row(cells, tuple(reversed(below.pop(row, []))))
        below.setdefault(tree.parent[row], []).append(made)
    return Table(
        "unfolded_contexts",
        "calling contexts as they were counted",
        (Column("function", "function", "name"), *(column for column, _ in columns)),
        list(reversed(below.get(NO_PARENT, []))),
        noun="context",
        left_out=len(tree) + profile.pruned_contexts - len(listed),
        is_secondary=True,
    )


def _columns(profile: ContextProfile) -> list[tuple[Column, Sequence[Cell]]]:
    """Each column with its cells by context; none when they are not known."""
    tree, has_time = profile.contexts, profile.has_time
    is_bounded = profile.approximation is not None
    # Else what was not kept cannot be told from what was only not read.
    is_whole = is_bounded and not profile.pruned_contexts
    nothing = [0] * len(tree)
    columns: list[tuple[Column, Sequence[Cell]]] = [
        (Column("call_line", "from line", "count"), [line or None for line in tree.call_line]),
        (Column("calls", "calls", "count"), tree.calls),
        (Column("total_calls", "calls below", "count"), tree.total_calls),
    ]
    if has_time:
        columns.append((Column("self", "self", "duration"), tree.self_ns))
        columns.append((Column("total", "total", "duration"), tree.total_ns))
    if is_bounded:
        unit: Unit = "duration" if profile.metric == "time" else "count"
        columns.append((Column("error", "error", unit), tree.error or nothing))
        columns.append((Column("class", "class"), context_classes(profile)))
    if is_whole:
        calls = not_kept_below(tree.parent, tree.calls, tree.total_calls)
        columns.append((Column("not_kept_calls", "calls not kept", "count"), calls))
    if is_whole and has_time:
        ns = not_kept_below(tree.parent, tree.self_ns, tree.total_ns)
        columns.append((Column("not_kept_time", "time not kept", "duration"), ns))
    if profile.sampling is not None:
        columns.append((Column("calls_deviation", "deviation of calls", "count"), tree.calls_deviation or nothing))
        if has_time:
            columns.append((Column("self_deviation", "deviation of self", "duration"), tree.ns_deviation or nothing))
    return columns
