"""Bytecode of CPython 3.11 to 3.13 from instructions and labels: jumps, line table and exception table."""

import dis
import opcode
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sonde.instruments.paths.sources.bytecode.instructions import UNIT

# The inline caches of opcodes, in code units; by name from 3.13 on. Typeshed does not know it.
_CACHES: Sequence[int] | Mapping[str, int] = getattr(opcode, "_inline_cache_entries")  # noqa: B009

Position = tuple[int | None, int | None, int | None, int | None]
"""Line, last line, column, end column, as of `code.co_positions`."""


class Label:
    """A place in the code; it has no value but its identity."""

    __slots__ = ()


class Landing(NamedTuple):
    """Where an exception of an instruction goes."""

    handler: Label
    depth: int
    keeps_place: bool


class Op(NamedTuple):
    """An instruction to be written."""

    name: str
    argument: int | Label
    position: Position
    landing: Landing | None
    origin: int
    """Offset of the instruction that it is, in the code that was read. Below 0: it is none of them."""
    prefixes_at: int
    """The same of the prefixes of its argument: where jumps lead."""


class Written(NamedTuple):
    """What a code object is made of."""

    code: bytes
    exceptions: bytes
    lines: bytes
    origins: tuple[int, ...]
    """(n_units,) offsets in the code that was read, of the same part of an instruction; or an origin below 0."""


def write_code(items: Sequence[Op | Label], first_line: int) -> Written:
    """Assemble instructions. Conditional jumps get the direction that they need, where they have one (3.11).

    Cost: O(items), some times over where arguments need prefixes.
    """
    place = {item: at for at, item in enumerate(items) if isinstance(item, Label)}
    ops = [_directed(item, at, place) if isinstance(item, Op) else item for at, item in enumerate(items)]
    sizes = [0 if isinstance(item, Label) else 1 + _caches_of(item.name) for item in ops]
    prefixes = [0] * len(ops)
    while True:
        starts, at = [], 0
        for size, prefix in zip(sizes, prefixes, strict=True):
            starts.append(at)
            at += size + prefix
        arguments = [0] * len(ops)
        for at, item in enumerate(ops):
            if isinstance(item, Op):
                argument = item.argument
                if isinstance(argument, Label):
                    argument = abs(starts[place[argument]] - starts[at] - prefixes[at] - sizes[at])
                arguments[at] = argument
        needed = [
            max(prefix, (max(argument.bit_length(), 1) - 1) // 8)
            for prefix, argument in zip(prefixes, arguments, strict=True)
        ]
        if needed == prefixes:
            break
        prefixes = needed
    code, lines, origins = bytearray(), bytearray(), list[int]()
    landings: list[tuple[int, int, Landing]] = []
    line = first_line
    for at, item in enumerate(ops):
        if isinstance(item, Label):
            continue
        for prefix in range(prefixes[at], 0, -1):
            code += bytes((dis.EXTENDED_ARG, arguments[at] >> 8 * prefix & 255))
        code += bytes((dis.opmap[item.name], arguments[at] & 255)) + bytes(UNIT * (sizes[at] - 1))
        units = sizes[at] + prefixes[at]
        line = _write_position(lines, item.position, units, line)
        origins += [item.prefixes_at] * prefixes[at]
        # A call that goes on is at its last cache.
        origins += (
            range(item.origin, item.origin + UNIT * sizes[at], UNIT) if item.origin >= 0 else [item.origin] * sizes[at]
        )
        if item.landing is not None:
            if landings and landings[-1][1] == starts[at] and landings[-1][2] == item.landing:
                landings[-1] = (landings[-1][0], starts[at] + units, item.landing)
            else:
                landings.append((starts[at], starts[at] + units, item.landing))
    table = bytearray()
    for start, end, landing in landings:
        depth_and_place = landing.depth << 1 | landing.keeps_place
        for first, value in enumerate((start, end - start, starts[place[landing.handler]], depth_and_place)):
            table += bytes(_table_number(value, 0 if first else 128))
    return Written(bytes(code), bytes(table), bytes(lines), tuple(origins))


def _caches_of(name: str) -> int:
    return _CACHES.get(name, 0) if isinstance(_CACHES, Mapping) else _CACHES[dis.opmap[name]]


def _directed(op: Op, at: int, place: dict[Label, int]) -> Op:
    if not isinstance(op.argument, Label) or not op.name.startswith("POP_JUMP"):
        return op
    to, other = ("FORWARD", "BACKWARD") if place[op.argument] > at else ("BACKWARD", "FORWARD")
    return op._replace(name=op.name.replace(other, to))


def _table_number(value: int, first: int) -> Iterator[int]:
    """Of the exception table: six bits in a byte, the highest first. `first` marks the beginning of an entry."""
    for shift in range((max(value.bit_length(), 1) - 1) // 6 * 6, 0, -6):
        yield first | 64 | value >> shift & 63
        first = 0
    yield first | value & 63


_NO_COLUMNS, _LONG, _NONE = 13, 14, 15
_MOST_UNITS = 8


def _write_position(lines: bytearray, position: Position, units: int, line: int) -> int:
    """Append to the line table (Objects/locations.md of CPython), and return the line that it has come to."""
    first, last, column, end = position
    while units:
        some = min(units, _MOST_UNITS)
        units -= some
        kind = _NONE if first is None else _NO_COLUMNS if last is None or column is None or end is None else _LONG
        lines.append(128 | kind << 3 | some - 1)
        if first is None:
            continue
        delta, line = first - line, first
        lines += bytes(_line_number(-delta << 1 | 1 if delta < 0 else delta << 1))
        if kind == _LONG:
            assert last is not None and column is not None and end is not None
            for value in (last - first, column + 1, end + 1):
                lines += bytes(_line_number(value))
    return line


def _line_number(value: int) -> Iterator[int]:
    """Of the line table: six bits in a byte, the lowest first."""
    while value >= 64:
        yield 64 | value & 63
        value >>= 6
    yield value
