"""Local values that phis take from the blocks before them."""

from collections.abc import Iterator

from sonde.ir.instruction import Instruction


def phi_uses(phi: Instruction) -> Iterator[tuple[int, str, str]]:
    """Which local value comes from which block; constants are left out.

    Yields:
        The value's place in `pieces`, the value, the block.

    >>> phi = Instruction.from_text("phi i32 [ 0, %a ], [ %x, %b ]", "%p")
    >>> list(phi_uses(phi))
    [(3, '%x', '%b')]
    """
    pieces = phi.pieces
    for at in range(1, len(pieces) - 2, 2):
        if pieces[at + 1] == ", " and pieces[at + 3].startswith(" ]"):
            yield at, pieces[at], pieces[at + 2]
