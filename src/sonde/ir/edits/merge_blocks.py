"""Making one block of two that always follow one another."""

from collections.abc import Container

from sonde.ir.block import Block
from sonde.ir.edits.block_addresses import address_taken_blocks
from sonde.ir.edits.branches import move_phi_entries, predecessors
from sonde.ir.edits.replace_uses import replace_many_uses
from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.phi import incoming_of


def merge_into_predecessor(
    module: Module, function: Function, block: Block, *, address_taken: Container[str] | None = None
) -> Block:
    """Append a block to the only one that it can follow, which goes nowhere else.

    Its phis have one value each, which takes their place.

    Args:
        address_taken: names of blocks that addresses name; None: found out, see `address_taken_blocks`.
    Returns: the predecessor, which now holds the instructions of both.
    Raises:
        ValueError: the two cannot be merged; with the reason.
    Guarantee: the function does what it did, and verifies if it did.
    Cost: a walk over the function when there are phis, else over its terminators; and one over the module unless
        `address_taken` is given.
    """
    if address_taken is None:
        address_taken = address_taken_blocks(module).get(function.name, ())
    before = predecessors(function, block.name)
    if reason := _why_not_merge(function, block, before, address_taken):
        raise ValueError(f"cannot merge {block.name} into its predecessor: {reason}")
    above = before[0]
    phis = block.phis()
    if phis:
        del block.instructions[: len(phis)]
        replace_many_uses(function, {phi.result: incoming_of(phi)[0][0] for phi in phis if phi.result is not None})
    jump = above.instructions.pop()
    first = block.instructions[0]
    first.records = jump.records + first.records
    above.instructions += block.instructions
    move_phi_entries(function, above, block.name, above.name)
    function.blocks.remove(block)
    return above


def _why_not_merge(function: Function, block: Block, before: list[Block], address_taken: Container[str]) -> str | None:
    if block is function.blocks[0]:
        return "the function begins with it"
    if len(before) != 1:
        return f"{len(before)} edges lead there"
    if before[0] is block:
        return "it follows itself"
    if before[0].terminator.opcode != "br" or len(before[0].successors()) != 1:
        return f"{before[0].name} may go elsewhere"
    if block.name in address_taken:
        return "its address is taken"
    if block.is_landing_pad:
        return "it receives exceptions"
    return None
