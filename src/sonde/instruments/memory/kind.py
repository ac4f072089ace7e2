"""Profiles of memory accesses, for the verbs that serve all kinds."""

from pathlib import Path
from typing import Final

from sonde.instruments.kind import Kind
from sonde.instruments.memory.stored_kind import STORED
from sonde.store.recovery import recover


class MemoryKind:
    """What `sonde memory` writes."""

    name: Final = STORED.name
    stored: Final = STORED

    def recover(self, folder: Path, path: Path) -> Path:
        """See `Kind`."""
        from sonde.instruments.memory.verb.folder import UnfinishedMemory

        return recover(UnfinishedMemory(folder), folder, path)


MEMORY: Kind = MemoryKind()
