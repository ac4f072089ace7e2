"""The hottest functions as a table: where the time itself went, whoever called."""

from collections.abc import Sequence

from sonde.base.units import counted, format_share
from sonde.instruments.contexts.analysis.uncertainty import deviations_of_functions
from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals
from sonde.instruments.contexts.report.margins import sampling_error
from sonde.instruments.contexts.report.node_label import place_of
from sonde.report import Cell, Column, Margin, Row, Table


def hottest_functions(profile: ContextProfile, totals: FunctionTotals) -> list[int]:
    """Functions with own weight, heaviest first."""
    own = totals.self_ns if profile.has_time else totals.calls
    return sorted((i for i, weight in enumerate(own) if weight > 0), key=lambda i: (-own[i], i))


def function_table(profile: ContextProfile, totals: FunctionTotals, *, most: int, is_whole: bool = False) -> Table:
    """Functions with their own and inclusive weights.

    Args:
        totals: of the functions of the profile.
        most: rows on paper, >= 1.
        is_whole: whether the own values in `totals` are of whole functions, although `profile` lacks its lightest
            contexts.
    Cost: O(n) for n contexts.
    """
    whole = profile.whole
    own = totals.self_ns if profile.has_time else totals.calls
    ids = hottest_functions(profile, totals)
    deviations = _deviations(profile)
    rows = []
    for i in ids:
        around = sampling_error(own[i], deviations[i]) if deviations else None
        margin = None if around is None else Margin(own[i], around)
        inclusive: tuple[Cell, ...] = (totals.total_calls[i],)
        if profile.has_time:
            inclusive = (totals.total_ns[i], totals.calls[i])
        function = profile.functions[i]
        rows.append(Row((own[i], margin, *inclusive, function, place_of(function), totals.contexts[i])))
    covered = sum(own)
    left = covered - sum(own[i] for i in ids[:most])
    by = "self time" if profile.has_time else "calls"
    return Table(
        "functions",
        "hottest functions",
        _columns(profile, whole),
        rows,
        (f"by {by}, recursion counted once in total",),
        "function",
        most,
        rest=format_share(left, whole),
        legend="\n".join(_what_is_summed(profile, covered, whole, is_whole=is_whole)),
    )


def _columns(profile: ContextProfile, whole: int) -> tuple[Column, ...]:
    margin = Column("margin", "±", "margin", priority=1)
    names = (
        Column("function", "function", "name"),
        Column("place", "", "place"),
        Column("contexts", "contexts", "count", shown="data"),
    )
    if not profile.has_time:
        calls = Column("calls", "calls", "count", whole, "both", is_hot=True)
        return calls, margin, Column("total_calls", "calls below", "count"), *names
    own = Column("self", "self", "duration", whole, "both", is_hot=True)
    return own, margin, Column("total", "total", "duration"), Column("calls", "calls", "count", priority=2), *names


def _deviations(profile: ContextProfile) -> Sequence[int]:
    """Standard errors of own values; empty where nothing was sampled, or not all contexts were read."""
    if profile.pruned_contexts:
        return ()
    tree = profile.contexts
    return deviations_of_functions(profile, tree.ns_deviation if profile.has_time else tree.calls_deviation)


def _what_is_summed(profile: ContextProfile, covered: int, whole: int, *, is_whole: bool) -> list[str]:
    """Sentences about what the sums over contexts lack."""
    said = []
    what = "self time" if profile.has_time else "calls"
    if profile.pruned_contexts:
        read = counted(len(profile.contexts), "heaviest context")
        if is_whole:
            inclusive = "total" if profile.has_time else "calls below"
            said.append(f"from all contexts; '{inclusive}' from the {read}: it is at least this")
        else:
            said.append(f"from the {read} alone, which hold {format_share(covered, whole)} of the {what}")
    missing = whole - covered
    if profile.left_something_out and missing > 0 and (is_whole or not profile.pruned_contexts):
        said.append(
            f"all of these are lower bounds: {format_share(missing, whole)} of the {what} is in contexts not kept,"
            " whose functions are not known"
        )
    return said
