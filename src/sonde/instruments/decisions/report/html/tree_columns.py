"""A tree as a page holds it: columns of numbers, nodes in the order in which they are read."""

from typing import Any

from sonde.instruments.decisions.analysis.tree_items import Node
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.model import ContextNode, Decision
from sonde.instruments.decisions.report.html.tables import NOTHING, Tables


def tree_size(root: Node) -> int:
    """How many nodes there are."""
    count = 0
    pending = [root]
    while pending:
        node = pending.pop()
        count += 1
        pending.extend(_children(node))
    return count


def tree_columns(root: Node, tables: Tables) -> dict[str, Any]:
    """The columns of a tree.

    Returns:
        `size`: of each node how many nodes there are in it, itself too, in preorder. `left`: its content, a number of
        `tables`. Trees of differences also have `edits`, a letter for each node, and `right`: its content on the other
        side, -1 for none; `left` is -1 where there is nothing on the left.
    Cost: O(n). No recursion.
    """
    order: list[Node] = []
    above: list[int] = []
    pending: list[tuple[Node, int]] = [(root, NOTHING)]
    while pending:
        node, parent = pending.pop()
        pending.extend((child, len(order)) for child in reversed(_children(node)))
        order.append(node)
        above.append(parent)
    sizes = [1] * len(order)
    for number in range(len(order) - 1, 0, -1):
        sizes[above[number]] += sizes[number]
    if not isinstance(root, DeltaNode):
        return {"size": sizes, "left": [tables.content(_said(node)) for node in order]}
    return {
        "size": sizes,
        "edits": "".join(node.edit.value for node in order if isinstance(node, DeltaNode)),
        "left": [tables.content(_said(node.left)) for node in order if isinstance(node, DeltaNode)],
        "right": [tables.content(_said(node.right)) for node in order if isinstance(node, DeltaNode)],
    }


def _children(node: Node) -> list[Any]:
    return [] if isinstance(node, Decision) else list(node.children)


def _said(node: Any) -> Any:
    return node.content if isinstance(node, ContextNode) else node
