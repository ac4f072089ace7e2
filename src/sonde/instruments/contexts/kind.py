"""Profiles of calling contexts, for the verbs that serve all kinds."""

from pathlib import Path
from typing import Final

from sonde.instruments.contexts.stored_kind import STORED
from sonde.instruments.kind import Kind
from sonde.store.recovery import recover


class ContextKind:
    """What `sonde contexts` writes."""

    name: Final = STORED.name
    stored: Final = STORED

    def recover(self, folder: Path, path: Path) -> Path:
        """See `Kind`."""
        from sonde.instruments.contexts.verb.unfinished_run import UnfinishedContexts

        return recover(UnfinishedContexts(folder), folder, path)


CONTEXTS: Kind = ContextKind()
