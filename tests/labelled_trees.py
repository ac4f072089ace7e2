"""Small trees, and what can be done to them: random ones, all their edits by brute force, and how they are written."""

import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from hypothesis import strategies as st

from sonde.instruments.decisions.deltas import EditPolicy

Written = tuple[str, tuple["Written", ...]]
"""A tree as a value: its label, and what is below it. Labels with the same letter are of one group."""
NEVER = 10**9


@dataclass(slots=True, eq=False)
class Labelled:
    """A node of a tree."""

    label: str
    children: list["Labelled"] = field(default_factory=list)

    def written(self) -> Written:
        return self.label, tuple(child.written() for child in self.children)


def group_of(label: str) -> str | None:
    """`a1` and `a2` are of one group; `1` is of none."""
    return label[0] if label[0].isalpha() else None


POLICY: EditPolicy[Labelled] = EditPolicy(
    lambda node: node.label, lambda node: group_of(node.label), lambda node: node.children
)
ONE_GROUP: EditPolicy[Labelled] = EditPolicy(lambda node: node.label, lambda _: "all", lambda node: node.children)
NO_GROUP: EditPolicy[Labelled] = EditPolicy(lambda node: node.label, lambda _: None, lambda node: node.children)


@st.composite
def labelled_trees(draw: st.DrawFn, labels: Sequence[str] = ("a1", "a2", "b1", "1"), most: int = 8) -> Labelled:
    nodes: list[Labelled] = [Labelled(draw(st.sampled_from(labels)))]
    for _ in range(draw(st.integers(0, most - 1))):
        parent = nodes[draw(st.integers(max(0, len(nodes) - 4), len(nodes) - 1))]
        node = Labelled(draw(st.sampled_from(labels)))
        parent.children.append(node)
        nodes.append(node)
    return nodes[0]


def tree_of(written: Written) -> Labelled:
    return Labelled(written[0], [tree_of(child) for child in written[1]])


def size(written: Written) -> int:
    return 1 + sum(map(size, written[1]))


@cache
def least_cost(left: Written, right: Written) -> int:
    """Of all ways to match children with children, in order, the cheapest: every one of them is tried."""
    relabel = 0
    if left[0] != right[0]:
        group = group_of(left[0])
        relabel = 1 if group is not None and group == group_of(right[0]) else NEVER
    ways = []
    for pairs in _matchings(len(left[1]), len(right[1])):
        matched_left, matched_right = {i for i, _ in pairs}, {j for _, j in pairs}
        cost = sum(least_cost(left[1][i], right[1][j]) for i, j in pairs)
        cost += sum(size(child) for i, child in enumerate(left[1]) if i not in matched_left)
        cost += sum(size(child) for j, child in enumerate(right[1]) if j not in matched_right)
        ways.append(cost)
    return relabel + min(ways)


def _matchings(rows: int, columns: int, row: int = 0, column: int = 0) -> Iterator[list[tuple[int, int]]]:
    """All sets of pairs (i, j) that ascend in both."""
    yield []
    for i in range(row, rows):
        for j in range(column, columns):
            for rest in _matchings(rows, columns, i + 1, j + 1):
                yield [(i, j), *rest]


Columns = tuple["array[int]", "array[int]", "array[int]"]


def random_columns(draw: random.Random, nodes: int, *, labels: int, groups: int, reach: float) -> Columns:
    """A tree as `sonde.native.tree_edits` takes it: sizes, labels, groups.

    Each node is below one of the last nodes, about `reach` of them: 1 makes deep trees; infinite: below any.
    """
    children: list[list[int]] = [[]]
    for node in range(1, nodes):
        back = int(draw.expovariate(1 / reach)) if reach < nodes else draw.randrange(node)
        children.append([])
        children[max(0, node - 1 - back)].append(node)
    order, pending = [], [0]
    while pending:
        order.append(pending.pop())
        pending.extend(reversed(children[order[-1]]))
    sizes = [1] * nodes
    for node in reversed(order):
        sizes[node] += sum(sizes[child] for child in children[node])
    of_labels = array("i", (draw.randrange(labels) for _ in order))
    of_groups = array("i", ((label % groups if groups else -1) for label in of_labels))
    return array("i", (sizes[node] for node in order)), of_labels, of_groups


def flat_columns(labels: Sequence[int], groups: int = 0) -> Columns:
    """A root of label 0 with a leaf for each of `labels`."""
    everything = array("i", [0, *labels])
    of_groups = array("i", ((label % groups if groups else -1) for label in everything))
    return array("i", [len(everything), *[1] * len(labels)]), everything, of_groups
