"""Location tables of CPython: the native decoder against its slow twin, and against what was encoded."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from example_counts import examples
from sonde.native.reference_python_lines import reference_python_lines

INDICES = array("I", [*range(120), 2**31, 2**32 - 1])


def number(value: int) -> bytes:
    """6 bits to a byte, lowest first, bit 6: more follow."""
    chunks = [value & 63]
    while value := value >> 6:
        chunks.append(value & 63)
    return bytes([*(chunk | 64 for chunk in chunks[:-1]), chunks[-1]])


def signed(value: int) -> bytes:
    return number(-value << 1 | 1 if value < 0 else value << 1)


@st.composite
def encoded(draw: st.DrawFn) -> tuple[bytes, int, list[int]]:
    """A valid table, the first line, and the line of each code unit (0: none)."""
    first = line = draw(st.integers(1, 5000))
    table, lines = b"", list[int]()
    for _ in range(draw(st.integers(0, 12))):
        units, kind = draw(st.integers(1, 8)), draw(st.integers(0, 15))
        change = kind - 10 if 10 <= kind <= 12 else draw(st.integers(-line, 10**6)) if kind in (13, 14) else 0
        columns = bytes(draw(st.lists(st.integers(0, 127), min_size=2, max_size=2)))
        long = signed(change) + number(draw(st.integers(0, 99))) + number(columns[0]) + number(columns[1])
        payload = columns[:1] if kind < 10 else columns if kind < 13 else signed(change) if kind == 13 else long
        table += bytes([0x80 | kind << 3 | units - 1]) + (payload if kind < 15 else b"")
        line += change
        lines += [0 if kind == 15 else line] * units
    return table, first, lines


@given(encoded())
def test_what_was_encoded_is_decoded(code: tuple[bytes, int, list[int]]) -> None:
    table, first, lines = code
    expected = array("I", [lines[index] if index < len(lines) else 0 for index in INDICES]).tobytes()
    assert sonde._native.python_lines(table, first, INDICES) == expected
    assert reference_python_lines(table, first, INDICES) == expected


@given(
    st.one_of(st.binary(max_size=60), encoded().map(lambda code: code[0])),
    st.sampled_from([0, 1, 77, 2**31 - 1, 2**31, 2**32 - 1]),
    st.data(),
)
@examples(3)
def test_the_cores_read_the_same_out_of_any_bytes(table: bytes, first: int, data: st.DataObject) -> None:
    damaged = bytearray(table)
    for _ in range(data.draw(st.integers(0, 3)) if table else 0):
        damaged[data.draw(st.integers(0, len(table) - 1))] = data.draw(st.integers(0, 255))
    table = bytes(damaged)
    assert sonde._native.python_lines(table, first, INDICES) == reference_python_lines(table, first, INDICES)


def test_columns_of_another_type_are_refused() -> None:
    with pytest.raises(ValueError, match="items of 8 bytes, expected 4"):
        sonde._native.python_lines(b"", 1, array("Q", [1]))
