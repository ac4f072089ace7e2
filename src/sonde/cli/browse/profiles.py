"""The profiles in a folder and below it: of what kind each is, what was run, when it was written."""

import os
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from shlex import join
from typing import NamedTuple

from sonde.base.errors import InputError
from sonde.store.reading import kind_of_file, recorded_command

MOST = 2000
"""Profiles that are listed; each is opened for it."""


class ListedProfile(NamedTuple):
    """One file."""

    name: str
    """Its path below the folder, with slashes."""
    kind: str
    """Empty if it cannot be read."""
    about: str
    """What was run, or why it cannot be read."""
    written: datetime
    size_bytes: int

    def has(self, words: str) -> bool:
        """Whether each of some words is in what is listed of it."""
        text = f"{self.name} {self.kind} {self.about}".lower()
        return all(word in text for word in words.lower().split())


def listed_profiles(folder: Path) -> list[ListedProfile]:
    """All that end in `.sonde`, the newest first; links to folders are not followed.

    Cost: O(1) for each, of `MOST` at most.
    """
    found = [each for path in islice(_files(folder), MOST) if (each := _listed(path, folder)) is not None]
    return sorted(found, key=lambda each: (each.written, each.name), reverse=True)


def _files(folder: Path) -> Iterator[Path]:
    for inner, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (Path(inner) / name for name in sorted(names) if name.endswith(".sonde"))


def _listed(path: Path, folder: Path) -> ListedProfile | None:
    try:
        status = path.stat()
    except OSError:  # gone meanwhile, or a link to nowhere
        return None
    if not path.is_file():
        return None
    try:
        interpreter, *words = recorded_command(path) or ("",)
        kind, about = kind_of_file(path).name, join([Path(interpreter).name, *words]) if interpreter else ""
    except InputError as error:
        kind, about = "", error.message.replace(str(path), path.name)
    written = datetime.fromtimestamp(status.st_mtime)
    return ListedProfile(path.relative_to(folder).as_posix(), kind, about, written, status.st_size)
