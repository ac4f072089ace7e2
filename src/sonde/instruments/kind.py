"""What an instrument tells of its kind of file, so that verbs that serve all kinds need not know any of them."""

from pathlib import Path
from typing import Protocol

from sonde.store.kind import StoredKind


class Kind(Protocol):
    """A kind of file, as the registry lists it."""

    @property
    def name(self) -> str:
        """As the registry lists it, and as its files say."""

    @property
    def stored(self) -> StoredKind:
        """What its files are."""

    def recover(self, folder: Path, path: Path) -> Path:
        """The file with what a run has left in its folder, see `sonde.store.recovery.recover`.

        Args:
            path: where it will be.
        Raises:
            InputError: what is there cannot be read, or there is nothing.
            SondeError: `cannot-write`.
        """
