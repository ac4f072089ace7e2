"""Flags by which an instruction promises something, and yields poison where that does not hold."""

from sonde.ir import Instruction

_FLAGS = frozenset(
    (
        "nuw", "nsw", "nusw", "exact", "disjoint", "nneg", "samesign", "inbounds",
        "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc",
    )
)  # fmt: skip


def flags_of(instruction: Instruction) -> list[str]:
    """The flags, in the order of the text.

    >>> flags_of(Instruction.from_text("add nuw nsw i32 %x, 1", "%y"))
    ['nuw', 'nsw']
    """
    found = []
    for word in instruction.pieces[0].split(" ")[1:]:
        if word not in _FLAGS:
            break
        found.append(word)
    return found


def without_flags(text: str, flags: list[str]) -> str:
    """The text of an instruction whose flags are these, without them."""
    if not flags:
        return text
    opcode, _, rest = text.partition(" ")
    return f"{opcode} {rest.removeprefix(' '.join(flags) + ' ')}"


def keep_common_flags(kept: Instruction, other: Instruction) -> bool:
    """Let an instruction that will stand for another too promise no more than both did.

    Returns: whether it has lost flags.
    """
    had, others = flags_of(kept), flags_of(other)
    common = [flag for flag in had if flag in others]
    if common == had:
        return False
    bare = without_flags(kept.pieces[0], had)
    opcode, _, rest = bare.partition(" ")
    kept.pieces[0] = " ".join([opcode, *common, rest])
    return True
