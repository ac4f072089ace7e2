"""The k-iteration path forest of a routine: sequences of acyclic paths as a prefix tree with counts."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import itemgetter

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
    Cost: O(n k log m) for n rows of m trees, which are in the order of their paths.
    """
    merged = PathTree()
    above: list[int] = []  # rows of what the current path begins with
    listed = merge(*(zip(tree.paths(), tree.counts, strict=True) for tree in trees))
    for path, same in groupby(listed, key=itemgetter(0)):
        if len(path) > k:
            continue
        del above[len(path) - 1 :]
        merged.parents.append(above[-1] if above else NO_PARENT)
        merged.ids.append(path[-1])
        merged.counts.append(sum(count for _, count in same))
        above.append(len(merged) - 1)
    return merged
