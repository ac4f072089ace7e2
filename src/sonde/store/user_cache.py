"""Sonde's folder in the user's cache."""

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder, made if it was not there; whether it can be written is for the caller to see.

    Raises:
        OSError: it cannot be made.
        RuntimeError: there is no home.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    folder = (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "sonde"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
