"""Kinds of files: what an instrument declares, and what a file says of itself."""

import re
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import InternalError

_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")


@dataclass(frozen=True, slots=True)
class StoredKind:
    """A kind of file that an instrument writes and reads.

    Raises:
        InternalError: the name is none, or the version is below 1.
    """

    name: str
    """By which the registry knows it: lower-case letters, digits, hyphens."""
    words: str
    """What such a file holds, e.g. `a profile of calling contexts`."""
    version: int
    """Of the tables that are its own; 1 or more."""
    schema: Path
    """SQL text with its own tables. Those of all kinds are in `schema.sql` beside this module."""

    def __post_init__(self) -> None:
        if not is_kind_name(self.name) or self.version < 1:
            raise InternalError(f"cannot declare kind '{self.name}' of version {self.version}", slug="bug")


@dataclass(frozen=True, slots=True)
class KindOfFile:
    """What a file says of itself."""

    name: str
    words: str
    version: int
    written_by: str = ""
    """Version of sonde; empty in files that do not say."""


def is_kind_name(text: str) -> bool:
    """Whether a kind can have this name."""
    return _NAME.fullmatch(text) is not None
