"""The kind of file that audits are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("audit", "an audit of profilers", 1, Path(__file__).with_name("profile") / "schema.sql")
