"""Where what was built is kept: folders that get their names when they are whole.

Any number of processes may build the same folder at once; one wins, and all use what it has built.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sonde.base.errors import SondeError
from sonde.store.user_cache import user_cache

BUILT = "valgrind-"
"""How the names of folders begin."""
_BUILDING = "building-"
_TOOL_BYTES = 8 << 20
"""A tool and its object files are 3 MiB; a linker may need as much again."""
_UNUSED_AFTER_S = 60 * 86400
"""A folder that no run has used for so long is removed by the next build."""


_TEMPORARY = "sonde-valgrind-"
"""How the names of folders for one run begin."""


@contextmanager
def build_cache() -> Iterator[Path]:
    """Sonde's folder in the user's cache; one for this run only where there is none that can be written.

    Raises:
        SondeError: `cannot-write`.
    """
    try:
        root = user_cache()
        usable = os.access(root, os.W_OK | os.X_OK)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        usable = False
    if usable:
        yield root
        return
    with temporary_cache() as temporary:
        yield temporary


def is_temporary(root: Path) -> bool:
    """Whether what is built in a folder that `build_cache` gave is gone after this run."""
    return root.name.startswith(_TEMPORARY)


@contextmanager
def temporary_cache() -> Iterator[Path]:
    """A folder for this run only.

    Raises:
        SondeError: `cannot-write`.
    """
    try:
        temporary = tempfile.mkdtemp(prefix=_TEMPORARY)
    except OSError as error:
        raise SondeError(
            f"cannot keep the Valgrind tool: neither the cache nor a temporary folder can be written: {error.strerror}",
            slug="cannot-write",
            hint="set XDG_CACHE_HOME to a folder that you can write",
        ) from error
    try:
        yield Path(temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def has_room(folder: Path) -> bool:
    """Whether a tool fits in, as far as disks and quotas go."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            os.posix_fallocate(probe.fileno(), 0, _TOOL_BYTES)
    except OSError:
        return False
    return True


def ensure_built(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder of that name, filled by `make` if it is not there.

    Raises:
        SondeError: `cannot-write`; and whatever `make` raises.
    """
    with suppress(OSError):
        os.utime(folder)  # it is in use; in a cache of somebody else's, or one that is read-only, that fails
    if folder.is_dir():
        return folder
    _sweep(folder.parent)
    try:
        building = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=folder.parent))
        try:
            make(building)
            with suppress(OSError):
                building.rename(folder)
            if not folder.is_dir():
                building.rename(folder)  # nobody else was faster: the reason counts
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise SondeError(
            f"cannot keep the Valgrind tool in '{folder}': {error.strerror or error}",
            slug="cannot-write",
            hint="make room, or set XDG_CACHE_HOME to another folder",
        ) from error
    return folder


def _sweep(root: Path) -> None:
    """Remove what no run has used for long, and what builds that were killed have left."""
    oldest = time.time() - _UNUSED_AFTER_S
    for folder in (*root.glob(f"{BUILT}*"), *root.glob(f"{_BUILDING}*")):
        with suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
