"""Points of a function by name, and which of them a transition can leave from."""

import re

from sonde.ir import Block, Function
from sonde.ir.analyses import Place
from sonde.ir.edits import why_not_split
from sonde.osr.refusals import Refused

_WITH_OFFSET = re.compile(r"(.+?)(?:\+([0-9]+))?")


def place_of(function: Function, at: str | Place) -> Place:
    """The point that a text means.

    Args:
        at: a block, for its beginning (its phis done); a value, for right before it is made; either with `+N`, N
            instructions later; or a `Place`. The `%` may be left out.
    Raises:
        KeyError: the function has no such block, value or instruction.

    >>> from sonde.ir import parse_module
    >>> text = "define void @f(i32 %x) {\\nentry:\\n  %y = add i32 %x, 1\\n  %z = mul i32 %y, %x\\n  ret void\\n}"
    >>> f = parse_module(text).functions["@f"]
    >>> place_of(f, "entry"), place_of(f, "%z"), place_of(f, "%entry+2")
    (Place(block='%entry', at=0), Place(block='%entry', at=1), Place(block='%entry', at=2))
    """
    if isinstance(at, Place):
        block = function.block(at.block)
        if not 0 <= at.at < len(block.instructions):
            raise KeyError(f"{at.block}+{at.at}")
        return Place(at.block, max(at.at, _first(block)))
    match = _WITH_OFFSET.fullmatch(at)
    name, offset = (match[1], int(match[2] or 0)) if match else (at, 0)
    wanted = name if name.startswith("%") else f"%{name}"
    for block in function.blocks:
        if block.name == wanted:
            start = block.first_insertion_point()
        else:
            found = (index for index, each in enumerate(block.instructions) if each.result == wanted)
            start = next(found, -1)
        if start < 0:
            continue
        start = max(start, block.first_insertion_point())
        if start + offset >= len(block.instructions):
            raise KeyError(at)
        return Place(block.name, start + offset)
    raise KeyError(at)


def all_places(function: Function) -> list[Place]:
    """Every point of a function: one before each instruction.

    What only says what is there when control comes to a block is one with what follows it: phis, and a `landingpad`,
    which is what the unwinder has handed over.
    """
    return [Place(block.name, at) for block in function.blocks for at in range(_first(block), len(block.instructions))]


def _first(block: Block) -> int:
    """Index of the first instruction that does something."""
    at = block.first_after_phis()
    return at + 1 if block.instructions[at].opcode == "landingpad" else at


def check_can_be_cut(function: Function, place: Place) -> None:
    """Refuse points at which a block cannot be cut in two.

    Raises:
        Refused: `landing pad`, `last call`.
    """
    block = function.block(place.block)
    if reason := why_not_split(function, block, place.at):
        is_pad = block.is_landing_pad and place.at < block.first_insertion_point() + (
            block.instructions[block.first_after_phis()].opcode == "catchswitch"
        )
        raise Refused(
            "landing pad" if is_pad else "last call",
            f"{function.name} cannot be left before '{block.instructions[place.at]}': {reason}",
        )
