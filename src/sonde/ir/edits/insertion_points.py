"""Where in a block something may be put."""

from sonde.ir.block import Block
from sonde.ir.instruction import Instruction

_THEN_RETURNS = "@llvm.experimental.deoptimize."


def last_insertion_point(block: Block) -> int:
    """Index of the last instruction before which something may be put.

    That is the terminator, or a call that the function's return must follow at once.
    """
    instructions = block.instructions
    last = len(instructions) - 1
    if instructions[last].opcode != "ret":
        return last
    at = last - 1
    if at > 0 and instructions[at].opcode == "bitcast":  # of the call's result
        at -= 1
    return at if at >= 0 and _must_return(instructions[at]) else last


def why_nothing_goes_there(block: Block, at: int) -> str | None:
    """Why nothing may be put before the instruction at `at`; None if something may."""
    first, last = block.first_insertion_point(), last_insertion_point(block)
    if block.instructions[first].opcode == "catchswitch":
        return "a block with a catchswitch has nothing else"
    if not 0 <= at < len(block.instructions):
        return f"the block has {len(block.instructions)} instructions"
    if at < first:
        return f"{block.instructions[at].opcode} comes first in a block"
    if at > last:
        return "a return must follow the call before it at once"
    return None


def _must_return(call: Instruction) -> bool:
    if call.opcode != "call":
        return False
    head = call.pieces[0]
    has_tail_convention = "tailcc " in head.partition("@")[0]
    return head.startswith("musttail ") or has_tail_convention or _THEN_RETURNS in head
