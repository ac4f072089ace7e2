"""Points of a function."""

from typing import NamedTuple


class Place(NamedTuple):
    """The point right before an instruction.

    All phis of a block happen at once, on the edge that leads there: the places before, between and right after them
    are one, and what they yield is there already.
    """

    block: str
    at: int
    """Of the instruction in its block; the number of instructions for the end of the block."""
