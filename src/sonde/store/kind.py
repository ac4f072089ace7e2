"""Kinds of files: what an instrument declares, and what a file says of itself."""

import re
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InternalError

_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")


# Named tuples, and no dataclasses: a run of `sonde contexts` declares its kind before the program starts.
class StoredKind(NamedTuple):
    """A kind of file that an instrument writes and reads."""

    name: str
    """By which the registry knows it: lower-case letters, digits, hyphens."""
    words: str
    """What such a file holds, e.g. `a profile of calling contexts`."""
    version: int
    """Of the tables that are its own; 1 or more."""
    schema: Path
    """SQL text with its own tables. Those of all kinds are in `schema.sql` beside this module."""

    def check(self) -> None:
        """Refuse a name that is none, and a version below 1.

        Raises:
            InternalError: it is such a kind.
        """
        if not is_kind_name(self.name) or self.version < 1:
            raise InternalError(f"cannot declare kind '{self.name}' of version {self.version}", slug="bug")


class KindOfFile(NamedTuple):
    """What a file says of itself."""

    name: str
    words: str
    version: int
    written_by: str = ""
    """Version of sonde; empty in files that do not say."""


def is_kind_name(text: str) -> bool:
    """Whether a kind can have this name."""
    return _NAME.fullmatch(text) is not None
