"""Lifetimes of stack slots, `llvm.lifetime.start` and `.end`: LLVM refuses them for anything else."""

from collections.abc import Set

from sonde.ir.function import Function
from sonde.ir.instruction import DebugRecord, Instruction


def drop_lifetimes(function: Function, slots: Set[str]) -> None:
    """Take out the calls that say when these slots begin and cease to live: for slots that become something else.

    A slot that becomes a parameter, for instance, lives in another activation, as long as that says.

    Cost: a walk over the function when there are slots.
    """
    if not slots:
        return
    for block in function.blocks:
        kept: list[Instruction] = []
        carried: tuple[DebugRecord, ...] = ()
        for each in block.instructions:
            if _is_lifetime(each) and not slots.isdisjoint(each.uses()):
                carried += each.records
                continue
            each.records, carried = carried + each.records, ()
            kept.append(each)
        block.instructions[:] = kept


def _is_lifetime(instruction: Instruction) -> bool:
    return instruction.opcode == "call" and "@llvm.lifetime." in instruction.pieces[0]
