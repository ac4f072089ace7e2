"""What programs that were built with probes leave beside their spools."""

import struct
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.code import Function
from sonde.instruments.contexts.sources.probes import read_linked_code


def record(kind: int, first: int, count: int, address: int, module: int, text: str) -> bytes:
    """As `sn_linked_record` of native/probes/linked_code.h, with its text."""
    raw = text.encode()
    return struct.pack("<IIIIQQ", kind, len(raw), first, count, address, module) + raw + bytes(-len(raw) % 8)


def function(name: str, file: str, line: int, library: str = "/none/app") -> Function:
    return Function(name, "", file, line, "function", "native", library)


RECORDS = [
    record(1, 0, 4096, 0x1000, 0, "/none/app"),
    record(2, 0, 2, 0x5000, 0, "main\t/src/a.c\t3\n_Z1fi\t/src/b.cc\t7\ninlined\t/src/a.c\t1\n"),
    record(1, 4096, 8192, 0x2000, 0, "/none/libx.so"),
    record(3, 2, 1, 0x2040, 1, ""),
    record(2, 3, 1, 0x6000, 1, "helper\t\t0\n"),
]
FUNCTIONS = [
    function("main", "/src/a.c", 3),
    function("f(int)", "/src/b.cc", 7),
    function("libx.so+0x2040", "", 0, "/none/libx.so"),
    function("helper", "", 0, "/none/libx.so"),
]
"""In the order of their numbers."""
KNOWN_AFTER = [0, 2, 2, 3, 4]
"""How many functions have numbers after each record."""


def test_functions_have_the_names_that_their_object_files_say(tmp_path: Path) -> None:
    (tmp_path / "linked.code").write_bytes(b"".join(RECORDS))
    found = read_linked_code(tmp_path)
    assert found is not None and list(found.functions) == FUNCTIONS
    assert found.named["inlined", "/src/a.c"] == function("inlined", "/src/a.c", 1)
    assert found.place(17).file == ""  # there is no such program to read lines from


def test_a_record_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    data = b"".join(RECORDS)
    ends = [len(b"".join(RECORDS[: number + 1])) for number in range(len(RECORDS))]
    for size in range(len(data)):
        (tmp_path / "linked.code").write_bytes(data[:size])
        found = read_linked_code(tmp_path)
        whole = sum(end - 7 <= size for end in ends)  # up to 7 bytes are padding
        possible = {KNOWN_AFTER[each - 1] if each else 0 for each in (whole, sum(end <= size for end in ends))}
        assert found is not None and len(found.functions) in possible, size


def test_other_programs_have_none(tmp_path: Path) -> None:
    assert read_linked_code(tmp_path) is None


@pytest.mark.parametrize("data", [RECORDS[1], RECORDS[0] + RECORDS[4], RECORDS[0] + record(2, 0, 1, 0, 0, "no tabs\n")])
def test_records_that_contradict_one_another_are_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "linked.code").write_bytes(data)
    with pytest.raises(InputError, match="cannot read"):
        read_linked_code(tmp_path)
