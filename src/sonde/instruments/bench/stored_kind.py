"""The kind of file that results of sonde bench are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("results", "results of sonde bench", 1, Path(__file__).with_name("results_file") / "schema.sql")
