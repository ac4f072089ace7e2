"""Who may write into a results file."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sonde.base.errors import SondeError


def lock_file(path: Path, *, replace: bool) -> int:
    """Open a file so that no other writer of results can, until the descriptor is closed or this process is gone.

    SQLite's own locks are free between two transactions, so they do not keep a second run away. This one (`flock`) is
    seen by writers only: reading goes on.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if replace:
            os.ftruncate(handle, 0)
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
    except BlockingIOError:
        os.close(handle)
        raise SondeError(
            f"cannot write results '{path}': another run is writing into it",
            slug="results-in-use",
            hint="wait until it has ended, or choose another file with -o",
        ) from None
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextmanager
def writing(path: Path, *, has_some: bool = False) -> Iterator[None]:
    """Turn a failure to write into a message that quotes the destination.

    Args:
        has_some: whether there are results in the file, which stay there.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        fact = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        kept = "what was measured before is in the file; " if has_some else ""
        raise SondeError(
            f"cannot write results '{path}': {fact}",
            slug="cannot-write",
            hint=f"{kept}make room, or choose another place with -o",
        ) from error
