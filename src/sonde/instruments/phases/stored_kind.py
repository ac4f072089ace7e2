"""The kind of file that profiles of phases are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("phases", "a profile of phases", 1, Path(__file__).with_name("profile") / "schema.sql")
"""Phases: which methods ran for long, when, and what was counted meanwhile."""
