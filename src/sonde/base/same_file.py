"""Telling whether two paths lead to the same file."""

import os
from pathlib import Path


def real_path(path: Path) -> Path:
    """Where a path leads when all links are followed; equal for paths of one file, which need not be there.

    Links that lead in a circle are left as they are: who opens such a path is told of it (`Path.resolve` raises a
    `RuntimeError` before CPython 3.13).
    """
    return Path(os.path.realpath(path))
