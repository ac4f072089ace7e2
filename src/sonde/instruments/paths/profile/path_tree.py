"""The k-iteration path forest of a routine: sequences of acyclic paths as a prefix tree with counts."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sonde.base.errors import InputError

NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class PathTree:
    """A prefix tree, a row for each sequence; depth first, siblings by id, so that equal counts are equal trees.

    >>> tree = PathTree(array("q", [-1, 0, -1]), array("Q", [0, 7, 7]), array("Q", [5, 2, 3]))
    >>> list(tree.paths())
    [(0,), (0, 7), (7,)]
    >>> tree.total
    8
    """

    parents: "array[int]" = field(default_factory=lambda: array("q"))
    """(n_rows,) int64: the row of the sequence without its last path, which stands before; `NO_PARENT` for one path."""
    ids: "array[int]" = field(default_factory=lambda: array("Q"))
    """(n_rows,) uint64: the last path of each sequence."""
    counts: "array[int]" = field(default_factory=lambda: array("Q"))
    """(n_rows,) uint64: how often each sequence was taken."""

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def total(self) -> int:
        """Acyclic paths taken."""
        return sum(count for parent, count in zip(self.parents, self.counts, strict=True) if parent == NO_PARENT)

    def lengths(self) -> "array[int]":
        """(n_rows,) int64: how many paths each sequence has."""
        lengths = array("q")
        for parent in self.parents:
            lengths.append(1 if parent == NO_PARENT else lengths[parent] + 1)
        return lengths

    def path(self, row: int) -> tuple[int, ...]:
        """The ids of one sequence."""
        ids = []
        while row != NO_PARENT:
            ids.append(self.ids[row])
            row = self.parents[row]
        return tuple(reversed(ids))

    def paths(self) -> Iterator[tuple[int, ...]]:
        """The ids of every sequence, in order of the rows.

        Cost: O(k) for each.
        """
        above: list[int] = []
        for length, path_id in zip(self.lengths(), self.ids, strict=True):
            del above[length - 1 :]
            above.append(path_id)
            yield tuple(above)

    def check_valid(self) -> None:
        """Refuse rows that are no such tree.

        Raises:
            InputError: `corrupt-profile`. Columns differ in length; a parent does not stand before its child, or not
                depth first; siblings do not ascend; a sequence was taken more often than what it begins with, or never.
        """
        problem = self._problem()
        if problem:
            raise InputError(f"cannot use these paths: {problem}", slug="corrupt-profile")

    def _problem(self) -> str:
        if not len(self.parents) == len(self.ids) == len(self.counts):
            return "their columns differ in length"
        line: list[int] = []  # the row before, and those above it
        for row, parent in enumerate(self.parents):
            last = NO_PARENT
            while line and line[-1] != parent:
                last = line.pop()
            if not line and parent != NO_PARENT:
                return f"row {row} does not stand behind its parent, row {parent}"
            if last != NO_PARENT and self.ids[last] >= self.ids[row]:
                return f"rows {last} and {row} are not in order"
            if not 0 < self.counts[row] <= (self.counts[parent] if line else self.counts[row]):
                return f"row {row} has count {self.counts[row]}"
            line.append(row)
        return ""


def merged_trees(trees: Sequence[PathTree], k: int) -> PathTree:
    """The counts of several trees added up, of sequences of up to k paths.

    Guarantee: associative and commutative; of the trees of streams, the tree of all the streams.
    Cost: O(n log n) for n rows of all trees.
    """
    if not trees:
        return PathTree()
    children: list[dict[int, int]] = [{}]  # of the nodes of the sum; the first is above all
    counts = [0]
    for tree in trees:
        nodes = array("q")
        for parent, path_id, count, length in zip(tree.parents, tree.ids, tree.counts, tree.lengths(), strict=True):
            if length > k:
                nodes.append(NO_PARENT)
                continue
            siblings = children[0 if parent == NO_PARENT else nodes[parent]]
            node = siblings.setdefault(path_id, len(counts))
            if node == len(counts):
                children.append({})
                counts.append(0)
            counts[node] += count
            nodes.append(node)
    return tree_of(_depth_first(children, counts))


def tree_of(rows: Iterable[tuple[int, int, int]]) -> PathTree:
    """A tree of rows in order: parent, id, count."""
    tree = PathTree()
    for parent, path_id, count in rows:
        tree.parents.append(parent)
        tree.ids.append(path_id)
        tree.counts.append(count)
    return tree


def _depth_first(children: Sequence[dict[int, int]], counts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    pending = [(NO_PARENT, *item) for item in sorted(children[0].items(), reverse=True)]
    row = 0
    while pending:
        parent, path_id, node = pending.pop()
        yield parent, path_id, counts[node]
        pending.extend((row, *item) for item in sorted(children[node].items(), reverse=True))
        row += 1
