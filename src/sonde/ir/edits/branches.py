"""Ends of blocks, and what phis know of them."""

from collections.abc import Iterable

from sonde.ir.block import Block
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.phi import Incoming


def jump_to(block: str, location: int | None) -> Instruction:
    """A branch without condition."""
    end = "" if location is None else f", !dbg !{location}"
    return Instruction(None, "br", ["br label ", block, end])


def blocks_named(function: Function, names: Iterable[str]) -> list[Block]:
    """The blocks of these names, each once, in the order of the text. Cost: a look at every block's name."""
    wanted = set(names)
    return [block for block in function.blocks if block.name in wanted] if wanted else []


def predecessors(function: Function, target: str) -> list[Block]:
    """The blocks that `target` may follow, once for each edge. Cost: a look at every terminator."""
    return [block for block in function.blocks for name in block.successors() if name == target]


def move_phi_entries(function: Function, source: Block, old: str, new: str) -> None:
    """Let the phis behind `source` know it by its new name."""
    for block in blocks_named(function, source.successors()):
        for phi in block.phis():
            phi.replace_uses({old: new})


def drop_one_entry(incoming: list[Incoming], source: str) -> tuple[str, list[Incoming]]:
    """What comes over one edge from `source`, and all the rest.

    Where several edges lead here from there, they bring the same value.

    Raises:
        ValueError: nothing comes from there.
    """
    for at, (value, origin) in enumerate(incoming):
        if origin == source:
            return value, incoming[:at] + incoming[at + 1 :]
    raise ValueError(f"no phi entry from {source}")
