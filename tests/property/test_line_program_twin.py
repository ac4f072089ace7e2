"""Line programs against their slow twin, pyelftools' decoder."""

from io import BytesIO

from elftools.construct.lib.container import Container
from elftools.dwarf.lineprogram import LineProgram as SlowProgram
from elftools.dwarf.structs import DWARFStructs
from hypothesis import given
from hypothesis import strategies as st

from sonde.jit.line_program import LineProgram, Row

ARGUMENTS = (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)


def leb(value: int) -> bytes:
    """Signed LEB128, which reads back unsigned as well when it is not negative."""
    parts = []
    while True:
        parts.append(value & 0x7F)
        value >>= 7
        if value == (-1 if parts[-1] & 0x40 else 0):
            return bytes([part | 0x80 for part in parts[:-1]] + parts[-1:])


def extended(code: int, argument: bytes) -> bytes:
    return bytes([0, len(argument) + 1, code]) + argument


numbers = st.integers(0, 300)
instructions = st.one_of(
    st.integers(13, 255).map(lambda code: bytes([code])),
    st.sampled_from([1, 6, 7, 8, 10, 11]).map(lambda code: bytes([code])),
    st.builds(lambda code, value: bytes([code]) + leb(value), st.sampled_from([2, 4, 5, 12]), numbers),
    st.integers(-300, 300).map(lambda lines: b"\x03" + leb(lines)),
    numbers.map(lambda step: b"\x09" + step.to_bytes(2, "little")),
    st.just(extended(1, b"")),
    st.integers(0, 2**64 - 1).map(lambda address: extended(2, address.to_bytes(8, "little"))),
    numbers.map(lambda value: extended(4, leb(value))),
    st.binary(max_size=4).map(lambda argument: extended(0x80, argument)),
)
programs = st.lists(instructions, max_size=60).map(b"".join)


def slow_rows(data: bytes, line_base: int, line_range: int, shortest: int) -> list[Row]:
    header = Container(
        default_is_stmt=1,
        opcode_base=13,
        standard_opcode_lengths=list(ARGUMENTS),
        line_base=line_base,
        line_range=line_range,
        minimum_instruction_length=shortest,
        maximum_operations_per_instruction=1,
        file_entry=[],
    )
    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8, dwarf_version=4)
    found, last = [], None
    for entry in SlowProgram(header, BytesIO(data), structs, 0, len(data)).get_entries():
        state = entry.state
        if state is not None:
            if last is not None and last.address < state.address:
                found.append((last.address, state.address, last.file, last.line, last.column))
            last = None if state.end_sequence else state
    return found


@given(programs, st.integers(-8, 0), st.integers(1, 20), st.sampled_from([1, 4]))
def test_rows_are_those_that_pyelftools_decodes(data: bytes, line_base: int, line_range: int, shortest: int) -> None:
    program = LineProgram(data, 13, ARGUMENTS, line_base, line_range, shortest)

    assert list(program.rows()) == slow_rows(data, line_base, line_range, shortest)
