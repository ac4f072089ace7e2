"""What a file of counts has: the forest that a process, or a thread of it, has left (`native/core/paths`)."""

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile import PathRoutine, forest_losses, routines_of_rows
from sonde.native import read_slab_file, slab_file_lost


class SlabCounts(NamedTuple):
    """What was counted."""

    routines: list[PathRoutine]
    unlisted: int
    """No sequence that is not listed is counted more often."""
    dropped: int
    """Paths for which there was no room."""
    pruned: int
    """No sequence was taken more often than is counted by more than this, for what was pruned."""
    cuts: int
    """Activations that were under way then, and began again in the counts."""

    @property
    def floor(self) -> int:
        """Of the profile."""
        return self.unlisted + self.pruned

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What is missing."""
        return forest_losses(self.dropped, self.unlisted, self.pruned, self.cuts)


def read_counts(path: Path, k: int, most: int, function: Callable[[int], Function]) -> SlabCounts:
    """Read a file of counts.

    Args:
        most: sequences that are listed at most.
        function: of a number.
    """
    least = 1
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        while (rows := read_slab_file(mapped, k, least, most)) is None:
            least *= 2
        lost = slab_file_lost(mapped, k)
    return SlabCounts(routines_of_rows(rows, function), least - 1, *lost)
