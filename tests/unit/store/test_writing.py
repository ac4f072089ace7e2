"""Files appear whole or not at all, wherever they are written."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sonde.base.errors import SondeError
from sonde.store.kind import StoredKind
from toy_kind import read_toy, toy_kind, write_toy

MANY = [("a line of some length", number) for number in range(20_000)]


@pytest.fixture
def kind(tmp_path: Path) -> StoredKind:
    return toy_kind(tmp_path)


@contextmanager
def no_file_larger_than(size_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("room_bytes", [0, 1000, 30_000, 200_000])
def test_a_full_disk_is_said_and_leaves_what_was_there(room_bytes: int, kind: StoredKind, tmp_path: Path) -> None:
    path = tmp_path / "toy.sonde"
    write_toy(path, kind)
    before = sorted(each.name for each in tmp_path.iterdir())

    with no_file_larger_than(room_bytes), pytest.raises(SondeError, match="cannot write '") as caught:
        write_toy(path, kind, MANY)

    assert caught.value.slug == "cannot-write"
    assert read_toy(path, kind) == [("one", 1), ("two", 2)]
    assert sorted(each.name for each in tmp_path.iterdir()) == before


def test_text_that_is_not_unicode_is_written_out(kind: StoredKind, tmp_path: Path) -> None:
    write_toy(tmp_path / "toy.sonde", kind, [("bad \udcff byte", 1)])

    assert read_toy(tmp_path / "toy.sonde", kind) == [("bad \\udcff byte", 1)]


def test_an_error_of_the_caller_leaves_nothing(kind: StoredKind, tmp_path: Path) -> None:
    def lines() -> Iterator[tuple[str, int]]:
        yield "one", 1
        raise KeyError("two")

    with pytest.raises(KeyError):
        write_toy(tmp_path / "toy.sonde", kind, lines())
    assert list(tmp_path.iterdir()) == [kind.schema]


def test_the_journal_of_what_is_replaced_goes_with_it(kind: StoredKind, tmp_path: Path) -> None:
    path = tmp_path / "toy.sonde"
    write_toy(path, kind)
    (tmp_path / "toy.sonde-journal").write_bytes(b"left by a run that was killed")
    write_toy(path, kind, MANY)

    assert read_toy(path, kind) == MANY
    assert not (tmp_path / "toy.sonde-journal").exists()
