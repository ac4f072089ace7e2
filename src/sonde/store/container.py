"""The file of all kinds: one SQLite database, readable by any SQL client; its header, and how values stand in it."""

import sqlite3
from pathlib import Path

from sonde import __version__
from sonde.store.kind import StoredKind

APPLICATION_ID = 0x536F6E64
VERSION = 4
"""What `user_version` is: the table `kind` says what the file holds. 1 to 3 are earlier files, see there."""
_SCHEMA = Path(__file__).with_name("schema.sql")


def create_tables(db: sqlite3.Connection, kind: StoredKind) -> None:
    """Make an empty file of a kind, in one transaction: a file is empty, or has all its tables.

    Raises:
        InternalError: the kind has no proper name or version.
    """
    kind.check()
    row = (kind.name, kind.words, kind.version, __version__)
    values = ", ".join(db.execute("SELECT quote(?)", (value,)).fetchone()[0] for value in row)
    db.executescript(
        f"BEGIN; {_SCHEMA.read_text(encoding='utf-8')} {kind.schema.read_text(encoding='utf-8')}"
        f" INSERT INTO kind VALUES ({values});"
        f" PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT"
    )


def storable(text: str) -> str:
    """SQLite keeps Unicode text; bytes of names that are not become `\\udcxx`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
