"""Which nodes of a calling context tree fit on a page: the heaviest, and what they leave out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from sonde.instruments.contexts.analysis.folded_tree import FoldedNode, FoldedTree

_SHORTEST_CHAIN = 3
"""Frames that only pass a call on are drawn in one line when there are at least so many in a row."""


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
    """Weight below `node` that no child shows, without `node.not_kept`."""
    hidden_contexts: int = 0
    """Contexts read that this weight belongs to; more may not have been read."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a tree that is shown."""

    roots: list[Branch]
    hidden_weight: int
    """Weight of roots that are not shown."""
    hidden_contexts: int
    """Contexts read below those roots."""
    not_kept: int
    """Weight of roots that were given up in bounded memory."""
    all_hidden_weight: int
    """Weight of the contexts that no line stands for, at the top or below any node."""
    all_hidden_contexts: int
    all_not_kept: int
    """Weight of all contexts that were given up in bounded memory, below contexts that are shown or not."""


def select_branches(tree: FoldedTree, *, whole: int, least_weight: float, rows: int) -> Selection:
    """Choose the heaviest nodes of a tree, callers before callees.

    Args:
        whole: weight of all roots, also of those that were not read.
        least_weight: lighter nodes are never shown.
        rows: about how many lines to fill, >= 1; the lines that say what is missing come on top.
    Guarantee: no node that is hidden is heavier than one that is shown, unless it passes a call on; for each
        branch, the weight of the node is its own weight, its children's, `hidden_weight` and what was not kept.
    Cost: O(rows log rows), and the growing of the nodes shown.
    """
    roots = tree.roots()
    top: list[Branch] = []
    queue: list[tuple[int, int, FoldedNode, Branch | None]] = []
    number = 0
    for root in roots:
        heappush(queue, (-root.total, number := number + 1, root, None))
    shown: list[Branch] = []
    lines = 0
    while queue and lines < rows and -queue[0][0] >= least_weight:
        _, _, node, above = heappop(queue)
        tree.grow(node)
        branch = Branch(node)
        shown.append(branch)
        # Of a chain that only passes calls on, its first node pays for the line.
        is_in_chain = above is not None and _will_pass_on(above.node, least_weight)
        lines += not (is_in_chain and _will_pass_on(node, least_weight))
        (above.children if above else top).append(branch)
        for child in node.children:
            heappush(queue, (-child.total, number := number + 1, child, branch))
    for branch in shown:
        node = branch.node
        branch.hidden_weight = node.total - node.self_weight - node.not_kept - _weight(branch.children)
        branch.hidden_contexts = branch.node.below - len(branch.node.members) - _contexts(branch.children)
    hidden_weight = whole - tree.not_kept - _weight(top)
    not_kept_in_hidden = tree.all_not_kept - tree.not_kept - sum(branch.node.not_kept for branch in shown)
    hidden_contexts = sum(root.below for root in roots) - _contexts(top)
    selection = Selection(
        roots=top,
        hidden_weight=hidden_weight,
        hidden_contexts=hidden_contexts,
        not_kept=tree.not_kept,
        all_hidden_weight=hidden_weight + sum(branch.hidden_weight for branch in shown) - not_kept_in_hidden,
        all_hidden_contexts=hidden_contexts + sum(branch.hidden_contexts for branch in shown),
        all_not_kept=tree.all_not_kept,
    )
    shorten_chains(top, lambda branch: _has_nothing_else(branch, least_weight))
    return selection


def _has_nothing_else(branch: Branch, least: float) -> bool:
    return max(branch.node.self_weight, branch.hidden_weight, branch.node.not_kept) < least


def _will_pass_on(node: FoldedNode, least: float) -> bool:
    """Whether the node has one child worth a line and nothing else."""
    if not node.children or node.self_weight >= least:
        return False
    heaviest = node.children[0]
    return heaviest.total >= least > node.total - node.self_weight - heaviest.total


def shorten_chains(top: Sequence[Branch], is_plain: Callable[[Branch], bool]) -> None:
    """Fold the runs of frames that only pass calls on.

    Args:
        top: changed in place.
        is_plain: whether a branch with one child has nothing else to show.
    """
    pending = list(top)
    while pending:
        branch = pending.pop()
        _shorten_chain(branch, is_plain)
        pending.extend(branch.children)


def _shorten_chain(branch: Branch, is_plain: Callable[[Branch], bool]) -> None:
    if len(branch.children) != 1:
        return
    passed_on: list[FoldedNode] = []
    last = branch.children[0]
    while len(last.children) == 1 and is_plain(last):
        passed_on.append(last.node)
        last = last.children[0]
    if len(passed_on) >= _SHORTEST_CHAIN:
        last.passed_on = passed_on
        branch.children = [last]


def _weight(branches: Sequence[Branch]) -> int:
    return sum(branch.node.total for branch in branches)


def _contexts(branches: Sequence[Branch]) -> int:
    return sum(branch.node.below for branch in branches)
