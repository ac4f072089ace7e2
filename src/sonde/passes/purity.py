"""Which instructions may be done earlier, or left out."""

import re

from sonde.ir import Instruction, is_plain_load, is_pure, operands_of

_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_ATTACHMENT = re.compile(r", !(?!dbg )[-\w.$]+ !")


def is_speculatable(instruction: Instruction) -> bool:
    """Whether it is pure and may be done where it was not asked for.

    What yields poison there harms nobody, as nothing uses it. A division may stop the program: it may be done early
    only when the divisor is a constant, not 0, nor -1, which overflows.
    """
    if instruction.opcode in _DIVISIONS:
        divisor = operands_of(instruction)[1].value
        return divisor.lstrip("-").isdigit() and int(divisor) not in (0, -1)
    return is_pure(instruction)


def is_removable(instruction: Instruction) -> bool:
    """Whether nobody notices that it is gone, once nothing uses its value.

    Loads that are neither volatile nor atomic are among these, allocations on the stack too.
    """
    return instruction.opcode in ("phi", "alloca", "freeze") or is_plain_load(instruction) or is_pure(instruction)


def has_attachments(instruction: Instruction) -> bool:
    """Whether metadata, other than its location, says more about its value, or allows more."""
    return _ATTACHMENT.search(instruction.pieces[-1]) is not None
