"""The digest lies where the file ends, whatever else is in the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sonde.store import digest
from toy_kind import read_toy, toy_kind, write_toy


@pytest.mark.parametrize("tables", range(1, 60, 2))
def test_files_of_any_schema_can_be_sealed(tables: int, tmp_path: Path) -> None:
    """As the table of tables grows, making the digest sometimes gives it a page of its own, after the digest's."""
    schema = "CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT NOT NULL, weight INTEGER NOT NULL);"
    for comment in range(0, 400, 37):
        schema_text = schema + "".join(f"CREATE TABLE t{i} (a /* {'x' * comment} */);" for i in range(tables))
        kind = toy_kind(tmp_path, schema=schema_text)
        write_toy(tmp_path / "toy.sonde", kind)

        assert read_toy(tmp_path / "toy.sonde", kind) == [("one", 1), ("two", 2)]
        with closing(sqlite3.connect(tmp_path / "toy.sonde")) as db:
            assert db.execute("SELECT count(*) FROM digest").fetchone() == (1,)


def test_free_pages_do_not_keep_the_digest_from_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript("".join(f"CREATE TABLE t{i} (a); INSERT INTO t{i} VALUES (1);" for i in range(9)))
        db.executescript("".join(f"DROP TABLE t{i};" for i in range(1, 8)))
        assert db.execute("PRAGMA freelist_count").fetchone() == (7,)
        digest.make_room(db)
        digest.seal(path)
        assert digest.is_intact(path, db)


def test_a_file_whose_writer_was_killed_before_it_wrote_the_digest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        digest.make_room(db)
        assert digest.is_intact(path, db)
