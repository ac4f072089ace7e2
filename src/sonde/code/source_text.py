"""Texts of sources, to be kept with a profile so that reports show what ran."""

from collections.abc import Iterable
from pathlib import Path

_LARGEST_BYTES = 8 << 20
"""What is longer was generated."""


def source_text(file: str) -> str | None:
    """The text of a source as it is now; None if it cannot be read. Bytes that are no UTF-8 are surrogates."""
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return None
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):  # a name with a NUL in it is no name
        return None


def changed_since(files: Iterable[str], time: float) -> list[str]:
    """Those of some files that were written after a time, in seconds since the epoch."""
    found = []
    for file in files:
        try:
            if Path(file).stat().st_mtime > time:
                found.append(file)
        except (OSError, ValueError):  # it is gone: nothing is shown of it
            continue
    return found
