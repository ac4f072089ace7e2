"""The rows of a line table, from the little program that a compiler packs them into."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Row = tuple[int, int, int, int, int]
"""First address, first address behind it, number of the file, line, column."""

_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2  # after a 0
_LAST_SPECIAL = 255


@dataclass(frozen=True, slots=True)
class LineProgram:
    """A line program and what its header says of it.

    Source: DWARF Debugging Information Format, versions 4 and 5, section 6.2.5. Differs: statements, basic blocks,
    prologues, discriminators and instruction sets are skipped, and there is one operation to an instruction.
    """

    data: bytes
    """The instructions alone."""
    opcode_base: int
    opcode_lengths: Sequence[int]
    """How many arguments opcodes 1, 2, ... have."""
    line_base: int
    line_range: int
    shortest: int
    """Bytes of the shortest instruction of the machine."""

    def rows(self) -> Iterator[Row]:
        """All rows, in the order of the program; of several for one address the last one.

        Raises:
            IndexError, ValueError, ZeroDivisionError: the program is damaged.
        Guarantee: the rows that pyelftools decodes.
        Cost: about 1 us a row.
        """
        data, base, line_range, shortest = self.data, self.opcode_base, self.line_range, self.shortest
        specials = [
            ((code - base) // line_range * shortest, self.line_base + (code - base) % line_range)
            for code in range(base, _LAST_SPECIAL + 1)
        ]
        const_step = (_LAST_SPECIAL - base) // line_range * shortest
        at, end = 0, len(data)
        start, address, file, line, column = -1, 0, 1, 1, 0  # start -1: no row yet in this sequence
        row_file, row_line, row_column = 1, 1, 0
        while at < end:
            code = data[at]
            at += 1
            emits = ends = False
            if code >= base:
                step, lines = specials[code - base]
                address += step
                line += lines
                emits = True
            elif code == 0:
                size, at = _unsigned(data, at)
                if size and data[at] == _END_SEQUENCE:
                    emits = ends = True
                elif size and data[at] == _SET_ADDRESS:
                    address = int.from_bytes(data[at + 1 : at + size], "little")
                at += size
            elif code == _COPY:
                emits = True
            elif code == _ADVANCE_PC:
                step, at = _unsigned(data, at)
                address += step * shortest
            elif code == _ADVANCE_LINE:
                step, at = _signed(data, at)
                line += step
            elif code == _SET_FILE:
                file, at = _unsigned(data, at)
            elif code == _SET_COLUMN:
                column, at = _unsigned(data, at)
            elif code == _CONST_ADD_PC:
                address += const_step
            elif code == _FIXED_ADVANCE_PC:
                address += data[at] | data[at + 1] << 8
                at += 2
            else:  # one that tells nothing that is needed here, or one of a later version
                for _ in range(self.opcode_lengths[code - 1]):
                    _, at = _unsigned(data, at)
            if emits:
                if 0 <= start < address:
                    yield start, address, row_file, row_line, row_column
                start, row_file, row_line, row_column = address, file, line, column
                if ends:
                    start, address, file, line, column = -1, 0, 1, 1, 0


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A LEB128 number, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _signed(data: bytes, at: int) -> tuple[int, int]:
    before = at
    value, at = _unsigned(data, at)
    return (value - (1 << 7 * (at - before)) if data[at - 1] & 0x40 else value), at
