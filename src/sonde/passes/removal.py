"""Taking out many instructions at once, their debug records kept."""

from collections.abc import Set

from sonde.ir import DebugRecord, Function


def remove_instructions(function: Function, values: Set[str]) -> None:
    """Take out the instructions that make these values. Nothing may use them any more.

    Records that stand before one of them stand before what follows it then. Cost: a walk over the function.
    """
    for block in function.blocks:
        kept = []
        carried: tuple[DebugRecord, ...] = ()
        for instruction in block.instructions:
            if instruction.result in values:
                carried += instruction.records
                continue
            if carried:
                instruction.records = carried + instruction.records
                carried = ()
            kept.append(instruction)
        block.instructions[:] = kept
