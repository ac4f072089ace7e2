"""How types lie in memory on the machines that sonde runs on: every scalar at a multiple of its own size."""

import re
from collections.abc import Mapping

from sonde.ir.types import struct_members

_SEQUENCE = re.compile(r"([\[<])([0-9]+) x (.*)[\]>]\Z")
_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16, "ptr": 8, "i1": 1, "i8": 1,
            "i16": 2, "i32": 4, "i64": 8, "i128": 16}  # fmt: skip
_LARGEST_VECTOR = 16
"""Bytes; larger vectors need not lie at multiples of their size everywhere."""


def layout_of(type_: str, named_types: Mapping[str, str]) -> tuple[int, int] | None:
    """From one member of an array of the type to the next, and its alignment, in bytes; None where that is not known.

    >>> layout_of("{ i8, %pair }", {"%pair": "{ i32, i32 }"}), layout_of("<{ i8, i32 }>", {}), layout_of("i24", {})
    ((12, 4), (5, 1), None)
    """
    if type_ in _SCALARS:
        return _SCALARS[type_], _SCALARS[type_]
    if sequence := _SEQUENCE.match(type_):
        member = layout_of(sequence[3], named_types)
        if member is None:
            return None
        size = int(sequence[2]) * member[0]
        if sequence[1] == "[":
            return size, member[1]
        is_whole = size & (size - 1) == 0 and 0 < size <= _LARGEST_VECTOR and sequence[3] != "i1"
        return (size, size) if is_whole else None
    placed = _placed(type_, named_types)
    if placed is None:
        return None
    offsets, alignment = placed
    return _rounded_up(offsets[-1], alignment), alignment


def offsets_of(struct: str, named_types: Mapping[str, str]) -> list[int] | None:
    """Where the members of a struct begin, in bytes, and where the last one ends.

    >>> offsets_of("{ i8, double, i32 }", {})
    [0, 8, 16, 20]
    """
    placed = _placed(struct, named_types)
    return None if placed is None else placed[0]


def _placed(struct: str, named_types: Mapping[str, str]) -> tuple[list[int], int] | None:
    """What `offsets_of` says, and the alignment of the struct."""
    members = struct_members(struct, named_types)
    if members is None:
        return None
    is_packed = named_types.get(struct, struct).startswith("<{")
    offsets, end, strictest = [], 0, 1
    for member in members:
        layout = layout_of(member, named_types)
        if layout is None:
            return None
        size, alignment = layout[0], 1 if is_packed else layout[1]
        offsets.append(_rounded_up(end, alignment))
        end = offsets[-1] + size
        strictest = max(strictest, alignment)
    return [*offsets, end], strictest


def _rounded_up(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
