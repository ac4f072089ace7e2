"""The sequences of up to k acyclic paths that routines take, exactly, in bounded memory."""

from collections.abc import Sequence

from sonde.code import Function
from sonde.instruments.paths.path_batch import PathBatch
from sonde.instruments.paths.profile import PathProfile, forest_losses, function_key, routines_of_rows
from sonde.native import new_slab_forest

NODE_BYTES = 64
"""What the core takes for a node at most."""


class PathForests:
    """Counts all sequences of up to k paths within an activation.

    Args:
        k: 1 or more; with 1, these are acyclic path profiles.
        memory_bytes: what the core may take; the profile is not in it.
    Guarantee: each sequence has its true count, unless the profile says by which floor it may be higher, and what was
        dropped: then counts are those of the stream cut at each path that was dropped. Single paths have their true
        counts as long as there is room for these.
    Cost: some 10 ns for each path where routines take few different ones.
    Source: D'Elia, thesis, 3.2.3.
    """

    def __init__(self, k: int, memory_bytes: int) -> None:
        self._k = k
        self._most = max(1, memory_bytes // NODE_BYTES)
        self._forest = new_slab_forest(k, self._most, prunes=True)

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
        routines = sorted(routines_of_rows(rows, functions.__getitem__), key=lambda each: function_key(each.function))
        pruned = self._forest.floor
        losses = forest_losses(self._forest.dropped, least - 1, pruned)
        return PathProfile(self._k, tuple(routines), floor=least - 1 + pruned, losses=losses)
