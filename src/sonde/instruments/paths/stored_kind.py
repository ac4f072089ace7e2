"""The kind of file that path profiles are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("paths", "a profile of paths", 1, Path(__file__).with_name("profile") / "schema.sql")
