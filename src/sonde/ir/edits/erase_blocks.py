"""Taking out blocks to which no path leads."""

from collections.abc import Container

from sonde.ir.edits.block_addresses import address_taken_blocks
from sonde.ir.edits.lifetimes import drop_lifetimes
from sonde.ir.edits.replace_uses import poison_records
from sonde.ir.function import Function
from sonde.ir.module import Module
from sonde.ir.phi import incoming_of, set_incoming


def erase_unreachable_blocks(
    module: Module, function: Function, *, address_taken: Container[str] | None = None
) -> list[str]:
    """Take out the blocks to which no path leads from the first one.

    Records that named their values name `poison` instead, and lifetimes of their stack slots go: a caller may make
    parameters of values that are still used. A phi that is left with one entry stays a phi.

    Args:
        address_taken: names of blocks that addresses name: they stay, and what they lead to stays, for the address
            needs something to name. None: found out, see `address_taken_blocks`.
    Returns: the names of the blocks that are gone.
    Guarantee: the function does what it did, and verifies if it did.
    Cost: a walk over the function, and one over the module unless `address_taken` is given.
    """
    if address_taken is None:
        address_taken = address_taken_blocks(module).get(function.name, ())
    kept = _reachable(function, address_taken)
    gone = [block for block in function.blocks if block.name not in kept]
    if not gone:
        return []
    lost = {each.result for block in gone for each in block.instructions if each.result is not None}
    names = {block.name for block in gone}
    touched = {name for block in gone for name in block.successors() if name in kept}
    function.blocks = [block for block in function.blocks if block.name in kept]
    for block in function.blocks:
        if block.name in touched:
            for phi in block.phis():
                set_incoming(phi, [pair for pair in incoming_of(phi) if pair[1] not in names])
    drop_lifetimes(function, lost)
    poison_records(function, lost)
    return [block.name for block in gone]


def _reachable(function: Function, address_taken: Container[str]) -> set[str]:
    blocks = function.blocks_by_name()
    waiting = [function.entry.name, *(name for name in blocks if name in address_taken)]
    kept = set(waiting)
    while waiting:
        for name in blocks[waiting.pop()].successors():
            if name not in kept:
                kept.add(name)
                waiting.append(name)
    return kept
