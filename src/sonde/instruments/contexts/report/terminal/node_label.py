"""What a line of a tree is called."""

from collections.abc import Sequence

from sonde.base.fitted_text import printable
from sonde.base.units import format_count
from sonde.instruments.contexts.profile import Function
from sonde.instruments.contexts.report.terminal.folded_tree import FoldedNode, Folding
from sonde.instruments.contexts.report.terminal.tree_selection import Branch


def node_label(functions: Sequence[Function], node: FoldedNode) -> str:
    """The function's name, with what was folded into the node."""
    if node.folding.is_machinery:
        return f"({node.folding.value})"
    label = printable(functions[node.function].label)
    return f"{label} ×{format_count(node.levels)} levels" if node.folding is Folding.RECURSION else label


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
