"""The callgrind format, line by line."""

import io

from made_memory_profiles import empty_profile, hostile_profile, native_profile
from sonde.formats import write_callgrind
from sonde.instruments.memory.profile import MemoryProfile

NATIVE = """\
# callgrind format
version: 1
creator: sonde 0.1.0
cmd: ./sum 1000000
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: D1 cache: 32768 B, 64 B, 8-way associative
desc: L2 cache: 1048576 B, 64 B, 16-way associative
desc: L3 cache: 16777216 B, 64 B, 16-way associative
positions: line
events: Ir Dr Dw D1m L2m L3m I1m IL2m IL3m
summary: 4012000 1004000 1002000 250002 250002 185002 401 40 4

ob=(1) /src/sum
fl=(1) /src/sum.c
fn=(1) sum
7 2000000 1000000 0 125000 125000 60000 200 20 2

ob=(1)
fl=(1)
fn=(2) main
14 2000000 0 1000000 125000 125000 125000 200 20 2
20 12000 4000 2000 2 2 2 1 0 0
"""


def test_a_native_program_is_written_by_innermost_functions() -> None:
    assert written(native_profile()) == NATIVE


def test_names_cannot_break_lines_or_steer_a_terminal() -> None:
    text = written(hostile_profile())

    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count("\nfn=") == 2
    assert "\\udcff" in text


def test_a_profile_without_lines_has_a_head_only() -> None:
    assert written(empty_profile()).endswith("events: Ir Dr Dw D1m L2m I1m IL2m\nsummary: 0\n")


def written(profile: MemoryProfile) -> str:
    stream = io.BytesIO()
    write_callgrind(profile, stream)
    return stream.getvalue().decode()
