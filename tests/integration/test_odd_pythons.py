"""Interpreters that were stripped, or are newer than sonde, looked at from outside: real ones with changed bytes."""

import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from interpreters import other_pythons, version_of
from sampled_pythons import PYTHONS, looked_at, profile_of
from sonde.instruments.contexts.sources.sampling import Found, StackSampling, newer_pythons

_PROGRAM = """
import sys
def waits():
    print(flush=True)
    sys.stdin.readline()
def calls():
    waits()
calls()
"""
_ASK = """
import re, sys
files = re.findall(r"/.*/libpython3[.]\\d+[.]so.*", open("/proc/self/maps").read())
print(files[0] if files else sys._base_executable, sys._base_executable, sys.base_prefix, sys.hexversion, sep="\\n")
"""
_SYMBOL_TABLES = (2, 11)
"""SHT_SYMTAB, SHT_DYNSYM."""

on_those_that_tell = pytest.mark.parametrize(
    "python", [each for each in PYTHONS if version_of(each) >= (3, 13)], ids=lambda path: path.parts[-3]
)
on_those_that_do_not = pytest.mark.parametrize(
    "python", [each for each in PYTHONS if version_of(each) < (3, 13)], ids=lambda path: path.parts[-3]
)


def changed(python: Path, folder: Path, change: Callable[[bytearray, int], None]) -> "subprocess.Popen[str]":
    """An interpreter that runs the program and waits, with bytes of its file changed.

    Args:
        change: is given them, and where it tells its layout.
    """
    file, executable, home, version = subprocess.check_output([python, "-c", _ASK], text=True).split("\n")[:4]
    data = bytearray(Path(file).read_bytes())
    change(data, data.find(b"xdebugpy" + struct.pack("<Q", int(version))))
    copy = folder / Path(file).name
    copy.write_bytes(data)
    copy.chmod(0o755)
    environment = {**os.environ, "PYTHONHOME": home}
    if file == executable:
        executable = str(copy)
    else:
        environment["LD_PRELOAD"] = str(copy)
    process = subprocess.Popen(
        [executable, "-S", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "\n"
    return process


def without_symbols(data: bytearray, _: int) -> None:
    """The loader does not need the list of sections, and others do not find symbols without it."""
    (first,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for at in range(first, first + size * count, size):
        if struct.unpack_from("<I", data, at + 4)[0] in _SYMBOL_TABLES:
            struct.pack_into("<I", data, at + 4, 0)


def tried(pid: int) -> Found:
    """What becomes of looking at it."""
    return StackSampling(1_000_000, is_processor=False).try_pid(pid)


def seen(pid: int) -> tuple[set[str], str]:
    """The functions that it is seen to run, and the version that it is taken for."""
    sampling = looked_at(pid, seconds=0.2, rate=200)
    profile = profile_of(sampling)
    return {each.name for each in profile.functions}, profile.processes[0].python


@on_those_that_tell
def test_one_without_symbols_is_found_by_its_section(python: Path, tmp_path: Path) -> None:
    with changed(python, tmp_path, without_symbols) as process:
        functions, version = seen(process.pid)
    assert {"waits", "calls", "<module>"} <= functions
    assert version.startswith("{}.{}.".format(*version_of(python)))


@on_those_that_do_not
def test_an_older_one_without_symbols_is_refused(python: Path, tmp_path: Path) -> None:
    with changed(python, tmp_path, without_symbols) as process:
        assert tried(process.pid) is Found.NO_SYMBOLS


@on_those_that_tell
def test_one_that_is_newer_than_sonde_is_tried_and_checked(python: Path, tmp_path: Path) -> None:
    with changed(python, tmp_path, lambda data, told: struct.pack_into("<Q", data, told + 8, 0x031000F0)) as process:
        if version_of(python) == (3, 15):  # the last one whose order is known
            functions, version = seen(process.pid)
            assert {"waits", "calls", "<module>"} <= functions
            assert newer_pythons([version]) == ["3.16.0"]
        else:  # as if the order had changed since
            assert tried(process.pid) is Found.UNKNOWN_VERSION


@pytest.mark.parametrize("python", [each for each in PYTHONS if version_of(each) == (3, 13)])
def test_one_of_3_13_that_says_it_has_no_global_lock_is_refused(python: Path, tmp_path: Path) -> None:
    with changed(python, tmp_path, lambda data, told: struct.pack_into("<Q", data, told + 16, 1)) as process:
        assert tried(process.pid) is Found.LOCKLESS_3_13


@pytest.mark.parametrize("python", [each for each in PYTHONS if version_of(each) >= (3, 14)])
def test_a_later_one_that_says_so_has_no_lock_that_can_be_asked_for(python: Path, tmp_path: Path) -> None:
    with changed(python, tmp_path, lambda data, told: struct.pack_into("<Q", data, told + 16, 1)) as process:
        assert StackSampling(1_000_000, is_processor=False, of_lock=True).try_pid(process.pid) is Found.NO_LOCK


def check_nothing_is_invented(python: Path, word: int, value: int, folder: Path) -> None:
    """Whatever it tells, nothing else happens to us, and no frame is made up."""
    with changed(python, folder, lambda data, told: struct.pack_into("<Q", data, told + 8 * word, value)) as process:
        found = tried(process.pid)
        if found is Found.FOUND:
            functions, _ = seen(process.pid)
            assert functions <= {"waits", "calls", "<module>", "(waiting)", "waiting"}
        else:
            assert found in (Found.UNKNOWN_VERSION, Found.NOT_READY)


@on_those_that_tell
@pytest.mark.parametrize("word", range(3, 95, 15))
def test_one_that_tells_nonsense_is_refused_or_looked_at(python: Path, word: int, tmp_path: Path) -> None:
    check_nothing_is_invented(python, word, 24, tmp_path)


@on_those_that_tell
@pytest.mark.parametrize(("after_state", "value"), [(0, 24), (2, 48)], ids=["state", "characters"])
def test_names_are_not_made_of_other_bytes(python: Path, after_state: int, value: int, tmp_path: Path) -> None:
    """That characters lie elsewhere than is told is seen by what lies there: hashes, and what was there before."""
    state = {13: 68, 14: 78, 15: 90}[version_of(python)[1]]
    check_nothing_is_invented(python, state + after_state, value, tmp_path)


def test_what_is_older_is_told_from_what_was_stripped() -> None:
    older = [each for each in other_pythons() if each not in PYTHONS and "2." <= each.parts[-3] < "3.11"]
    if not older:
        pytest.skip("there is no CPython older than 3.11")
    for python in older:
        with subprocess.Popen([python, "-S", "-c", "input()"], stdin=subprocess.PIPE) as process:
            for _ in range(6000):  # however long it takes to start
                found = tried(process.pid)
                if found is Found.UNKNOWN_VERSION:
                    break
                time.sleep(0.01)
            assert found is Found.UNKNOWN_VERSION, python


def test_what_is_newer_than_sonde_is_said() -> None:
    assert newer_pythons([sys.version.split()[0]]) == []
