"""What a line of a tree is called."""

from collections.abc import Sequence

from sonde.base.units import format_count
from sonde.code import Function, Place
from sonde.instruments.contexts.analysis.folded_tree import FoldedNode, Folding
from sonde.instruments.contexts.analysis.tree_selection import Branch
from sonde.report import Cell, Named


def node_label(functions: Sequence[Function], node: FoldedNode) -> str:
    """The function's name, with what was folded into the node."""
    if node.folding.is_machinery:
        return f"({node.folding.value})"
    label = functions[node.function].label
    return f"{label} ×{format_count(node.levels)} levels" if node.folding is Folding.RECURSION else label


def node_name(functions: Sequence[Function], node: FoldedNode, more: str = "") -> Cell:
    """The cell for a node's name.

    Args:
        more: what is said of the node beside its name.
    """
    text = node_label(functions, node) + more
    if node.folding.is_machinery:
        return text
    function = functions[node.function]
    return function if text == function.label else Named(text, function)


def place_of(function: Function) -> Place:
    """Where a function begins."""
    return Place(function.file or function.library, function.first_line, function)


def chain_label(functions: Sequence[Function], nodes: Sequence[FoldedNode]) -> str:
    """`⋮ 5 frames: run → _run → loop`; empty when there are none."""
    if not nodes:
        return ""
    return f"⋮ {len(nodes)} frames: " + " → ".join(node_label(functions, node) for node in nodes)


def ambiguous_nodes(roots: Sequence[Branch]) -> set[int]:
    """Identities (`id`) of nodes that only their call line tells from a sibling."""
    ambiguous: set[int] = set()
    pending = [roots]
    while pending:
        siblings = pending.pop()
        first: dict[int, int] = {}
        for branch in siblings:
            node = (branch.passed_on or [branch.node])[0]
            other = first.setdefault(node.function, id(node))
            if other != id(node) and not node.folding.is_machinery:
                ambiguous.update((other, id(node)))
            pending.append(branch.children)
    return ambiguous
