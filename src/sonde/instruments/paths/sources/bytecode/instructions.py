"""Instructions of a code object of the running interpreter, and the table that says where its exceptions go."""

import dis
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

UNIT = 2
"""Bytes of a code unit: an opcode and its argument, or a place of an inline cache."""

_RELATIVE = frozenset(dis.hasjrel) - {dis.opmap["END_ASYNC_FOR"]}
"""From 3.14 on the argument of that one says to where the loop's events belong; it does not jump."""
_CACHE = dis.opmap["CACHE"]


class Instruction(NamedTuple):
    """One instruction with the prefixes of its argument and its inline caches."""

    start: int
    """Offset of the first prefix, in bytes; of the instruction itself where it has none."""
    offset: int
    """Offset of the opcode, which the interpreter knows it by."""
    end: int
    """Offset behind its caches."""
    opcode: int
    argument: int
    target: int | None
    """Offset that it may jump to."""

    @property
    def name(self) -> str:
        """As `dis` has it."""
        return dis.opname[self.opcode]

    @property
    def is_conditional(self) -> bool:
        """Whether it tests a value, and jumps or not."""
        return "JUMP_IF_" in self.name or "WARD_IF_" in self.name


class Protected(NamedTuple):
    """Instructions whose exceptions go to one handler; an entry of the exception table."""

    start: int
    end: int
    handler: int
    """Offset of the handler."""
    depth: int
    """Values that stay on the stack."""
    keeps_place: bool
    """The offset of the instruction is put on the stack, below the exception."""


def instructions_of(code: CodeType) -> tuple[Instruction, ...]:
    """The instructions, as compiled: neither specialized nor instrumented."""
    return tuple(_decoded(code.co_code))


def _decoded(units: bytes) -> Iterator[Instruction]:
    at = 0
    while at < len(units):
        start, argument = at, units[at + 1]
        while units[at] == dis.EXTENDED_ARG:
            at += UNIT
            argument = argument << 8 | units[at + 1]
        end = at + UNIT
        while end < len(units) and units[end] == _CACHE:
            end += UNIT
        yield Instruction(start, at, end, units[at], argument, _target(units[at], argument, end))
        at = end


def _target(opcode: int, argument: int, end: int) -> int | None:
    if opcode not in _RELATIVE:
        return None
    return end + UNIT * (-argument if "BACKWARD" in dis.opname[opcode] else argument)


def protected_ranges(code: CodeType) -> tuple[Protected, ...]:
    """The exception table, in the order of instructions.

    Source: CPython, Objects/exception_handling_notes.txt.
    """
    table = iter(code.co_exceptiontable)

    def number(first: int) -> int:
        value = first & 63
        while first & 64:
            first = next(table)
            value = value << 6 | first & 63
        return value

    ranges = []
    for first in table:
        start, size, handler, depth_and_place = number(first), *(number(next(table)) for _ in range(3))
        entry = (start * UNIT, (start + size) * UNIT, handler * UNIT, depth_and_place >> 1, bool(depth_and_place & 1))
        ranges.append(Protected(*entry))
    return tuple(ranges)
