"""Which sequences of paths over several iterations a routine spends most of its iterations in."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.paths.profile import NO_PARENT, PathTree

NEARLY_AS_OFTEN = 0.9
"""A sequence is left out for a longer one that was taken so often in comparison: of a loop that always takes path 0,
all sequences of zeros would be listed, each once more often than the next one."""


@dataclass(frozen=True, slots=True)
class HotPath:
    """A sequence of two paths or more."""

    ids: tuple[int, ...]
    count: int
    """How often it was taken; these may overlap."""
    period: int
    """After so many paths it repeats itself; its length, if it does not."""

    @property
    def covered(self) -> int:
        """How many of the routine's paths lie in it, at least.

        Guarantee: lower bound. Where it begins again within itself, it does so after `period` paths or more, so that
        each time brings so many paths that were in none before.
        """
        return self.count * self.period + len(self.ids) - self.period


def hot_paths(tree: PathTree, *, least: int = 1) -> list[HotPath]:
    """Sequences of two paths or more, those first in which the most paths lie.

    Of sequences that are rotations of one loop, and of those that are taken along with longer ones, one is listed.

    Args:
        least: sequences that were taken fewer times are not looked at.
    Cost: O(n k) for n sequences taken often enough, and O(n) for all.
    """
    lengths = tree.lengths()
    is_part = _parts_of_longer(tree, lengths, least)
    found = [
        _hot_path(tree, row)
        for row, (length, count) in enumerate(zip(lengths, tree.counts, strict=True))
        if length > 1 and count >= least and not is_part[row]
    ]
    found.sort(key=lambda each: (-each.covered, -each.count, each.ids))
    listed: dict[tuple[int, ...], HotPath] = {}
    for each in found:
        listed.setdefault(_loop_of(each), each)
    return list(listed.values())


def period_of(ids: Sequence[int]) -> int:
    """After how many items a sequence repeats itself: by the failure function of Knuth, Morris and Pratt (1977).

    >>> period_of([2, 0, 0, 2, 0]), period_of([7, 7, 7]), period_of([1, 2])
    (3, 1, 2)
    """
    borders = [0]
    for item in ids[1:]:
        border = borders[-1]
        while border and ids[border] != item:
            border = borders[border - 1]
        borders.append(border + (ids[border] == item))
    return len(ids) - borders[-1]


def _hot_path(tree: PathTree, row: int) -> HotPath:
    ids = tree.path(row)
    return HotPath(ids, tree.counts[row], period_of(ids))


def _loop_of(path: HotPath) -> tuple[int, ...]:
    """What rotations of one loop have in common; the sequence, if it does not repeat itself."""
    if path.period == len(path.ids):
        return path.ids
    body = path.ids[: path.period]
    return (-1, *min(body[at:] + body[:at] for at in range(path.period)))


def _parts_of_longer(tree: PathTree, lengths: "array[int]", least: int) -> bytearray:
    """Whether sequences are the beginning or the end of one that is longer by one path, and taken nearly as often."""
    counts = tree.counts
    children = {
        (parent, path_id): row
        for row, (parent, path_id) in enumerate(zip(tree.parents, tree.ids, strict=True))
        if counts[row] >= least
    }
    is_part = bytearray(len(tree))
    ends = array("q", [NO_PARENT]) * len(tree)  # by row: the row of the sequence without its first path
    for (parent, path_id), row in children.items():
        if parent == NO_PARENT:
            continue
        end = children.get((ends[parent] if lengths[row] > 2 else NO_PARENT, path_id))
        if end is not None:
            ends[row] = end
        for part in (parent, end):
            if part is not None and counts[row] >= NEARLY_AS_OFTEN * counts[part]:
                is_part[part] = 1
    return is_part
