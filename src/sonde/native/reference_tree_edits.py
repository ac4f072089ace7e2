"""The slow twin of native/core/trees/tree_edits.c: every table that could be needed, whole."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

NOTHING_ALIKE = 10**9
LARGEST_PRODUCT = 10_000**2

Table = list[list[int]]


class PreorderTree(NamedTuple):
    """A tree as `sonde.native.tree_edits` takes it."""

    sizes: list[int]
    labels: list[int]
    groups: list[int]

    def children(self, node: int) -> list[int]:
        """Of `node`, in order."""
        found, at = [], node + 1
        while at < node + self.sizes[node]:
            found.append(at)
            at += self.sizes[at]
        return found


def reference_tree_edits(
    left_sizes: Sequence[int],
    left_labels: Sequence[int],
    left_groups: Sequence[int],
    right_sizes: Sequence[int],
    right_labels: Sequence[int],
    right_groups: Sequence[int],
) -> tuple[int, bytes, bytes]:
    """As `sonde.native.tree_edits`."""
    left = PreorderTree(list(left_sizes), list(left_labels), list(left_groups))
    right = PreorderTree(list(right_sizes), list(right_labels), list(right_groups))
    nodes = len(left.sizes) + len(right.sizes)
    for tree in (left, right):
        _check(tree, nodes)
    groups_by_label: dict[int, int] = {}
    for label, group in zip(left.labels + right.labels, left.groups + right.groups, strict=True):
        if groups_by_label.setdefault(label, max(group, -1)) != max(group, -1):
            raise ValueError("equal labels are of several groups")
    if len(left.sizes) * len(right.sizes) > LARGEST_PRODUCT:
        raise ValueError("there are too many pairs of nodes")
    # Pairs that could be matched, those of parents before those of children; without recursion, as trees are deep.
    pairs = [(0, 0)]
    for a, b in pairs:
        alike = [(c, d) for c in left.children(a) for d in right.children(b) if _relabelling(left, c, right, d) <= 1]
        pairs.extend(alike)
    costs: dict[tuple[int, int], int] = {}
    for a, b in reversed(pairs):
        costs[a, b] = _relabelling(left, a, right, b) + _table(left, a, right, b, costs)[-1][-1]
    script = _script(left, right, costs)
    columns = (array("i", column) for column in zip(*script, strict=True))
    of_left, of_right = (column.tobytes() for column in columns)
    return costs[0, 0], of_left, of_right


def _check(tree: PreorderTree, nodes: int) -> None:
    count = len(tree.sizes)
    if len(tree.labels) != count or len(tree.groups) != count:
        raise ValueError("the columns of a tree differ in length")
    if not count or tree.sizes[0] != count or min(tree.sizes) < 1:
        raise ValueError("the sizes are those of no tree")
    for node, size in enumerate(tree.sizes):
        end = node + 1
        while end < node + size and end < count:
            end += tree.sizes[end]
        if end != node + size:
            raise ValueError("the sizes are those of no tree")
    if min(tree.labels) < 0 or max(*tree.labels, *tree.groups) >= nodes:
        raise ValueError("a label or group is out of range")


def _relabelling(left: PreorderTree, a: int, right: PreorderTree, b: int) -> int:
    if left.labels[a] == right.labels[b]:
        return 0
    return 1 if 0 <= left.groups[a] == right.groups[b] else NOTHING_ALIKE


def _table(left: PreorderTree, a: int, right: PreorderTree, b: int, costs: dict[tuple[int, int], int]) -> Table:
    """Of the children of `a` and `b`: the least cost of editing the first i into the first j, in row i, column j."""
    rows, columns = left.children(a), right.children(b)
    table = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for i in range(len(rows) + 1):
        for j in range(len(columns) + 1):
            ways = []
            if j:
                ways.append(table[i][j - 1] + right.sizes[columns[j - 1]])
            if i:
                ways.append(table[i - 1][j] + left.sizes[rows[i - 1]])
            if i and j:
                ways.append(table[i - 1][j - 1] + costs.get((rows[i - 1], columns[j - 1]), NOTHING_ALIKE))
            table[i][j] = min(ways, default=0)
    return table


def _script(left: PreorderTree, right: PreorderTree, costs: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    script, pending = [], [(0, 0)]
    while pending:
        a, b = pending.pop()
        script.append((a, b))
        if a < 0 or b < 0:
            continue
        rows, columns, table = left.children(a), right.children(b), _table(left, a, right, b, costs)
        i, j = len(rows), len(columns)
        while i or j:
            if j and table[i][j] == table[i][j - 1] + right.sizes[columns[j - 1]]:
                j -= 1
                pending.append((-1, columns[j]))
            elif i and table[i][j] == table[i - 1][j] + left.sizes[rows[i - 1]]:
                i -= 1
                pending.append((rows[i], -1))
            else:
                i, j = i - 1, j - 1
                pending.append((rows[i], columns[j]))
    return script
