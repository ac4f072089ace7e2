"""Adding a phi."""

from collections.abc import Mapping

from sonde.ir.block import Block
from sonde.ir.edits.branches import predecessors
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.phi import make_phi


def add_phi(function: Function, block: Block, type_: str, incoming: Mapping[str, str], name: str) -> Instruction:
    """Add a phi behind those that a block has.

    Args:
        incoming: predecessor -> the value that comes from there, for each predecessor.
        name: of its value; one like it is chosen when it is taken.
    Raises:
        ValueError: `incoming` names other blocks than those that the block may follow.
    """
    edges = [before.name for before in predecessors(function, block.name)]
    if set(edges) != incoming.keys():
        raise ValueError(
            f"cannot add a phi to {block.name}: it follows {', '.join(dict.fromkeys(edges)) or 'nothing'}, "
            f"values are given for {', '.join(incoming) or 'nothing'}"
        )
    phi = make_phi(function.fresh_name(name), type_, [(incoming[edge], edge) for edge in edges])
    block.instructions.insert(block.first_after_phis(), phi)
    return phi
