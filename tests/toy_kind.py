"""A kind of file that no instrument has: lines of text, by number."""

from collections.abc import Iterable
from pathlib import Path

from sonde.evidence import Loss
from sonde.store.kind import StoredKind
from sonde.store.reading import read_losses, read_meta, read_rows, read_sources, reading
from sonde.store.writing import DatabaseWriter

_SCHEMA = "CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT NOT NULL, weight INTEGER NOT NULL);"

Lines = list[tuple[str, int]]


def toy_kind(folder: Path, *, name: str = "toy", version: int = 1, schema: str = _SCHEMA) -> StoredKind:
    """The kind; its schema is written into a folder."""
    path = folder / "toy.sql"
    path.write_text(schema, encoding="utf-8")
    return StoredKind(name, "a profile of toys", version, path)


def write_toy(path: Path, kind: StoredKind, lines: Iterable[tuple[str, int]] = (("one", 1), ("two", 2))) -> None:
    """Write a file with a loss, a source and a fact besides the lines."""
    with DatabaseWriter(path, kind) as writer:
        writer.write_meta({"speed": 3})
        writer.insert_numbered("line", lines)
        writer.write_losses([Loss("toys-lost", 1, "under the bed")])
        writer.write_sources({"toy.py": "play()\n"})


def read_toy(path: Path, kind: StoredKind) -> Lines:
    """Read it back; what is there besides the lines must be as it was written."""
    with reading(path, kind) as db:
        if (read_meta(db), read_losses(db), read_sources(db)) != (
            {"speed": 3},
            (Loss("toys-lost", 1, "under the bed"),),
            {"toy.py": "play()\n"},
        ):
            raise ValueError("it has other facts")
        return [(text, weight) for text, weight in read_rows(db, "line", "text, weight")]
