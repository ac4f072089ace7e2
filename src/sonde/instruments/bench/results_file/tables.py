"""The tables of a results file, and how values stand in them."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

APPLICATION_ID = 0x536F6E62
SCHEMA_VERSION = 1
_SCHEMA = Path(__file__).with_name("schema.sql")


class Event(NamedTuple):
    """Something that befell a run."""

    at: float
    """Seconds since the epoch."""
    kind: str
    """`began`, `resumed`, `interrupted`, `given up`, `ended`."""
    text: str


def create_tables(db: sqlite3.Connection) -> None:
    """All in one transaction: a file is empty, or has all its tables."""
    db.executescript(
        f"BEGIN; {_SCHEMA.read_text(encoding='utf-8')}"
        f" PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; COMMIT"
    )


def storable(text: str) -> str:
    """SQLite keeps Unicode text; bytes of names that are not become `\\udcxx`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
