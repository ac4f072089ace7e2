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
    if node.folding is Folding.STAND_IN:
        return stand_in_label(functions[node.function])
    label = functions[node.function].label
    return f"{label} ×{format_count(node.levels)} levels" if node.folding is Folding.RECURSION else label


def node_name(functions: Sequence[Function], node: FoldedNode, more: str = "", *, is_inlined: bool = False) -> Cell:
    """The cell for a node's name.

    Args:
        more: what is said of the node behind its name.
        is_inlined: whether its code is in that of its caller, which is said before names that may be long.
    """
    text = ("(inlined) " if is_inlined else "") + node_label(functions, node) + more
    if is_faint(node):
        return text
    function = functions[node.function]
    return function if text == function.label else Named(text, function)


def is_faint(node: FoldedNode) -> bool:
    """Whether the node is no function of the program, and has no place."""
    return node.folding.is_machinery or node.folding is Folding.STAND_IN


def stand_in_label(function: Function) -> str:
    """What is written for a stand-in: `(imports)`."""
    return f"({function.name})"


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
            if other != id(node) and not is_faint(node):
                ambiguous.update((other, id(node)))
            pending.append(branch.children)
    return ambiguous
