"""The slow twin of native/core/lines/python_lines.c: every entry is decoded, then the right one looked up."""

from array import array
from collections.abc import Iterator, Sequence

_ONE_LINE, _NO_COLUMNS, _LONG, _NOWHERE = 10, 13, 14, 15
_MOST_CHUNKS = 6


def reference_python_lines(table: bytes, first_line: int, instructions: Sequence[int]) -> bytes:
    """As `sonde._native.python_lines`: uint32 lines, one for each instruction; 0 where there is none."""
    lines = list[int]()
    for units, line in _entries(bytes(table), first_line):
        lines += [line] * units
    return array("I", [lines[index] if index < len(lines) else 0 for index in instructions]).tobytes()


def _entries(table: bytes, line: int) -> Iterator[tuple[int, int]]:
    """Code units and line of each entry, up to the first that is damaged."""
    starts = [at for at, byte in enumerate(table) if byte & 0x80]
    if not starts or starts[0]:
        return
    for start, stop in zip(starts, [*starts[1:], len(table)], strict=True):
        kind, units = table[start] >> 3 & 0xF, (table[start] & 7) + 1
        if _ONE_LINE <= kind < _NO_COLUMNS:
            line += kind - _ONE_LINE
        elif kind in (_NO_COLUMNS, _LONG):
            change = _signed_number(table[start + 1 : stop])
            if change is None:
                return
            line += change
        if not 0 <= line < 2**31:
            return
        yield units, 0 if kind == _NOWHERE else line


def _signed_number(payload: bytes) -> int | None:
    number = 0
    for chunk, byte in enumerate(payload[:_MOST_CHUNKS]):
        number |= (byte & 0x3F) << 6 * chunk
        if not byte & 0x40:
            return -(number >> 1) if number & 1 else number >> 1
    return None
