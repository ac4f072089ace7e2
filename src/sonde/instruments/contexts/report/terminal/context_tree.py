"""The calling context tree on a page: weights, shares and calls before the tree of names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sonde.base.units import format_count, format_duration, format_share, short_count
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.report.exactness import Doubts
from sonde.instruments.contexts.report.terminal.doubt_cells import calls_doubt, doubt_header, doubt_legend, time_doubt
from sonde.instruments.contexts.report.terminal.node_label import ambiguous_nodes, chain_label, node_label
from sonde.instruments.contexts.report.terminal.tree_selection import Branch, Selection
from sonde.render.terminal.heat import heat
from sonde.render.terminal.outline import outline
from sonde.render.terminal.page import Page
from sonde.render.terminal.tree_table import NARROW, TreeLine, print_tree_table

_OWN_COLUMN = 2
_DOUBT_COLUMNS = (3, 5)
"""Places of cells, before empty columns are left out: own time or calls, and what is beside them."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """A line that stands for weight below a branch which no other line stands for."""

    weight: int
    label: str


_Line = Branch | _Rest


def print_context_tree(
    page: Page, profile: ContextProfile, selection: Selection, *, whole: int, least: float, with_legend: bool = True
) -> None:
    """Print the selected part of a tree.

    Args:
        whole: weight that shares are of.
        least: a branch says what it hides below it, and what was not kept, in lines of their own when that
            weighs so much.
        with_legend: whether to explain the marks of doubt, if there are any.
    """

    def below(line: _Line) -> Sequence[_Line]:
        if isinstance(line, _Rest):
            return []
        # What is hidden below a branch without shown children is in its label.
        hidden = line.hidden_weight if line.children else 0
        rest = _rest_lines(profile, hidden, line.hidden_contexts, line.node.not_kept, least)
        return [*line.children, *rest]

    is_narrow = page.width < NARROW
    rest = _rest_lines(profile, selection.hidden_weight, selection.hidden_contexts, selection.not_kept, least)
    ambiguous = ambiguous_nodes(selection.roots)
    placed = list(outline([*selection.roots, *rest], below, is_narrow=is_narrow))
    time_doubts, calls_doubts = _doubts(profile, [line for _, line in placed], is_narrow=is_narrow)
    lines = [
        _tree_line(profile, line, guide, whole, ambiguous, doubts, is_narrow=is_narrow)
        for (guide, line), *doubts in zip(placed, time_doubts, calls_doubts, strict=True)
    ]
    header = ["total", "share", "self", doubt_header(time_doubts), "calls", doubt_header(calls_doubts)]
    if not profile.has_time:
        header = ["calls below", "share", "calls", doubt_header(calls_doubts)]
    print_tree_table(page, *_without_empty_columns(header, lines))
    legend = doubt_legend([*time_doubts, *calls_doubts])
    if legend and with_legend:
        page.flow(legend.split(" "), "dim", between=" ")


def _rest_lines(profile: ContextProfile, hidden: int, contexts: int, not_kept: int, least: float) -> list[_Line]:
    """Lines for what is not listed and for what was not kept: each if it is heavy enough, or both as one."""
    if max(hidden, not_kept) < least <= hidden + not_kept:
        return [_Rest(hidden + not_kept, f"{_more(profile, contexts)}, others not kept")]
    lost = "(contexts not kept or not read)" if profile.pruned_contexts else "(contexts not kept)"
    rest = [(hidden, _more(profile, contexts)), (not_kept, lost)]
    return [_Rest(weight, label) for weight, label in rest if weight >= least and weight > 0]


def _more(profile: ContextProfile, contexts: int) -> str:
    if not contexts:
        return "… smaller contexts"
    return f"… {format_count(contexts)}{_unread(profile)} more context{'s' if contexts != 1 else ''}"


def _unread(profile: ContextProfile) -> str:
    """Says that a number of contexts lacks some."""
    return "+" if profile.pruned_contexts else ""


def _doubts(profile: ContextProfile, lines: Sequence[_Line], *, is_narrow: bool) -> tuple[list[str], list[str]]:
    """Cells beside the own time and the calls of each line; empty where there is no doubt worth a word."""
    time, calls = [""] * len(lines), [""] * len(lines)
    if profile.approximation is None and profile.sampling is None:
        return time, calls
    doubts = Doubts(profile)
    for number, line in enumerate(lines):
        if isinstance(line, Branch):
            node = line.node
            doubt = doubts.of(node.members)
            if profile.has_time:
                time[number] = time_doubt(profile, node.self_weight, doubt)
            has_room = not (profile.has_time and is_narrow)
            calls[number] = calls_doubt(profile, node.calls, doubt, with_deviation=has_room)
    return time, calls


def _without_empty_columns(header: Sequence[str], lines: Sequence[TreeLine]) -> tuple[list[str], list[TreeLine]]:
    kept = [number for number, name in enumerate(header) if name]

    def picked(line: TreeLine) -> TreeLine:
        styles = line.cell_styles
        return replace(line, cells=[line.cells[i] for i in kept], cell_styles=[styles[i] for i in kept])

    return [header[i] for i in kept], [picked(line) for line in lines]


def _tree_line(
    profile: ContextProfile,
    line: _Line,
    guide: str,
    whole: int,
    ambiguous: set[int],
    doubts: Sequence[str],
    *,
    is_narrow: bool,
) -> TreeLine:
    cells = _cells(profile, line, whole, doubts, is_narrow=is_narrow)
    if isinstance(line, _Rest):
        return TreeLine(guide, cells, [("dim",)] * len(cells), line.label, ("dim",))
    label = _label(profile, line, ambiguous)
    chain = chain_label(profile.functions, line.passed_on)
    if line.node.folding.is_machinery:
        return TreeLine(guide, cells, [("dim",)] * len(cells), label, ("dim",), chain=chain)
    warmth = heat(line.node.self_weight, whole)
    styles: list[tuple[str, ...]] = [("dim",) if column in _DOUBT_COLUMNS else () for column in range(len(cells))]
    styles[_OWN_COLUMN] = warmth
    return TreeLine(
        guide=guide,
        cells=cells,
        cell_styles=styles,
        label=label,
        label_styles=("bold",) if warmth else (),
        function=profile.functions[line.node.function],
        chain=chain,
    )


def _cells(
    profile: ContextProfile, line: _Line, whole: int, doubts: Sequence[str], *, is_narrow: bool
) -> tuple[str, ...]:
    count = short_count if is_narrow else format_count
    format_weight = format_duration if profile.has_time else count
    weight, own, calls = line.weight if isinstance(line, _Rest) else line.node.total, "", ""
    if isinstance(line, Branch):
        own, calls = format_duration(line.node.self_weight), count(line.node.calls)
    cells = (format_weight(weight), format_share(weight, whole))
    of_time, of_calls = doubts
    return (*cells, own, of_time, calls, of_calls) if profile.has_time else (*cells, calls, of_calls)


def _label(profile: ContextProfile, branch: Branch, ambiguous: set[int]) -> str:
    label = node_label(profile.functions, branch.node)
    if id(branch.node) in ambiguous and branch.node.call_line:
        label += f" from line {branch.node.call_line}"
    if branch.hidden_contexts and not branch.children:
        label += f" … {format_count(branch.hidden_contexts)}{_unread(profile)} below"
    return label
