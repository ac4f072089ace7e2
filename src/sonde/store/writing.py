"""Writing a file of any kind, whole: under a temporary name beside its destination, then renamed.

So a reader never meets half a profile under the final name.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sonde.base.errors import SondeError
from sonde.base.whole_file import WholeFile
from sonde.evidence import Loss
from sonde.store import digest
from sonde.store.container import create_tables, storable
from sonde.store.kind import StoredKind

Row = Sequence[Any]


class DatabaseWriter:
    """Writes one file of a kind; use it as a context manager.

    Leaving the block without an error commits and renames the file into place; leaving it
    with one deletes what was written.

    Raises:
        SondeError: `cannot-write`, the file cannot be created or written.
        InternalError: the kind has no proper name or version.
    """

    def __init__(self, path: Path, kind: StoredKind) -> None:
        self._path = path
        with _writing(path):
            self._file = WholeFile(path)
            self._db = sqlite3.connect(self._file.partial, isolation_level=None)
        try:
            with _writing(path):
                # Durability comes from the rename below, not from a journal.
                self._db.execute("PRAGMA journal_mode = OFF")
                self._db.execute("PRAGMA synchronous = OFF")
                self._db.execute("PRAGMA auto_vacuum = NONE")  # what is made last lies last, see digest.py
                create_tables(self._db, kind)
                self._db.execute("BEGIN")
        except BaseException:
            self._discard()
            raise

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows, each with a value for every column of the table. Text that is not Unicode becomes `\\udcxx`."""
        with _writing(self._path):
            types = [kind for (kind,) in self._db.execute("SELECT type FROM pragma_table_info(?)", (table,))]
            if "TEXT" in types:
                rows = ([storable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
            self._db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(types))})", rows)

    def insert_numbered(self, table: str, rows: Iterable[Row]) -> None:
        """Append rows to a table whose first column is their number, from 0 on."""
        self.insert(table, ((number, *row) for number, row in enumerate(rows)))

    def insert_values(self, table: str, values: Iterable[object]) -> None:
        """Append values to a table whose first column is their number; the others are called as their attributes."""
        with _writing(self._path):
            _, *names = [name for (name,) in self._db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        self.insert_numbered(table, ([getattr(value, name) for name in names] for value in values))

    def write_meta(self, facts: Mapping[str, Any]) -> None:
        """Store facts as JSON."""
        self.insert("meta", ((key, json.dumps(value)) for key, value in facts.items()))

    def write_losses(self, losses: Iterable[Loss]) -> None:
        """Store what is missing."""
        self.insert_values("loss", losses)

    def write_sources(self, sources: Mapping[str, str]) -> None:
        """Store source texts, compressed."""
        texts = ((file, text.encode("utf-8", "surrogateescape")) for file, text in sources.items())
        self.insert("source", ((file, zlib.compress(text, level=1)) for file, text in texts))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                with _writing(self._path):
                    digest.make_room(self._db)
                    self._db.execute("COMMIT")
                    self._db.close()
                    digest.seal(self._file.partial)
                    # One that a killed run left beside the file that is replaced would be rolled back into this one.
                    self._file.goal.with_name(f"{self._file.goal.name}-journal").unlink(missing_ok=True)
                    self._file.keep()
        finally:
            self._discard()

    def _discard(self) -> None:
        self._db.close()
        self._file.discard()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into a message that quotes the destination."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        fact = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SondeError(
            f"cannot write '{path}': {fact}",
            slug="cannot-write",
            hint="choose another place with -o, or make room",
        ) from error
