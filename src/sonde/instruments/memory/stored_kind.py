"""The kind of file that profiles of memory accesses are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("memory", "a profile of memory accesses", 2, Path(__file__).with_name("profile") / "schema.sql")
"""Version 1 knew neither calling contexts nor lines that threads share."""
