"""What a file of counts has: the forest that a process, or a thread of it, has left (`native/core/paths`)."""

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sonde.code import Function
from sonde.instruments.paths.profile import PathRoutine, routines_of_rows
from sonde.native import read_slab_file, slab_file_dropped


class SlabCounts(NamedTuple):
    """What was counted."""

    routines: list[PathRoutine]
    floor: int
    """No sequence that is not listed was taken more often."""
    dropped: int
    """Paths for which there was no room."""


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
        dropped = slab_file_dropped(mapped, k)
    return SlabCounts(routines_of_rows(rows, function), least - 1, dropped)
