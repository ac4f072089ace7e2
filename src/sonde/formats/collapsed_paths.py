"""Sequences of paths as collapsed stacks, `routine;2;0;0 3`: in a flame graph, what follows a path stands above it."""

from array import array
from collections.abc import Iterator
from typing import BinaryIO

from sonde.formats.collapsed import collapsed_frame
from sonde.instruments.paths.profile import NO_PARENT, PathProfile, PathRoutine


def write_collapsed_paths(profile: PathProfile, stream: BinaryIO) -> None:
    """Write a path profile as collapsed stacks, UTF-8: how often each sequence was taken without one that goes on.

    Guarantee: the weights add up to the paths that were taken.
    Cost: O(n k) for n sequences.
    """
    for routine in profile.routines:
        for line in _lines(routine):
            stream.write(line)


def _lines(routine: PathRoutine) -> Iterator[bytes]:
    forest = routine.forest
    own = array("Q", forest.counts)
    for parent, count in zip(forest.parents, forest.counts, strict=True):
        if parent != NO_PARENT:
            own[parent] -= count
    frame = collapsed_frame(routine.function)
    for path, weight in zip(forest.paths(), own, strict=True):
        if weight:
            yield b"%s;%s %d\n" % (frame, b";".join(b"%d" % path_id for path_id in path), weight)
