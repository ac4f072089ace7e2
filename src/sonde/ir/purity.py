"""Which instructions only compute, which only read memory, and what they promise."""

from sonde.ir.instruction import Instruction
from sonde.ir.operands import CASTS

_PURE = CASTS | frozenset(
    (
        "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
        "fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "icmp", "fcmp", "select", "getelementptr",
        "extractvalue", "insertvalue", "extractelement", "insertelement", "shufflevector",
    )
)  # fmt: skip
_FLAGS = frozenset(
    (
        "nuw", "nsw", "nusw", "exact", "disjoint", "nneg", "samesign", "inbounds",
        "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc",
    )
)  # fmt: skip


def is_pure(instruction: Instruction) -> bool:
    """Whether its value depends on its operands only, and it does nothing else.

    Divisions are among these: that a divisor is not 0 must hold wherever the instruction stands. `freeze` and phis are
    not: of equal ones each may yield another value.
    """
    return instruction.opcode in _PURE


def is_plain_load(instruction: Instruction) -> bool:
    """Whether it reads memory, and does nothing else: a load that is neither volatile nor atomic."""
    return instruction.opcode == "load" and not instruction.text.startswith(("load volatile", "load atomic"))


def flags_of(instruction: Instruction) -> list[str]:
    """The flags by which it promises something, and yields poison where that does not hold, in the order of the text.

    >>> flags_of(Instruction.from_text("add nuw nsw i32 %x, 1", "%y"))
    ['nuw', 'nsw']
    """
    found = []
    for word in instruction.pieces[0].split(" ")[1:]:
        if word not in _FLAGS:
            break
        found.append(word)
    return found
