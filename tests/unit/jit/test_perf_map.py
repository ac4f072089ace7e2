"""Perf maps: one line for each function, whatever it is called."""

import os
import re
from pathlib import Path

import pytest

from sonde.events import CodeRange
from sonde.jit.perf_map import PerfMap


def read_map(path: Path) -> dict[tuple[int, int], str]:
    """As perf reads it: two hexadecimal numbers without `0x`; the name is the rest of the line."""
    rows = (re.fullmatch("([0-9a-f]+) ([0-9a-f]+) (.+)", line) for line in path.read_bytes().decode().split("\n"))
    return {(int(row[1], 16), int(row[2], 16)): row[3] for row in rows if row is not None}


def test_each_function_is_a_line_and_there_as_soon_as_it_was_added(tmp_path: Path) -> None:
    with PerfMap(tmp_path) as writer:
        writer.add([CodeRange(0x7F00_0000_1000, 0x2A, "fib", "O2"), CodeRange(16, 1, "main")])
        first = read_map(writer.path)
        writer.add([CodeRange(64, 2, "later")])

    assert writer.path == tmp_path / f"perf-{os.getpid()}.map"
    assert first == {(0x7F00_0000_1000, 0x2A): "fib[O2]", (16, 1): "main"}
    assert read_map(writer.path) == {**first, (64, 2): "later"}


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("operator new(unsigned long)", "operator new(unsigned long)"),
        ("two\nlines\r\n", "two?lines??"),
        ("tab\tand\0zero\x7f", "tab?and?zero?"),
        ("naïve 名前 🎈", "naïve 名前 🎈"),
        ("", "?"),
    ],
)
def test_odd_names_stay_on_one_line(tmp_path: Path, name: str, written: str) -> None:
    with PerfMap(tmp_path) as writer:
        writer.add([CodeRange(1, 2, name), CodeRange(3, 4, "next")])

    assert read_map(writer.path) == {(1, 2): written, (3, 4): "next"}


def test_bytes_that_are_no_text_stay_what_they_are(tmp_path: Path) -> None:
    with PerfMap(tmp_path) as writer:
        writer.add([CodeRange(1, 2, b"caf\xe9".decode("utf-8", "surrogateescape"))])

    assert writer.path.read_bytes() == b"1 2 caf\xe9\n"
