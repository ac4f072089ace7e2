"""CPythons whose stacks are read from outside."""

from collections.abc import Iterable

LOOKED_AT = "CPython 3.11 to 3.15"
_NEWEST = (3, 15)
"""Whose way to tell its layout is known: native/core/stacks/debug_offsets.c."""


def newer_pythons(versions: Iterable[str]) -> list[str]:
    """Those of the versions that are newer than sonde: they were taken to tell their layout as the last known one does.

    >>> newer_pythons(["3.9.1", "3.15.2", "3.16.0", "3.16.0", "4.0.1"])
    ['3.16.0', '4.0.1']
    """
    return sorted({version for version in versions if _minor(version) > _NEWEST})


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])
