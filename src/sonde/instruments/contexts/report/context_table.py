"""The calling context tree as a table: weights and calls before the tree of names."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.units import counted, format_count, format_share
from sonde.instruments.contexts.analysis.folded_tree import FoldedNode
from sonde.instruments.contexts.analysis.tree_selection import Branch, Selection
from sonde.instruments.contexts.analysis.uncertainty import Uncertainties
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile
from sonde.instruments.contexts.report.margins import margin_legend, margin_of, margin_title
from sonde.instruments.contexts.report.node_label import ambiguous_nodes, chain_label, is_faint, node_name, place_of
from sonde.report import Cell, Column, Margin, Row, Table


def context_table(profile: ContextProfile, selection: Selection, *, whole: int, least: float) -> Table:
    """The selected part of a tree.

    Args:
        whole: weight that shares are of.
        least: a branch says what it hides below it, and what was not kept, in rows of their own when that weighs so
            much.
    Cost: O(n) for n branches, besides the uncertainties of a profile that is not exact. No recursion.
    """
    tree = _Tree(profile, selection, least)
    margins = [tree.margins[id(branch)] for branch in tree.branches]
    of_time, of_calls = ([each[at] for each in margins] for at in (0, 1))
    beside_calls = Column("calls_margin", margin_title(of_calls), "margin", priority=2)
    names = (Column("context", "context", "name"), Column("place", "", "place"))
    details = (Column("call_line", "from line", "count", shown="data"), Column("folded", "", "count", shown="data"))
    columns: tuple[Column, ...]
    if profile.has_time:
        columns = (
            Column("total", "total", "duration", whole, "both"),
            Column("self", "self", "duration", whole, is_hot=True),
            Column("self_margin", margin_title(of_time), "margin"),
            *((Column("calls", "calls", "count", priority=1), beside_calls) if profile.has_calls else ()),
        )
    else:
        columns = (
            Column("total_calls", "calls below", "count", whole, "both"),
            Column("calls", "calls", "count", whole, is_hot=True),
            beside_calls,
        )
    return Table(
        "contexts",
        "calling contexts",
        (*columns, *names, *details),
        tree.rows(),
        (f"by {'time' if profile.has_time else 'calls below'}, heaviest first",),
        "context",
        legend="\n".join(
            text for text in (margin_legend([*of_time, *of_calls]), *_remainder(profile, selection, whole)) if text
        ),
    )


@dataclass(frozen=True, slots=True)
class _Rest:
    """Weight below a branch which no other row stands for."""

    weight: int
    label: str


class _Tree:
    """Makes the rows of branches."""

    def __init__(self, profile: ContextProfile, selection: Selection, least: float) -> None:
        self._profile, self._selection, self._least = profile, selection, least
        self._ambiguous = ambiguous_nodes(selection.roots)
        self.branches: list[Branch] = list(selection.roots)
        """Callers before callees."""
        for branch in self.branches:  # the list grows while it is walked
            self.branches.extend(branch.children)
        self.margins = self._margins()
        """Of the own time and of the calls, by the identity (`id`) of branches."""

    def rows(self) -> list[Row]:
        """The rows of the roots."""
        selection, rows = self._selection, dict[int, Row]()
        for branch in reversed(self.branches):
            below = [rows.pop(id(child)) for child in branch.children]
            # What is hidden below a branch without shown children is in its label.
            hidden = branch.hidden_weight if branch.children else 0
            rest = self._rest(hidden, branch.hidden_contexts, branch.node.not_kept)
            rows[id(branch)] = self._row(branch, (*below, *rest))
        rest = self._rest(selection.hidden_weight, selection.hidden_contexts, selection.not_kept)
        return [*(rows[id(branch)] for branch in selection.roots), *rest]

    def _margins(self) -> dict[int, tuple[Margin | None, Margin | None]]:
        profile = self._profile
        if profile.approximation is None and profile.sampling is None:
            return {id(branch): (None, None) for branch in self.branches}
        uncertainties, margins = Uncertainties(profile), {}
        for branch in self.branches:
            node, uncertainty = branch.node, uncertainties.of(branch.node.members)
            of_time = margin_of(profile, "time", node.self_weight, uncertainty) if profile.has_time else None
            margins[id(branch)] = (of_time, margin_of(profile, "calls", node.calls, uncertainty))
        return margins

    def _row(self, branch: Branch, below: tuple[Row, ...]) -> Row:
        profile, node = self._profile, branch.node
        is_plain = is_faint(node)
        of_time, of_calls = self.margins[id(branch)]
        function = profile.functions[node.function]
        is_thread = function.kind == "thread"  # which is no function, and calls none itself
        is_inlined = function.language in ("jit", "native") and not is_plain and self._was_inlined(node)
        is_own_known = not (is_thread or is_inlined)
        own: tuple[Cell, ...] = (node.self_weight if is_own_known else None, of_time) if profile.has_time else ()
        name = node_name(profile.functions, node, self._more(branch), is_inlined=is_inlined)
        place = None if is_plain else place_of(function)
        calls = node.calls if is_own_known and (node.calls or not profile.has_units) else None
        of_node = (calls, of_calls) if profile.has_calls else ()
        details = (node.call_line or None, len(node.members))
        return Row(
            (node.total, *own, *of_node, name, place, *details),
            below,
            tone="faint" if is_plain else "",
            led_to_by=chain_label(profile.functions, branch.passed_on),
        )

    def _was_inlined(self, node: FoldedNode) -> bool:
        """Of what was inlined, calls cannot be seen; other compiled code that is listed was called, or is a root."""
        if self._profile.has_units:
            return all(self._profile.contexts.parent[row] != NO_PARENT for row in node.members)
        return self._profile.has_calls and not node.calls

    def _more(self, branch: Branch) -> str:
        more = ""
        if id(branch.node) in self._ambiguous and branch.node.call_line:
            more = f" from line {branch.node.call_line}"
        if branch.hidden_contexts and not branch.children:
            more += f" … {format_count(branch.hidden_contexts)}{self._unread} below"
        return more

    @property
    def _unread(self) -> str:
        """Says that a number of contexts lacks some."""
        return "+" if self._profile.pruned_contexts else ""

    def _rest(self, hidden: int, contexts: int, not_kept: int) -> list[Row]:
        """Rows for what is not listed and for what was not kept: each if it is heavy enough, or both as one."""
        more, least = "… smaller contexts", self._least
        if contexts:
            more = f"… {format_count(contexts)}{self._unread} more context{'s' if contexts != 1 else ''}"
        if max(hidden, not_kept) < least <= hidden + not_kept:
            return [self._rest_row(_Rest(hidden + not_kept, f"{more}, others not kept"))]
        lost = "(contexts not kept or not read)" if self._profile.pruned_contexts else "(contexts not kept)"
        rest = (_Rest(hidden, more), _Rest(not_kept, lost))
        return [self._rest_row(each) for each in rest if each.weight >= least and each.weight > 0]

    def _rest_row(self, rest: _Rest) -> Row:
        profile = self._profile
        nothing = (None,) * (2 * profile.has_time + 2 * profile.has_calls)
        return Row((rest.weight, *nothing, rest.label, None, None, None), tone="faint")


def _remainder(profile: ContextProfile, selection: Selection, whole: int) -> Sequence[str]:
    """What no row stands for, below contexts that are listed or not."""
    contexts = selection.all_hidden_contexts + profile.pruned_contexts
    hidden, not_kept = selection.all_hidden_weight, selection.all_not_kept
    metric, what = "time" if profile.has_time else "calls", counted(contexts, "context")
    if profile.pruned_contexts and not_kept:
        # The weight of contexts that were not read cannot be told from that of those not kept.
        share = format_share(hidden + not_kept, whole)
        return [f"not listed: {what}, and those not kept, which hold {share} of the {metric}"]
    hold = "holds" if contexts == 1 else "hold"
    return [f"not listed: {what}, which {hold} {format_share(hidden, whole)} of the {metric}"] if contexts else []
