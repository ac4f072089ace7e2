"""The hottest functions as a table: where the time itself went, whoever called."""

from sonde.base.units import counted, format_share
from sonde.code import Function
from sonde.instruments.contexts.analysis.function_groups import FunctionGroup, GroupedFunctions
from sonde.instruments.contexts.profile import IMPORTS, ContextProfile, is_stand_in
from sonde.instruments.contexts.report.margins import sampling_error
from sonde.instruments.contexts.report.node_label import place_of, stand_in_label
from sonde.report import Cell, Column, Margin, Row, Table


def function_table(
    profile: ContextProfile, groups: GroupedFunctions, *, most: int, is_whole: bool = False, imports: str = ""
) -> Table:
    """Functions with their own and inclusive weights; in one line each those that wait, and what stands for imports.

    Args:
        groups: of the functions of the profile.
        most: rows on paper, >= 1.
        is_whole: whether the own values are of whole functions, although `profile` lacks its lightest contexts.
        imports: what was imported, in words.
    Guarantee: own values of all rows add up to those of all contexts.
    Cost: O(n) for n contexts.
    """
    whole = profile.whole
    rows = [_row(profile, groups.functions[group.function], group, imports) for group in groups.groups]
    left = sum(group.own for group in groups.groups[most:])
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
        legend="\n".join(_what_is_summed(profile, groups.covered, whole, is_whole=is_whole)),
    )


def _row(profile: ContextProfile, function: Function, group: FunctionGroup, imports: str) -> Row:
    margin: Margin | None = None
    if profile.sampling is not None and not profile.pruned_contexts:
        around = sampling_error(group.own, group.deviation)
        margin = None if around is None else Margin(group.own, around)
    is_called = profile.has_time and profile.has_calls
    inclusive: tuple[Cell, ...] = (group.total, group.calls) if is_called else (group.total,)
    amounts = (group.own, margin, *inclusive)
    if not is_stand_in(function):
        return Row((*amounts, function, place_of(function), group.contexts))
    label = f"({imports})" if function == IMPORTS and imports else stand_in_label(function)
    return Row((*amounts, label, None, group.contexts), tone="faint")


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
    total = Column("total", "total", "duration")
    if not profile.has_calls:
        return own, margin, total, *names
    return own, margin, total, Column("calls", "calls", "count", priority=2), *names


def _what_is_summed(profile: ContextProfile, covered: int, whole: int, *, is_whole: bool) -> list[str]:
    """Sentences about what the sums over contexts lack."""
    said = []
    what = "self time" if profile.has_time else "calls"
    if profile.pruned_contexts:
        read = counted(len(profile.contexts), "heaviest context")
        if is_whole:
            inclusive = "total" if profile.has_time else "calls below"
            said.append(f"'{inclusive}' is from the heaviest contexts alone: it is at least this")
        else:
            said.append(f"from the {read} alone, which hold {format_share(covered, whole)} of the {what}")
    return said
