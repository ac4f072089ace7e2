"""Trees of two compilations side by side, with everything that is the same."""

from collections.abc import Sequence
from typing import Any

from sonde.instruments.decisions.analysis.places import offset_text, place_text
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.analysis.tree_items import Content
from sonde.instruments.decisions.analysis.words import decision_name, properties_text, reasons_text
from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, DecisionRun, Phase
from sonde.instruments.decisions.report.cells import bare_method_cell
from sonde.instruments.decisions.report.node_details import DETAIL_COLUMNS, NodeDetails
from sonde.render.name_text import bare_name
from sonde.report import Cell, Column, MoreOf, Row, SideBySide, Table, Tone

_COLUMNS = (
    Column("what", "", "name"),
    Column("place", "place", priority=1),
    Column("note", "note", priority=2),
    *DETAIL_COLUMNS,
)

_NAME_IN_PLACE = 44
"""Columns of a method's name."""

ContentsOfLine = tuple[int, int]
"""What stands on both sides of a line, by `id`; 0 for nothing."""


def aligned_trees(
    key: str,
    title: str,
    root: DeltaNode[Any],
    runs: tuple[DecisionRun, DecisionRun],
    method: str,
    details: NodeDetails,
    more_of: MoreOf,
) -> tuple[SideBySide, dict[ContentsOfLine, int]]:
    """A tree of differences as two trees.

    Returns:
        The trees; and the number of each line by what stands in it.
    Cost: O(n) for n nodes. No recursion.
    """
    order: list[tuple[DeltaNode[Any], int, Sequence[str | None]]] = []
    pending: list[tuple[DeltaNode[Any], int, Sequence[str | None]]] = [(root, -1, (method, method))]
    pairs: list[tuple[int, int]] = []
    lines: dict[ContentsOfLine, int] = {}
    counts = [0, 0]
    while pending:
        node, above, callers = pending.pop()
        sides = contents_of(node)
        lines.setdefault(id_of(sides), len(order))
        left, right = (-1 if content is None else count for content, count in zip(sides, counts, strict=True))
        pairs.append((left, right))
        for side, content in enumerate(sides):
            counts[side] += content is not None
        inner = [_inner(content, caller) for content, caller in zip(sides, callers, strict=True)]
        pending.extend((child, len(order), inner) for child in reversed(node.children))
        order.append((node, above, callers))
    trees = [
        _tree(
            [(contents_of(node)[side], node.edit, above, callers[side]) for node, above, callers in order],
            runs,
            side,
            details,
        )
        for side in (0, 1)
    ]
    return SideBySide(key, title, trees[0], trees[1], pairs, more_of), lines


def contents_of(node: DeltaNode[Any]) -> tuple[Content | None, Content | None]:
    """What stands on both sides."""
    left, right = (side.content if isinstance(side, ContextNode) else side for side in (node.left, node.right))
    return left, right


def id_of(sides: tuple[Content | None, Content | None]) -> ContentsOfLine:
    """What a line is known by: trees share what stands in them with their pruned copies."""
    left, right = (0 if content is None else id(content) for content in sides)
    return left, right


def _inner(content: Content | None, caller: str | None) -> str | None:
    """Whose code is below: of calls whose target is found as it runs, the caller's."""
    return content.method if isinstance(content, CallSite) and not content.indirect else caller


def _tree(
    nodes: Sequence[tuple[Content | None, Edit, int, str | None]],
    runs: tuple[DecisionRun, DecisionRun],
    side: int,
    details: NodeDetails,
) -> Table:
    below: list[list[Row]] = [[] for _ in nodes]
    rows: list[Row] = []
    for number in range(len(nodes) - 1, -1, -1):  # children come after parents
        content, edit, above, caller = nodes[number]
        if content is None:
            continue
        cells = (*_cells(content, runs, side, caller), *details.cells(content, runs[side], caller))
        mark = content.kind.value if isinstance(content, CallSite) and not content.is_root else ""
        tone: Tone = "notable" if edit is Edit.CHANGED else ""
        row = Row(cells, tuple(reversed(below[number])), tone, mark=mark)
        (below[above] if above >= 0 else rows).append(row)
    return Table(SIDES[side], f"{SIDES[side]}  {runs[side].name}", _COLUMNS, rows, noun="node")


def _cells(
    content: Content, runs: tuple[DecisionRun, DecisionRun], side: int, caller: str | None
) -> tuple[Cell, Cell, Cell]:
    """The name, where it is, and what was said in a few words; a method that both runs know is the first one's."""
    run = runs[side]
    if isinstance(content, CallSite):
        place = "" if content.is_root else offset_text(run, caller, content.at, content.column)
        named = runs[0] if content.method in runs[0].sources else run
        return bare_method_cell(named, content.method), place or None, reasons_text(content.reasons) or None
    if isinstance(content, Decision):
        innermost = content.position[0] if content.position else None
        place = "" if innermost is None else place_text(run, innermost)
        if innermost is not None and innermost.method != caller:
            place += f" in {bare_name(innermost.method, _NAME_IN_PLACE)}"
        return decision_name(content), place or None, properties_text(content) or None
    return (content.name if isinstance(content, Phase) else content.text), None, None
