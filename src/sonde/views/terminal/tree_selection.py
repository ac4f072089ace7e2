"""Which nodes of a calling context tree fit on a page: the heaviest, and what they leave out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from sonde.views.terminal.folded_tree import FoldedNode, FoldedTree

_SHORTEST_CHAIN = 3
"""Frames that only pass a call on are drawn in one line when there are at least so many in a row."""

_ROUNDS = 4
"""How often the lines that chains saved are given to further nodes; it settles after two or three."""


@dataclass(slots=True)
class Branch:
    """A node that is shown, with what is shown below it.

    Not frozen: the tree grows from its heaviest node on.
    """

    node: FoldedNode
    passed_on: list[FoldedNode] = field(default_factory=list[FoldedNode])
    """Nodes between this branch's caller and `node` that only pass calls on: drawn in one line."""
    children: list["Branch"] = field(default_factory=list["Branch"])
    hidden_weight: int = 0
    """Weight below `node` that no child shows."""
    hidden_contexts: int = 0
    """Contexts read that this weight belongs to; more may not have been read."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a tree that is shown."""

    roots: list[Branch]
    hidden_weight: int
    """Weight of roots that are not shown."""
    hidden_contexts: int


def select_branches(tree: FoldedTree, roots: Sequence[FoldedNode], *, least_weight: float, rows: int) -> Selection:
    """Choose the heaviest nodes of a tree, callers before callees.

    Args:
        roots: nodes to start from.
        least_weight: lighter nodes are never shown.
        rows: about how many lines to fill, >= 1; the lines that say what is missing come on top.
    Guarantee: no node that is hidden is heavier than one that is shown, unless it passes a call on; for each
        branch, the weight of the node is its own weight, its children's and `hidden_weight`.
    Cost: O(rows log rows), and the growing of the nodes shown.
    """
    budget = rows
    for _ in range(_ROUNDS):
        selection, lines = _select(tree, roots, least_weight, budget)
        if lines >= rows or lines < budget // 2:
            break
        budget += rows - lines
    return selection


def _select(tree: FoldedTree, roots: Sequence[FoldedNode], least: float, budget: int) -> tuple[Selection, int]:
    top: list[Branch] = []
    queue: list[tuple[int, int, FoldedNode, Branch | None]] = []
    number = 0
    for root in roots:
        heappush(queue, (-root.total, number := number + 1, root, None))
    shown: list[Branch] = []
    while queue and len(shown) < budget and -queue[0][0] >= least:
        _, _, node, above = heappop(queue)
        tree.grow(node)
        branch = Branch(node)
        shown.append(branch)
        (above.children if above else top).append(branch)
        for child in node.children:
            heappush(queue, (-child.total, number := number + 1, child, branch))
    for branch in shown:
        branch.hidden_weight = branch.node.total - branch.node.self_weight - _weight(branch.children)
        branch.hidden_contexts = branch.node.below - len(branch.node.members) - _contexts(branch.children)
    saved = shorten_chains(top, lambda branch: branch.node.self_weight < least and branch.hidden_weight < least)
    selection = Selection(
        roots=top,
        hidden_weight=sum(root.total for root in roots) - _weight(top),
        hidden_contexts=sum(root.below for root in roots) - _contexts(top),
    )
    return selection, len(shown) - saved


def shorten_chains(top: Sequence[Branch], is_plain: Callable[[Branch], bool]) -> int:
    """Fold the runs of frames that only pass calls on; say how many lines that saves.

    Args:
        top: changed in place.
        is_plain: whether a branch with one child has nothing else to show.
    """
    saved = 0
    pending = list(top)
    while pending:
        branch = pending.pop()
        saved += _shorten_chain(branch, is_plain)
        pending.extend(branch.children)
    return saved


def _shorten_chain(branch: Branch, is_plain: Callable[[Branch], bool]) -> int:
    if len(branch.children) != 1:
        return 0
    passed_on: list[FoldedNode] = []
    last = branch.children[0]
    while len(last.children) == 1 and is_plain(last):
        passed_on.append(last.node)
        last = last.children[0]
    if len(passed_on) < _SHORTEST_CHAIN:
        return 0
    last.passed_on = passed_on
    branch.children = [last]
    return len(passed_on) - 1


def _weight(branches: Sequence[Branch]) -> int:
    return sum(branch.node.total for branch in branches)


def _contexts(branches: Sequence[Branch]) -> int:
    return sum(branch.node.below for branch in branches)
