"""Flags by which an instruction promises something, and yields poison where that does not hold."""

from sonde.ir import Instruction, flags_of


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
