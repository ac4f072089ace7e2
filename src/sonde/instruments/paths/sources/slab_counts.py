"""What a file of counts has: the forest that a process, or a thread of it, has left (`native/core/paths`)."""

import mmap
from array import array
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile import NO_PARENT, PathRoutine, PathTree
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
    parents, ids, counts = array("q", rows[0]), array("Q", rows[1]), array("Q", rows[2])
    heads = [row for row, parent in enumerate(parents) if parent == NO_PARENT]
    routines = []
    for head, end in pairwise([*heads, len(parents)]):
        below = array("q", [NO_PARENT if parent == head else parent - head - 1 for parent in parents[head + 1 : end]])
        tree = PathTree(below, ids[head + 1 : end], counts[head + 1 : end])
        routines.append(PathRoutine(function(ids[head]), counts[head], tree))
    return SlabCounts(routines, least - 1, dropped)


def count_losses(dropped: int, floor: int) -> tuple[Loss, ...]:
    """What is missing of counts.

    Args:
        dropped, floor: of `SlabCounts`, those of several files added up.
    """
    losses = []
    if dropped:
        detail = "there was no memory for new sequences: these paths were left out, and what went on across them"
        losses.append(Loss("paths-dropped", dropped, detail, hint="a smaller -k, or more --memory"))
    if floor:
        detail = f"sequences taken fewer than {floor + 1:,} times are not listed: there are too many of them"
        losses.append(Loss("rare-paths-left-out", 0, detail, hint="a smaller -k, or more --memory"))
    return tuple(losses)
