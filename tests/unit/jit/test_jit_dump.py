"""Jitdump files, read back by a reader of their own."""

import os
import threading
from itertools import count
from pathlib import Path

import pytest

from jit_dump_reader import read_jit_dump
from sonde.base.errors import SondeError
from sonde.events import CodeFrame, CodeRange, LineRow, LineTable
from sonde.jit.jit_dump import JitDump

MEMORY = bytes(range(256)) * 64
LINES = LineTable(
    [
        LineRow(0, (CodeFrame("fib", "a b.c", 10),)),
        LineRow(4, (CodeFrame("stir", "a b.c", 3), CodeFrame("fib", "a b.c", 12))),
        LineRow(6, (CodeFrame("fib", "a b.c", 0),)),
        LineRow(8, ()),
        LineRow(9, (CodeFrame("fib", "", 14),)),
        LineRow(12, (CodeFrame("fib", "other.c", 2**31),)),
    ]
)


def a_dump(folder: Path) -> JitDump:
    return JitDump(folder, read_code=lambda address, size: MEMORY[address : address + size], clock=count(1000).__next__)


def test_a_function_has_name_code_and_lines_of_the_innermost_functions(tmp_path: Path) -> None:
    with a_dump(tmp_path) as dump:
        dump.add([CodeRange(0x100, 16, "fib", "O2", LINES)])

    (function,) = read_jit_dump(tmp_path / f"jit-{os.getpid()}.dump").functions
    assert (function.name, function.address, function.code) == ("fib[O2]", 0x100, MEMORY[0x100:0x110])
    assert (function.pid, function.tid) == (os.getpid(), threading.get_native_id())
    assert function.lines == [(0x100, 10, "a b.c"), (0x104, 3, "a b.c"), (0x10C, 2**31, "other.c")]


def test_addresses_that_are_used_again_differ_by_time_and_number(tmp_path: Path) -> None:
    with a_dump(tmp_path) as dump:
        dump.add([CodeRange(0x100, 16, "old"), CodeRange(0x200, 8, "stays")])
        dump.add([CodeRange(0x108, 4, "new")])

    functions = read_jit_dump(dump.path).functions
    assert [(each.name, each.number, each.lines) for each in functions] == [
        ("old", 0, []),
        ("stays", 1, []),
        ("new", 2, []),
    ]
    assert functions[0].time < functions[1].time < functions[2].time


def test_a_dump_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    dump = a_dump(tmp_path)
    dump.add([CodeRange(0x100, 16, "fib", lines=LINES)])

    before = read_jit_dump(dump.path)
    dump.close()
    dump.close()
    after = read_jit_dump(dump.path)

    assert (len(before.functions), before.is_closed) == (1, False)
    assert (after.functions, after.is_closed) == (before.functions, True)
    assert after.machine in (62, 183)


def test_names_end_where_they_end(tmp_path: Path) -> None:
    with a_dump(tmp_path) as dump:
        dump.add([CodeRange(1, 2, "operator new(unsigned long)"), CodeRange(3, 1, "a\0b\nc")])

    assert [each.name for each in read_jit_dump(dump.path).functions] == ["operator new(unsigned long)", "a?b?c"]


def test_the_marker_that_perf_looks_for_is_mapped_as_code_while_the_dump_is_open(tmp_path: Path) -> None:
    def marked() -> list[str]:
        maps = Path("/proc/self/maps").read_text().splitlines()
        return [line.split()[1] for line in maps if line.endswith(f" {dump.path}")]

    dump = a_dump(tmp_path)

    assert marked() == ["r-xp"]
    dump.close()
    assert marked() == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="No such file or directory") as refusal:
        a_dump(tmp_path / "none")

    assert refusal.value.slug == "cannot-write"


def test_a_folder_that_may_hold_no_code_is_said_and_nothing_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("mmap.mmap", refuse)

    with pytest.raises(SondeError, match="the folder may hold no code") as refusal:
        a_dump(tmp_path)

    assert refusal.value.hint == "choose a folder that is not mounted noexec"
    assert list(tmp_path.iterdir()) == []
