"""The calling context tree on a page: weights, shares and calls before the tree of names."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.profiles import ContextProfile
from sonde.units import format_count, format_duration, format_share
from sonde.views.terminal.node_label import ambiguous_nodes, chain_label, node_label
from sonde.views.terminal.outline import outline
from sonde.views.terminal.page import Page
from sonde.views.terminal.tree_selection import Branch, Selection
from sonde.views.terminal.tree_table import NARROW, TreeLine, print_tree_table

HOT_SELF_SHARE = 0.2
WARM_SELF_SHARE = 0.05
"""Own shares of the run from which a number is red, or yellow: where to look first."""


@dataclass(frozen=True, slots=True)
class _Remainder:
    """The line that stands for all that a branch does not show."""

    weight: int
    contexts: int


_Line = Branch | _Remainder


def print_context_tree(page: Page, profile: ContextProfile, selection: Selection, *, whole: int, least: float) -> None:
    """Print the selected part of a tree.

    Args:
        whole: weight that shares are of.
        least: a branch says what it hides below it in a line of its own when that weighs so much.
    """

    def below(line: _Line) -> Sequence[_Line]:
        # What is below a branch without shown children is in its label.
        if isinstance(line, _Remainder) or not line.children:
            return []
        return _with_remainder(line.children, line.hidden_weight, line.hidden_contexts, least)

    is_narrow = page.width < NARROW
    roots = _with_remainder(selection.roots, selection.hidden_weight, selection.hidden_contexts, least)
    ambiguous = ambiguous_nodes(selection.roots)
    lines = [
        _tree_line(profile, line, guide, whole, ambiguous, is_narrow=is_narrow)
        for guide, line in outline(roots, below, is_narrow=is_narrow)
    ]
    header = ("total", "share", "self", "calls") if profile.has_time else ("calls below", "share", "calls")
    print_tree_table(page, header, lines)


def heat(self_weight: int, whole: int) -> tuple[str, ...]:
    """How to paint a weight that is a function's or context's own."""
    if self_weight >= HOT_SELF_SHARE * whole:
        return ("red", "bold")
    return ("yellow",) if self_weight >= WARM_SELF_SHARE * whole else ()


def short_count(count: int) -> str:
    """Write a count in at most six columns.

    >>> [short_count(n) for n in (99_999, 123_456, 12_345_678)]
    ['99,999', '123k', '12.3M']
    """
    if count < 100_000:
        return format_count(count)
    for step, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if count >= step:
            value = count / step
            return f"{value:.0f}{unit}" if value >= 99.5 else f"{value:.1f}{unit}"
    return f"{count / 1e3:.0f}k"


def _with_remainder(branches: Sequence[Branch], weight: int, contexts: int, least: float) -> list[_Line]:
    lines: list[_Line] = list(branches)
    if weight > 0 and weight >= least:
        lines.append(_Remainder(weight, contexts))
    return lines


def _tree_line(
    profile: ContextProfile, line: _Line, guide: str, whole: int, ambiguous: set[int], *, is_narrow: bool
) -> TreeLine:
    cells = _cells(profile, line, whole, is_narrow=is_narrow)
    label = _label(profile, line, ambiguous)
    if isinstance(line, _Remainder) or line.node.folding.is_machinery:
        chain = "" if isinstance(line, _Remainder) else chain_label(profile.functions, line.passed_on)
        return TreeLine(guide, cells, [("dim",)] * len(cells), label, ("dim",), chain=chain)
    warmth = heat(line.node.self_weight, whole)
    own_column = 2
    return TreeLine(
        guide=guide,
        cells=cells,
        cell_styles=[warmth if column == own_column else () for column in range(len(cells))],
        label=label,
        label_styles=("bold",) if warmth else (),
        function=profile.functions[line.node.function],
        chain=chain_label(profile.functions, line.passed_on),
    )


def _cells(profile: ContextProfile, line: _Line, whole: int, *, is_narrow: bool) -> tuple[str, ...]:
    count = short_count if is_narrow else format_count
    if isinstance(line, _Remainder):
        share = format_share(line.weight, whole)
        return (format_duration(line.weight), share, "", "") if profile.has_time else (count(line.weight), share, "")
    node = line.node
    share = format_share(node.total, whole)
    if not profile.has_time:
        return (count(node.total), share, count(node.calls))
    return (format_duration(node.total), share, format_duration(node.self_weight), count(node.calls))


def _label(profile: ContextProfile, line: _Line, ambiguous: set[int]) -> str:
    unread = "+" if profile.pruned_contexts else ""
    if isinstance(line, _Remainder):
        if not line.contexts:
            return "… smaller contexts"
        return f"… {format_count(line.contexts)}{unread} more context{'s' if line.contexts != 1 else ''}"
    label = node_label(profile.functions, line.node)
    if id(line.node) in ambiguous and line.node.call_line:
        label += f" from line {line.node.call_line}"
    if line.hidden_contexts and not line.children:
        label += f" … {format_count(line.hidden_contexts)}{unread} below"
    return label
