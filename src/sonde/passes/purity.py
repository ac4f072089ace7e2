"""Which instructions only compute: what may be merged with its like, done earlier, or left out."""

import re

from sonde.ir import Instruction, operands_of

_BINARY = frozenset(
    (
        "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
        "fadd", "fsub", "fmul", "fdiv", "frem",
    )
)  # fmt: skip
_CASTS = frozenset(
    (
        "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "ptrtoaddr",
        "inttoptr", "bitcast", "addrspacecast",
    )
)  # fmt: skip
_OTHERS = frozenset(
    (
        "fneg", "icmp", "fcmp", "select", "getelementptr", "extractvalue", "insertvalue", "extractelement",
        "insertelement", "shufflevector",
    )
)  # fmt: skip
_DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem"))
_ATTACHMENT = re.compile(r", !(?!dbg )[-\w.$]+ !")


def is_pure(instruction: Instruction) -> bool:
    """Whether its value depends on its operands only, and it does nothing else.

    Divisions are among these: that a divisor is not 0 must hold wherever the instruction stands. `freeze` and phis are
    not: of equal ones each may yield another value.
    """
    return instruction.opcode in _BINARY or instruction.opcode in _CASTS or instruction.opcode in _OTHERS


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
    if instruction.opcode in ("phi", "alloca", "freeze"):
        return True
    if instruction.opcode == "load":
        words = instruction.text[:24].split(" ")
        return words[1] not in ("volatile", "atomic")
    return is_pure(instruction)


def has_attachments(instruction: Instruction) -> bool:
    """Whether metadata, other than its location, says more about its value, or allows more."""
    return _ATTACHMENT.search(instruction.pieces[-1]) is not None
