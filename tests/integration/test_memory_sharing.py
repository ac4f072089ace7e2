"""Lines of memory that threads share: of a C program, in which what each line is, is known; and of a Python program."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from measuring import run_sonde
from needed import needs
from report_json import table
from sonde.instruments.memory.profile import MemoryProfile, read_memory_profile
from sonde.instruments.memory.profile.sharing import LineUse, SharedLine
from sonde.instruments.memory.source import check_tool

pytestmark = [
    needs(check_tool),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]

SOURCE = Path(__file__).parents[1] / "programs_in_c/sharing.c"
ROUNDS = 20_000
IN_PYTHON = """\
import _thread  # importing `threading`, too, would take half of the run


class Cell:
    __slots__ = ("value",)


def work(slot, ended):
    with begun:
        pass
    for i in range(3000):
        data[slot] = i & 127  # data
        cell.value = i * 0.5  # cell
    ended.release()


data, cell, begun = bytearray(200), Cell(), _thread.allocate_lock()
ends = [_thread.allocate_lock() for _ in range(2)]
with begun:
    for number, ended in enumerate(ends):
        ended.acquire()
        _thread.start_new_thread(work, (64 + 8 * number, ended))
for ended in ends:
    ended.acquire()
"""


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory, cache: str) -> tuple[MemoryProfile, str]:
    """The profile, and what the command said."""
    folder = tmp_path_factory.mktemp("sharing")
    program, output = folder / "sharing", folder / "run.sonde"
    subprocess.run(["gcc", "-g", "-O1", "-pthread", str(SOURCE), "-o", str(program)], check=True)
    done = run_sonde("memory", "--sharing", "-o", output, "--", program, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (0, f"{ROUNDS * 7}\n"), done.stderr
    profile = read_memory_profile(output)
    profile.check_valid()
    return profile, done.stderr


def _line(comment: str) -> int:
    return next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if text.endswith(f"/* {comment} */"))


def _uses(profile: MemoryProfile, line: int, file: str) -> Iterator[tuple[SharedLine, LineUse]]:
    """Of a line of source, with the lines of memory that they are of."""
    for shared in profile.shared_lines:
        for use in shared.uses:
            function, number = profile.places[use.place].frames[0]
            if number == line and profile.functions[function].file.endswith(file):
                yield shared, use


def _stored_bytes(use: LineUse) -> set[int]:
    """From the beginning of the object."""
    assert use.offset is not None
    return {use.offset + byte for byte in range(64) if use.stored >> byte & 1}


def _counter(profile: MemoryProfile, comment: str, offset: int) -> tuple[SharedLine, list[LineUse]]:
    """The line of memory of a counter at an offset of the struct, and what the source line does to it."""
    found = [
        (line, use) for line, use in _uses(profile, _line(comment), "sharing.c") if use.offset == offset // 64 * 64
    ]
    assert found and all(line is found[0][0] for line, _ in found)
    return found[0][0], [use for _, use in found]


def test_counters_beside_each_other_share_other_bytes(in_c: tuple[MemoryProfile, str]) -> None:
    """`one` adds to the first 8 bytes, two threads one after the other to the second, and main reads both once."""
    line, firsts = _counter(in_c[0], "first", 0)
    _, seconds = _counter(in_c[0], "second", 0)
    assert line.sharing == "other bytes"
    assert [(use.loads, use.stores, use.loaded, use.stored) for use in firsts] == [(ROUNDS, ROUNDS, 0xFF, 0xFF)]
    assert [(use.loads, use.stores, use.loaded, use.stored) for use in seconds] == [
        (ROUNDS, ROUNDS, 0xFF00, 0xFF00)
    ] * 2
    assert len({use.thread for use in (*firsts, *seconds)}) == 3
    # Each access of `one` could come between two of another thread's.
    assert ROUNDS <= line.most_same + ROUNDS <= line.most_transfers <= 4 * ROUNDS + 10
    assert 1 <= line.transfers <= line.most_transfers


def test_a_counter_under_a_lock_shares_the_same_bytes(in_c: tuple[MemoryProfile, str]) -> None:
    line, uses = _counter(in_c[0], "both", 128)
    assert line.sharing == "same bytes"
    assert [(use.loads, use.stores, use.stored) for use in uses] == [(ROUNDS, ROUNDS, 0xFF)] * 3
    assert line.most_transfers >= 2 * ROUNDS


def test_what_only_one_thread_stores_to_and_what_nobody_does_is_not_passed_on(in_c: tuple[MemoryProfile, str]) -> None:
    """`third` is read by main, once, when its thread has ended; `constant` is only read."""
    profile, _ = in_c
    (third,) = {id(line): line for line, use in _uses(profile, _line("third"), "sharing.c") if use.stores}.values()
    assert third.most_transfers == 1
    assert all(use.offset != 192 for _, use in _uses(profile, _line("third"), "sharing.c"))


def test_the_report_begins_with_the_line_that_is_passed_on_most(in_c: tuple[MemoryProfile, str], cache: str) -> None:
    profile, text = in_c
    first = profile.shared_lines[0]
    assert "access the same bytes of a line of malloc: passed on up to" in text
    assert f"{first.most_transfers:,} times" in " ".join(text.split())
    assert "one at a time in long turns" in " ".join(text.split())
    assert [line.most_transfers for line in profile.shared_lines] == sorted(
        (line.most_transfers for line in profile.shared_lines), reverse=True
    )


def test_threads_of_python_and_what_is_said_where_there_are_none(tmp_path: Path, cache: str) -> None:
    script, output = tmp_path / "app.py", tmp_path / "run.sonde"
    script.write_text(IN_PYTHON, encoding="utf-8")
    done = run_sonde("memory", "--sharing", "--quiet", "-o", output, script, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    profile = read_memory_profile(output)
    stores = [
        (name, use.thread, _stored_bytes(use), line.sharing)
        for comment in ("data", "cell")
        for number, text in enumerate(IN_PYTHON.splitlines(), 1)
        if text.endswith(f"# {comment}")
        for line, use in _uses(profile, number, "app.py")
        if (name := profile.types[use.type].name) in ("data of bytearray", "__main__.Cell") and use.stores >= 2900
    ]
    of_data = [(thread, told, how) for name, thread, told, how in stores if name == "data of bytearray"]
    assert sorted(of_data) == [(2, {64}, "other bytes"), (3, {72}, "other bytes")]
    slot = set(range(16, 24))  # behind the reference count and the type
    of_cell = {(thread, how) for name, thread, told, how in stores if name == "__main__.Cell" and told >= slot}
    assert of_cell == {(2, "same bytes"), (3, "same bytes")}
    shown = run_sonde("view", "--json", output, XDG_CACHE_HOME=cache)
    rows = table(json.loads(shown.stdout), "shared_lines")
    assert [row["most_transfers"] for row in rows] == [line.most_transfers for line in profile.shared_lines]
    alone = run_sonde("memory", "--sharing", "--", "true", XDG_CACHE_HOME=cache)
    assert "no line of memory was found that two threads access" in alone.stderr
