"""The delta tree of two trees, by the cheapest edits."""

from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from sonde.instruments.decisions.deltas.delta import DeltaNode, Edit
from sonde.instruments.decisions.deltas.policy import EditPolicy
from sonde.native import tree_edits

N = TypeVar("N")

LARGEST_PRODUCT = 10_000**2
"""Of the sizes of two trees that are compared."""


def difference(
    left: N, right: N, policy: EditPolicy[N], right_policy: EditPolicy[N] | None = None
) -> DeltaNode[N] | None:
    """What became of each node of `left`, and which of `right` are new; None: the trees are too big.

    Args:
        right_policy: for the nodes of `right`, if they are looked at in another way; its labels and groups compare with
            those of `policy`.
    Guarantee: as `sonde.native.tree_edits`: no other edits of whole subtrees cost less. The nodes of `left` are those
        with a left side, those of `right` those with a right side, in order.
    Cost: that of `sonde.native.tree_edits`, and about 2 us for each node.

    >>> from sonde.instruments.decisions.model import CallSite
    >>> from sonde.instruments.decisions.deltas import INLINING
    >>> before = CallSite("f", is_root=True, children=[CallSite("g", 3, alive=True)])
    >>> after = CallSite("f", is_root=True, children=[CallSite("g", 3, inlined=True)])
    >>> [str(child.edit) for child in difference(before, after, INLINING).children]
    ['*']
    """
    trees = _read(left, right, policy, right_policy)
    if trees is None:
        return None
    _, of_left, of_right = _edits(*trees)
    return _delta(*trees, of_left, of_right)


def edit_distance(left: N, right: N, policy: EditPolicy[N], right_policy: EditPolicy[N] | None = None) -> int:
    """What the cheapest edits cost: for each node in a subtree that comes or goes 1, for each that changes 1.

    Raises:
        ValueError: the trees are too big.
    """
    trees = _read(left, right, policy, right_policy)
    if trees is None:
        raise ValueError("there are too many pairs of nodes")
    return _edits(*trees)[0]


def tree_size(node: N, children: Callable[[N], Sequence[N]]) -> int:
    """Nodes in the tree.

    >>> tree_size(3, lambda n: range(n))
    8
    """
    pending, size = [node], 0
    while pending:
        size += 1
        pending.extend(children(pending.pop()))
    return size


_Numbers = dict[Hashable, int]
"""In the order in which they are first asked for."""


class _Preorder(Generic[N]):
    """A tree as columns."""

    def __init__(self, root: N, children: Callable[[N], Sequence[N]]) -> None:
        nodes: list[N] = []
        parents: list[int] = []
        pending, pending_parents = [root], [-1]
        while pending:
            node = pending.pop()
            parents.append(pending_parents.pop())
            below = children(node)
            if below:
                pending.extend(below[::-1])
                pending_parents.extend([len(nodes)] * len(below))
            nodes.append(node)
        sizes = [1] * len(nodes)
        for number in range(len(nodes) - 1, 0, -1):
            sizes[parents[number]] += sizes[number]
        self.nodes, self.parents, self.sizes = nodes, parents, sizes
        self.labels, self.groups = array("i"), array("i")

    def read_labels(self, policy: EditPolicy[N], labels: _Numbers, groups: _Numbers, by_label: list[int]) -> None:
        """Number labels and groups; those that have a number keep it. `by_label`: the group of each label."""
        label, number_of = policy.label, labels.setdefault  # which hashes a label once, also if it is a new one
        for node in self.nodes:
            number = number_of(label(node), len(by_label))
            if number == len(by_label):
                group = policy.group(node)
                by_label.append(-1 if group is None else groups.setdefault(group, len(groups)))
            self.labels.append(number)
        self.groups.extend(map(by_label.__getitem__, self.labels))


def _read(
    left: N, right: N, policy: EditPolicy[N], right_policy: EditPolicy[N] | None
) -> tuple[_Preorder[N], _Preorder[N]] | None:
    right_policy = right_policy or policy
    before, after = _Preorder(left, policy.children), _Preorder(right, right_policy.children)
    if len(before.nodes) * len(after.nodes) > LARGEST_PRODUCT:
        return None
    labels: _Numbers = {}
    groups: _Numbers = {}
    by_label: list[int] = []
    before.read_labels(policy, labels, groups, by_label)
    after.read_labels(right_policy, labels, groups, by_label)
    return before, after


def _edits(left: _Preorder[N], right: _Preorder[N]) -> tuple[int, "array[int]", "array[int]"]:
    cost, of_left, of_right = tree_edits(
        array("i", left.sizes), left.labels, left.groups, array("i", right.sizes), right.labels, right.groups
    )
    return cost, array("i", of_left), array("i", of_right)


def _delta(left: _Preorder[N], right: _Preorder[N], of_left: "array[int]", of_right: "array[int]") -> DeltaNode[N]:
    """The nodes of the script, and all that is in subtrees that come or go, each below its parent."""
    top: DeltaNode[N] = DeltaNode(Edit.SAME, None, None)  # above the root, whose parent is -1
    from_left, from_right = [top] * (len(left.nodes) + 1), [top] * (len(right.nodes) + 1)
    same, changed = Edit.SAME, Edit.CHANGED
    left_nodes, right_nodes, left_labels, right_labels = left.nodes, right.nodes, left.labels, right.labels
    left_parents = left.parents
    for a, b in zip(of_left, of_right, strict=True):
        if b < 0:
            _add_whole(left, a, from_left, Edit.DELETED)
        elif a < 0:
            _add_whole(right, b, from_right, Edit.INSERTED)
        else:
            edit = same if left_labels[a] == right_labels[b] else changed
            node: DeltaNode[N] = DeltaNode(edit, left_nodes[a], right_nodes[b], [])
            from_left[a] = from_right[b] = node
            from_left[left_parents[a]].children.append(node)
    return top.children[0]


def _add_whole(tree: _Preorder[N], first: int, made: list[DeltaNode[N]], edit: Edit) -> None:
    deleted = edit is Edit.DELETED
    for number in range(first, first + tree.sizes[first]):
        node = tree.nodes[number]
        delta: DeltaNode[N] = DeltaNode(edit, node, None, []) if deleted else DeltaNode(edit, None, node, [])
        made[number] = delta
        made[tree.parents[number]].children.append(delta)
