"""Changing IR: every edit leaves a module that LLVM verifies, with debug information that is still true.

Arguments go from the outside in: module, function, block, place. The module is asked for where an edit looks beyond
the function, at addresses of blocks, types or metadata. New names are the caller's: `Function.fresh_name` and
`suffixed` make them.

An edit that would break the function is refused with a `ValueError` that says why. Many edits of one function cost
less when the caller keeps its names (`taken`).
"""

from sonde.ir.edits.add_phi import add_phi
from sonde.ir.edits.block_addresses import address_taken_blocks
from sonde.ir.edits.clone_function import Clone, clone_function, copy_blocks
from sonde.ir.edits.demote_to_stack import demote_to_stack
from sonde.ir.edits.erase_blocks import erase_unreachable_blocks
from sonde.ir.edits.extract_functions import extract_functions
from sonde.ir.edits.insertion_points import last_insertion_point, why_nothing_goes_there
from sonde.ir.edits.lifetimes import drop_lifetimes
from sonde.ir.edits.linkage import declaration_of, global_with_linkage, with_linkage
from sonde.ir.edits.merge_blocks import merge_into_predecessor
from sonde.ir.edits.place_instruction import (
    erase_instruction,
    insert_instruction,
    move_instruction,
    replace_instruction,
)
from sonde.ir.edits.promote_internals import promote_internals, suffixed
from sonde.ir.edits.rename_globals import rename_globals_everywhere
from sonde.ir.edits.rename_locals import canonical_name, rename_locals
from sonde.ir.edits.replace_uses import replace_all_uses, replace_many_uses
from sonde.ir.edits.split_block import cut_block, split_block, why_not_split
from sonde.ir.edits.split_edge import split_edge, why_not_split_edge

__all__ = [
    "Clone",
    "add_phi",
    "address_taken_blocks",
    "canonical_name",
    "clone_function",
    "copy_blocks",
    "cut_block",
    "declaration_of",
    "demote_to_stack",
    "drop_lifetimes",
    "erase_instruction",
    "erase_unreachable_blocks",
    "extract_functions",
    "global_with_linkage",
    "insert_instruction",
    "last_insertion_point",
    "merge_into_predecessor",
    "move_instruction",
    "promote_internals",
    "rename_globals_everywhere",
    "rename_locals",
    "replace_all_uses",
    "replace_instruction",
    "replace_many_uses",
    "split_block",
    "split_edge",
    "suffixed",
    "why_not_split",
    "why_not_split_edge",
    "why_nothing_goes_there",
    "with_linkage",
]
