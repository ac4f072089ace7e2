"""Files say of what kind they are, and of which version; whoever reads them says what does not fit."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sonde import __version__
from sonde.base.errors import InputError, InternalError
from sonde.cli.kinds import kind_of
from sonde.cli.main import main
from sonde.registry import entries
from sonde.store.kind import KindOfFile, StoredKind
from sonde.store.reading import kind_of_file, reading
from sonde.store.writing import DatabaseWriter
from toy_kind import read_toy, toy_kind, write_toy


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.sonde"
    write_toy(path, toy_kind(tmp_path))
    return path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def refusal(path: Path, kind: StoredKind) -> InputError:
    with pytest.raises(InputError) as caught:
        read_toy(path, kind)
    return caught.value


def test_a_file_of_a_kind_that_nobody_declares_says_what_it_is(toy: Path) -> None:
    assert kind_of_file(toy) == KindOfFile("toy", "a profile of toys", 1, __version__)


@pytest.mark.parametrize("verb", [["view"], ["diff"], ["merge", "-o", "out.sonde"], ["export", "--to", "pprof"]])
def test_a_file_of_a_kind_that_nobody_knows_is_refused_by_every_verb(
    verb: list[str], toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy.parent)
    (toy.parent / "other.sonde").write_bytes(toy.read_bytes())
    others = ["other.sonde"] if verb[0] in ("diff", "merge") else []

    assert main([verb[0], "toy.sonde", *others, *verb[1:]]) in (1, 2)
    said = capsys.readouterr().err
    assert "'toy.sonde': it holds a profile of toys (kind 'toy'), known are contexts, memory, results" in said
    assert "hint: install the package" in said


def test_an_unknown_kind_in_a_damaged_file_is_called_damage(toy: Path) -> None:
    toy.write_bytes(toy.read_bytes().replace(b"a profile of toys", b"a profile of boys"))

    with pytest.raises(InputError, match="do not match its digest"):
        kind_of(toy)


def test_every_kind_is_listed_under_the_name_that_its_files_have() -> None:
    for name, entry in entries("kind").items():
        kind = entry.load()
        assert kind.name == name
        if kind.stored is not None:
            assert (kind.stored.name, kind.stored.words) == (name, kind.words)
            assert kind.stored.schema.is_file()


def test_a_newer_version_of_a_kind_says_both_versions_and_who_wrote_it(toy: Path, tmp_path: Path) -> None:
    newer = toy_kind(tmp_path, version=8)
    write_toy(toy, newer)

    refused = refusal(toy, newer._replace(version=7))
    assert "it holds a profile of toys, version 8, newest known is 7" in refused.message
    assert refused.slug == "newer-profile"
    assert f"upgrade sonde: pip install --upgrade sonde (sonde {__version__} wrote the file)" in str(refused.hint)


def test_an_older_version_of_a_kind_is_left_to_its_reader(toy: Path, tmp_path: Path) -> None:
    assert read_toy(toy, toy_kind(tmp_path, version=2)) == [("one", 1), ("two", 2)]


def test_another_kind_says_both(toy: Path, tmp_path: Path) -> None:
    refused = refusal(toy, toy_kind(tmp_path, name="train")._replace(words="a profile of trains"))
    assert refused.message == f"cannot read '{toy}' as a profile of trains: it holds a profile of toys"
    assert (refused.slug, refused.hint) == ("other-kind-of-profile", f"sonde view {toy}")


@pytest.mark.parametrize(
    ("statement", "said", "slug"),
    [
        ("PRAGMA user_version = 5", "it is a file of version 5, newest known is 4", "newer-profile"),
        ("PRAGMA user_version = -1", "there never was a file of version -1", "corrupt-profile"),
        ("PRAGMA user_version = 0", "there never was a file of version 0", "corrupt-profile"),
        ("PRAGMA application_id = 7", "it is a SQLite database, but not one of sonde's", "not-a-profile"),
        ("PRAGMA application_id = 0x536F6E62", "there never was a file of version 4", "corrupt-profile"),
        ("DELETE FROM kind", "it says 0 times what it holds", "corrupt-profile"),
        ("INSERT INTO kind SELECT * FROM kind", "it says 2 times what it holds", "corrupt-profile"),
        ("DROP TABLE kind", "no such table: kind", "corrupt-profile"),
        ("UPDATE kind SET name = '../toy'", "it is of kind '../toy'", "corrupt-profile"),
        ("UPDATE kind SET name = x'00'", "it is of kind b'\\x00'", "corrupt-profile"),
        ("UPDATE kind SET words = zeroblob(9)", "it is of kind 'toy'", "corrupt-profile"),
        ("UPDATE kind SET words = hex(zeroblob(1000))", "it is of kind 'toy'", "corrupt-profile"),
        ("UPDATE kind SET version = 0", "what it holds is of version 0", "corrupt-profile"),
        ("UPDATE kind SET version = 'new'", "what it holds is of version 'new'", "corrupt-profile"),
    ],
)
def test_headers_that_make_no_sense_are_refused(statement: str, said: str, slug: str, toy: Path) -> None:
    change(toy, "DROP TABLE digest", statement)

    with pytest.raises(InputError) as caught:
        kind_of_file(toy)
    assert said in caught.value.message
    assert caught.value.slug == slug


def test_what_goes_wrong_in_the_block_is_damage(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such table: train"), reading(toy, toy_kind(tmp_path)) as db:
        db.execute("SELECT * FROM train")


@pytest.mark.parametrize(("name", "version"), [("", 1), ("Toy", 1), ("../toy", 1), ("toy\n", 1), ("toy", 0)])
def test_no_file_is_of_a_kind_without_a_proper_name_or_version(name: str, version: int, tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="cannot declare kind"):
        DatabaseWriter(tmp_path / "toy", StoredKind(name, "a profile of toys", version, Path("toy.sql")))
    assert not list(tmp_path.iterdir())
