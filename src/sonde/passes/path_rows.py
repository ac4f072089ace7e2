"""Rows of nodes: what compiled code looks at to know what a path leads to (`native/probes/path_forests.h`)."""

from typing import NamedTuple

from sonde.flow import PathNumbering

MOST_IN_ROW = 16
"""`SN_SLAB_ROW`."""
STEP = 6
"""`SN_PATHS_STEP`: words of 32 bits in a node."""
WORDS_POWER, MANY_WORDS = 3, 1 << 31
"""`SN_PATHS_WORDS_POWER`, `SN_PATHS_MANY`."""


class Row(NamedTuple):
    """The row of a node, by the paths that can be next."""

    first: int
    words: int
    is_for_many: bool = False
    """Whether there may be more paths than words."""

    @property
    def described(self) -> int:
        """As the library is told."""
        return (MANY_WORDS if self.is_for_many else 0) | self.words

    @property
    def places(self) -> int:
        """`SN_SLAB_PLACES`: how many nodes take the place of one with such a row."""
        return 1 + (self.words + STEP - 1) // STEP

    @property
    def bias(self) -> int:
        """What a state is, beyond the distance to its node."""
        return STEP - self.first if self.words and not self.is_for_many else 0


NO_ROW = Row(0, 0)
MANY = Row(0, 1 << WORDS_POWER, is_for_many=True)


def rows_of(numbering: PathNumbering) -> dict[int, Row]:
    """Block where paths begin -> the row of nodes that lead there.

    Where few paths begin there is a word for each, unless the function has blocks that end paths before it is known
    what is next.
    """
    ends = [*numbering.starts.values(), numbering.paths][1:]
    found, is_few = {}, not numbering.ending
    for (block, first), end in zip(numbering.starts.items(), ends, strict=True):
        is_few = is_few and end - first <= MOST_IN_ROW
        found[block] = Row(first, end - first) if is_few else MANY
    return found
