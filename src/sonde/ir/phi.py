"""Phis: which value comes from which block."""

import re
from collections.abc import Iterable

from sonde.ir.instruction import Instruction
from sonde.ir.names import split_at_locals
from sonde.ir.types import matching, split_list, type_end

Incoming = tuple[str, str]
"""A value, which may be a constant, and the block it comes from."""
_PLAIN_ENTRY = re.compile(r',? \[ ([^"()\[\]{}<>, ]+), ([^"()\[\]{}<>, ]+) \]')
"""An entry without brackets and quotes, as nearly all are."""


def make_phi(result: str, type_: str, incoming: Iterable[Incoming]) -> Instruction:
    """A phi from its parts.

    >>> print(make_phi("%x", "i32", [("0", "%entry"), ("%y", "%loop")]))
    %x = phi i32 [ 0, %entry ], [ %y, %loop ]
    """
    return Instruction(result, "phi", split_at_locals(f"phi {type_} {_written(incoming)}"))


def phi_type(phi: Instruction) -> str:
    """The type of its value."""
    _, start, end = _parts(phi)
    return phi.text[start:end]


def incoming_of(phi: Instruction) -> list[Incoming]:
    """What comes from where, in the order of the text.

    >>> incoming_of(Instruction.from_text("phi <2 x i8> [ <i8 1, i8 2>, %a ], [ %x, %b ]", "%p"))
    [('<i8 1, i8 2>', '%a'), ('%x', '%b')]
    """
    text, _, at = _parts(phi)
    pairs = []
    while entry := _entry(text, at):
        pair, at = entry
        pairs.append(pair)
    return pairs


def set_incoming(phi: Instruction, incoming: Iterable[Incoming]) -> None:
    """Let other values come from other blocks; type, flags and attachments stay."""
    text, _, end = _parts(phi)
    at = end
    while entry := _entry(text, at):
        at = entry[1]
    phi.pieces = [text[:end] + " "]
    pieces = split_at_locals(_written(incoming) + text[at:])
    phi.pieces[0] += pieces[0]
    phi.pieces += pieces[1:]


def _written(incoming: Iterable[Incoming]) -> str:
    return ", ".join(f"[ {value}, {block} ]" for value, block in incoming)


def _entry(text: str, at: int) -> tuple[Incoming, int] | None:
    """What begins at a place of a phi's text, and the place behind it."""
    if match := _PLAIN_ENTRY.match(text, at):
        return (match[1], match[2]), match.end()
    if not text.startswith((" [", ", ["), at):
        return None
    begin = text.index("[", at)
    end = matching(text, begin)
    value, block = split_list(text[begin + 2 : end - 2])
    return (value, block), end


def _parts(phi: Instruction) -> tuple[str, int, int]:
    """Its text, and where its type begins and ends."""
    text = phi.text
    start = len("phi ")
    while (end := type_end(text, start)) == start:  # fast-math flags
        start = text.index(" ", start) + 1
    return text, start, end
