"""Results of sonde bench, for the verbs that serve all kinds."""

from pathlib import Path
from typing import Final

from sonde.instruments.bench.stored_kind import STORED
from sonde.instruments.kind import Kind
from sonde.store.recovery import nothing_to_recover


class ResultsKind:
    """What `sonde bench` writes."""

    name: Final = STORED.name
    stored: Final = STORED

    def recover(self, folder: Path, path: Path) -> Path:
        """Results are in their file as soon as they are measured: `InputError`, there never is anything in a folder."""
        raise nothing_to_recover(folder, f"left nothing there: what it measured is in '{path}' itself")


RESULTS: Kind = ResultsKind()
