"""Making a second copy of a function, beside the first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sonde.ir.block import Block
from sonde.ir.edits.block_addresses import check_can_be_doubled, jump_tables, move_block_addresses
from sonde.ir.edits.linkage import with_linkage, without_attachments, without_comdat
from sonde.ir.edits.own_metadata import copy_nodes, own_nodes
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.metadata import renumber
from sonde.ir.module import Module
from sonde.ir.names import fresh_name, rename_globals


@dataclass(frozen=True, slots=True)
class Clone:
    """A second copy of a function. Its parameters, blocks and values have the names that they have in the original."""

    function: Function
    nodes: Mapping[int, int]
    """Metadata node of the original -> the clone's own."""
    tables: Mapping[str, str]
    """Table of block addresses of the original -> the clone's own."""


def clone_function(
    module: Module, function: Function, new_name: str, *, linkage: str = "internal", calls_itself: bool = False
) -> Clone:
    """Add a copy of a function to its module.

    Whatever describes the function alone is copied with it (see `own_nodes`), and so are its tables of block
    addresses. The clone is in no comdat.

    Args:
        new_name: with sigil, `suffixed(function.name, ".1")` say; must be free.
        linkage: of the clone, or its visibility; `external` is what LLVM takes for granted.
        calls_itself: whether what mentions the original in its own body mentions the clone in the clone's: recursive
            calls stay within the clone. Otherwise they go to the original.
    Raises:
        ValueError: the name is taken, the function is only declared, or it cannot be doubled because the two could
            jump into one another (see `check_can_be_doubled`).
    Guarantee: the clone does what the original does, and the module verifies if it did before.
    Cost: some 5 us an instruction, 25 us with debug information; a walk over the module as well for functions that
        jump to addresses.
    """
    if new_name in module.functions or new_name in module.globals:
        raise ValueError(f"{new_name} is taken")
    if function.is_declaration:
        raise ValueError(f"{function.name} has no blocks to clone")
    originals = jump_tables(module, function)
    check_can_be_doubled(module, function, originals)
    nodes = copy_nodes(module, own_nodes(module, function))
    moved = {function.name: new_name}
    tables = {}
    for table in originals:
        tables[table.name] = fresh_name(table.name, module.global_names())
        module.add_global(tables[table.name], without_attachments(move_block_addresses(table.text, moved)))
    globals_ = tables | moved if calls_itself else tables
    signature = with_linkage(function.signature, linkage).named(new_name)
    signature = replace(signature, suffix=renumber(without_comdat(signature.suffix), nodes))
    clone = Function(signature, copy_blocks(function))
    for instruction in clone.instructions():
        _retell(instruction, nodes, globals_, moved)
    module.functions[new_name] = clone
    return Clone(clone, nodes, tables)


def copy_blocks(function: Function) -> list[Block]:
    """Blocks equal to the function's, sharing nothing that can change."""
    return [Block(block.name, [each.copy() for each in block.instructions]) for block in function.blocks]


def _retell(instruction: Instruction, nodes: dict[int, int], globals_: dict[str, str], moved: dict[str, str]) -> None:
    for record in instruction.records:
        _retell_pieces(record.pieces, nodes, globals_, moved)
    _retell_pieces(instruction.pieces, nodes, globals_, moved)


def _retell_pieces(pieces: list[str], nodes: dict[int, int], globals_: dict[str, str], moved: dict[str, str]) -> None:
    for at in range(0, len(pieces), 2):
        piece = pieces[at]
        if "!" in piece:
            piece = renumber(piece, nodes)
        if "@" in piece:
            piece = move_block_addresses(piece, moved)
            if globals_:
                piece = rename_globals(piece, globals_)
        pieces[at] = piece
