"""The kind of file that profiles of calling contexts are."""

from pathlib import Path

from sonde.store.kind import StoredKind

STORED = StoredKind("contexts", "a profile of calling contexts", 6, Path(__file__).with_name("profile") / "schema.sql")
"""Version 1 knew exact profiles only, version 2 wall-clock time only, version 3 no threads, version 4
no tasks, and no samples of lines, version 5 functions of Python only."""
