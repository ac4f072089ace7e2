"""The sequences of up to k acyclic paths that routines take, exactly, in bounded memory."""

from collections.abc import Sequence
from itertools import pairwise

from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.path_batch import PathBatch
from sonde.instruments.paths.profile import NO_PARENT, PathProfile, PathRoutine, PathTree, function_key
from sonde.native import new_slab_forest

NODE_BYTES = 64
"""What the core takes for a node at most."""


class PathForests:
    """Counts all sequences of up to k paths within an activation.

    Args:
        k: 1 or more; with 1, these are acyclic path profiles.
        memory_bytes: what the core may take; the profile is not in it.
    Guarantee: each sequence has its true count, unless the profile says by which floor it may be higher, and what was
        dropped: then counts are those of the stream cut at each path that was dropped.
    Cost: some 10 ns for each path where routines take few different ones.
    Source: D'Elia, thesis, 3.2.3.
    """

    def __init__(self, k: int, memory_bytes: int) -> None:
        self._k = k
        self._most = max(1, memory_bytes // NODE_BYTES)
        self._forest = new_slab_forest(k, self._most)

    def update(self, batch: PathBatch) -> None:
        """Count the next part of a stream."""
        self._forest.stream(batch.ids, batch.begins, batch.routines)

    def snapshot(self, functions: Sequence[Function]) -> PathProfile:
        """The profile so far.

        Args:
            functions: of the routines, by number.
        """
        least = 1
        while (rows := self._forest.rows(least, self._most)) is None:
            least *= 2
        routines = sorted(_routines(rows, functions), key=lambda routine: function_key(routine.function))
        return PathProfile(self._k, tuple(routines), floor=least - 1, losses=self._losses(least))

    def _losses(self, least: int) -> tuple[Loss, ...]:
        losses = []
        if self._forest.dropped:
            detail = "there was no memory for new sequences: these paths were left out, and what went on across them"
            losses.append(Loss("paths-dropped", self._forest.dropped, detail, hint="a smaller -k, or more --memory"))
        if least > 1:
            detail = f"sequences taken fewer than {least:,} times are not listed: there are too many of them"
            losses.append(Loss("rare-paths-left-out", 0, detail, hint="a smaller -k, or more --memory"))
        return tuple(losses)


def _routines(rows: tuple[bytes, bytes, bytes], functions: Sequence[Function]) -> list[PathRoutine]:
    parents, ids, counts = memoryview(rows[0]).cast("q"), memoryview(rows[1]).cast("Q"), memoryview(rows[2]).cast("Q")
    heads = [row for row, parent in enumerate(parents) if parent == NO_PARENT]
    return [
        PathRoutine(functions[ids[head]], counts[head], _tree(rows, head, end))
        for head, end in pairwise([*heads, len(parents)])
    ]


def _tree(rows: tuple[bytes, bytes, bytes], head: int, end: int) -> PathTree:
    """The rows below that of a routine; what is right below it has no parent."""
    tree = PathTree()
    for column, found in zip(rows, (tree.parents, tree.ids, tree.counts), strict=True):
        found.frombytes(memoryview(column)[8 * (head + 1) : 8 * end])
    for row, parent in enumerate(tree.parents):
        tree.parents[row] = NO_PARENT if parent == head else parent - head - 1
    return tree
