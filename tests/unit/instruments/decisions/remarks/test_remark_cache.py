"""Remarks that are kept: found again when nothing changed, and never otherwise."""

import os
from pathlib import Path

import pytest

from remark_containers import container
from remark_documents import MISSED
from sonde.instruments.decisions.remarks import Remarks, read_remarks

OLD_NS = 1_700_000_000 * 10**9


def write(path: Path, data: bytes, *, older_by: int = 0) -> Path:
    path.write_bytes(data)
    os.utime(path, ns=(OLD_NS - older_by, OLD_NS - older_by))
    return path


def said(remarks: Remarks) -> tuple[object, ...]:
    columns = [bytes(column) for column in remarks.columns]
    return list(remarks), columns, remarks.files, remarks.skipped, remarks.unknown_keys


class Reading:
    """Reads with a cache beside the files, and tells whether it was used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []

    def __call__(self, *paths: Path) -> Remarks:
        self.told.clear()
        return read_remarks(paths, cache=self.folder, progress=self.told.append)

    @property
    def parsed(self) -> bool:
        return any(line.startswith("reading remarks of") for line in self.told)


@pytest.fixture
def read(tmp_path: Path) -> Reading:
    return Reading(tmp_path)


def test_what_was_kept_is_the_same_as_what_was_parsed(tmp_path: Path, read: Reading) -> None:
    text = MISSED + b"--- !Passed\nPass: p\nName: n\nFunction: f\nHotness: 7\nFoo: bar\n...\n--- !Other\n...\n"
    paths = [write(tmp_path / "a.yaml", text), write(tmp_path / "b.yaml", b"")]
    parsed = said(read(*paths))
    assert read.parsed

    assert said(read(*paths)) == parsed
    assert not read.parsed
    assert [path.name for path in tmp_path.glob(".*")] == [".sonde-remarks-1"]


def test_a_file_by_itself_has_a_cache_of_its_own(tmp_path: Path, read: Reading) -> None:
    first, second = write(tmp_path / "a", MISSED), write(tmp_path / "b", MISSED)
    read(first)
    read(second)

    assert sorted(path.name for path in tmp_path.glob(".*")) == [".a.sonde-remarks-1", ".b.sonde-remarks-1"]
    read(first)
    assert not read.parsed


@pytest.mark.parametrize("change", ["content", "time", "another file", "fewer files", "named file"])
def test_what_has_changed_is_parsed_anew(tmp_path: Path, read: Reading, change: str) -> None:
    paths = [write(tmp_path / "a", MISSED), write(tmp_path / "b", MISSED)]
    write(tmp_path / "c", MISSED)
    header = b"REMARKS\0" + bytes(16) + b"c\0"
    paths.append(write(tmp_path / "meta", header))
    assert len(read(*paths)) == 3
    if change == "content":
        write(tmp_path / "a", MISSED * 2)
    elif change == "time":
        write(tmp_path / "a", MISSED, older_by=1)
    elif change == "another file":
        paths[0] = write(tmp_path / "d", MISSED)
    elif change == "fewer files":
        del paths[0]
    else:
        write(tmp_path / "c", MISSED * 2)

    assert said(read(*paths)) == said(read_remarks(paths))
    assert read.parsed


def test_a_damaged_cache_is_not_used(tmp_path: Path, read: Reading) -> None:
    path = write(tmp_path / "a", MISSED)
    whole = said(read(path))
    kept = tmp_path / ".a.sonde-remarks-1"
    good = kept.read_bytes()
    for at in range(0, len(good), 7):
        kept.write_bytes(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1 :])
        assert said(read(path)) == whole
        assert read.parsed
        assert kept.read_bytes() == good
    for size in (0, 10, len(good) - 8):
        kept.write_bytes(good[:size])
        assert said(read(path)) == whole
        assert read.parsed


def test_a_file_that_has_just_changed_is_not_kept(tmp_path: Path, read: Reading) -> None:
    path = tmp_path / "a"
    path.write_bytes(MISSED)
    future = (1 << 62, 1 << 62)
    os.utime(path, ns=future)

    read(path)
    read(path)
    assert read.parsed


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    read = Reading(tmp_path / "missing")
    path = write(tmp_path / "a", container([]))

    assert len(read(path)) == 0
    assert any("not kept" in line for line in read.told)


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    read_remarks([write(tmp_path / "a", MISSED)])

    assert list(tmp_path.glob(".*")) == []


def test_a_pipe_in_place_of_what_was_kept_is_not_waited_for(tmp_path: Path) -> None:
    source = write(tmp_path / "a.opt.yaml", MISSED)
    os.mkfifo(tmp_path / ".a.opt.yaml.sonde-remarks-1")
    told: list[str] = []
    assert len(read_remarks([source], cache=tmp_path, progress=told.append)) == 1
    assert any("in the way" in line for line in told)
