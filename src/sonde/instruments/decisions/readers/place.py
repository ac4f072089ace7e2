"""The file or folder that was named as a run: what is in it, looked at once for all readers."""

import errno
import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.readers.manifest import MANIFEST, Manifest, parse_manifest

_DEEPEST = 8
"""Folders below the one that was named; remarks lie beside the objects of a build, so not very deep."""
_HEAD = 4096
"""Bytes by which files are told apart."""


@dataclass(frozen=True)
class RunPlace:
    """A file or folder; what it holds is listed and peeked at once, whichever reader asks."""

    path: Path
    name: str = ""
    """For people: as it was given; empty: as `path` says."""

    @property
    def title(self) -> str:
        """How the run is called in answers."""
        return self.name or str(self.path)

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The file itself; of a folder all files in it and in folders below, sorted, hidden ones left out.

        Raises:
            InputError: `unreadable-decision-record`.
        """
        if not self.is_folder:
            return (self.path,)
        return tuple(sorted(_files_below(self.path, _DEEPEST)))

    def folder_files(self, folder: Path) -> tuple[Path, ...]:
        """The files that lie directly in a folder at or below this place, sorted."""
        return tuple(file for file in self.files if file.parent == folder)

    @cached_property
    def _heads(self) -> dict[Path, bytes]:
        return {}

    def head(self, file: Path) -> bytes:
        """The first bytes of one of the files: 4096, or all.

        Raises:
            InputError: `unreadable-decision-record`.
        """
        found = self._heads.get(file)
        if found is None:
            try:
                with file.open("rb") as stream:
                    found = self._heads[file] = stream.read(_HEAD)
            except OSError as error:
                raise unreadable(file, error) from error
        return found

    @cached_property
    def manifest(self) -> Manifest | None:
        """What sonde wrote down about the folder, if it captured it.

        Raises:
            InputError: `decision-manifest`.
        """
        file = self.path / MANIFEST
        if not self.is_folder or not file.is_file():
            return None
        try:
            content = file.read_bytes()
        except OSError as error:
            raise unreadable(file, error) from error
        return parse_manifest(file, content)

    def contents(self) -> str:
        """What lies here, in a few words, for a message."""
        if not self.is_folder:
            head = self.head(self.path)
            if not head:
                return "an empty file"
            if head.startswith(b"\x1f\x8b"):
                return "a gzip file, to be unpacked first"
            return "a binary file" if b"\0" in head else f"text that begins with {_beginning(head)}"
        endings = Counter(file.suffix or "no ending" for file in self.files)
        shown = ", ".join(f"{count} with {ending}" for ending, count in endings.most_common(4))
        return f"a folder with {len(self.files)} file{'s' * (len(self.files) != 1)} ({shown or 'none'})"


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for what the system does not let us read."""
    return InputError(
        f"cannot read the run '{path}': {error.strerror or error}",
        slug="unreadable-decision-record",
        hint="check its permissions, and that the disk is there",
    )


def _files_below(folder: Path, depth: int) -> list[Path]:
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if _is_file(entry):
                    found.append(Path(entry.path))
                elif depth and entry.is_dir(follow_symlinks=False):
                    found.extend(_files_below(Path(entry.path), depth - 1))
    except OSError as error:
        raise unreadable(folder, error) from error
    return found


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False  # as a link that leads nowhere
        raise


def _beginning(head: bytes) -> str:
    text = head.decode("utf-8", "replace").lstrip()[:30]
    return "'" + "".join(letter if letter.isprintable() else " " for letter in text) + "'"
