"""Opening a results file: what it is, whether it is whole, who may write into it."""

import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sonde.base.errors import InputError, SondeError
from sonde.instruments.bench.results_file.tables import APPLICATION_ID, SCHEMA_VERSION

PROFILE_ID = 0x536F6E64
"""Of profile files, which have the same suffix."""


def is_results_file(path: Path) -> bool:
    """Whether a file looks like a results file, by its first bytes.

    Raises:
        OSError: it cannot be read.
    """
    return _application_of(path) == APPLICATION_ID


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open results for reading, turning every way they can be broken into an `InputError`."""
    check_file(path)
    db = None
    with as_corrupt(path), _whole(path) as whole:
        try:
            db = sqlite3.connect(f"{whole.resolve().as_uri()}?mode={'ro' if whole == path else 'rw'}", uri=True)
            _check_version(path, db)
            yield db
        finally:
            if db is not None:
                db.close()


@contextmanager
def as_corrupt(path: Path) -> Iterator[None]:
    """Turn what goes wrong with damaged contents into an `InputError`."""
    try:
        yield
    except (sqlite3.Error, LookupError, TypeError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        fact = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise _corrupt(path, fact) from error


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """The file, or a copy where the last writer was killed in the middle of a transaction.

    Such a file has a journal beside it, by which SQLite undoes the half-written transaction when it next reads; it must
    be able to write for that. We read only, so it does that to a copy.
    """
    target = path.resolve()  # beside which SQLite looks, if it is a link
    journal = target.with_name(f"{target.name}-journal")
    if not (journal.exists() and _needs_rollback(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="sonde-") as folder:
        copy = Path(folder) / target.name
        with suppress(FileNotFoundError):  # the writer is alive, and has just ended its transaction
            shutil.copyfile(journal, copy.with_name(journal.name))
        shutil.copyfile(path, copy)
        yield copy


def _needs_rollback(path: Path) -> bool:
    """Whether SQLite cannot read a file without writing; a journal in use by a living writer is none of this."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        return True
    finally:
        db.close()
    return False


def check_file(path: Path) -> None:
    """Refuse what can be seen to be no results file without opening it as a database."""
    if not path.exists():
        raise InputError(f"cannot read results '{path}': no such file", slug="no-such-results")
    if path.is_dir():
        raise InputError(f"cannot read results '{path}': it is a folder", slug="no-such-results")
    if not path.is_file():
        raise InputError(
            f"cannot read results '{path}': it is a pipe or a device",
            slug="not-results",
            hint="results are read from a file: copy them into one",
        )
    try:
        application = _application_of(path)
    except OSError as error:
        raise InputError(f"cannot read results '{path}': {error.strerror}", slug="no-such-results") from error
    if application == PROFILE_ID:
        raise InputError(
            f"cannot read results '{path}': it is a profile",
            slug="not-results",
            hint=f"sonde view {path}",
        )
    if application is None and path.stat().st_size == 0:
        raise _corrupt(path, "it is empty; the run was cut off before it began")
    if application != APPLICATION_ID:
        fact = "it is not a SQLite database" if application is None else "it is a SQLite database of another program"
        raise InputError(
            f"cannot read results '{path}': {fact}",
            slug="not-results",
            hint=f"if another tool wrote it: sonde bench import {path}" if application is None else None,
        )


def _application_of(path: Path) -> int | None:
    """The application id in the header of a SQLite database; None for other files."""
    with path.open("rb") as stream:
        header = stream.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        return None
    return int.from_bytes(header[68:72], "big")


def _check_version(path: Path, db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise InputError(
            f"cannot read results '{path}': they have schema version {version}, newest known is {SCHEMA_VERSION}",
            slug="newer-results",
            hint="upgrade sonde: pip install --upgrade sonde",
        )


def _corrupt(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot read results '{path}': {fact}",
        slug="corrupt-results",
        hint="the file is damaged; copy it again, or save what is left: sqlite3 FILE .recover",
    )


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
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into a message that quotes the destination."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        fact = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SondeError(
            f"cannot write results '{path}': {fact}",
            slug="cannot-write",
            hint="what was measured before is in the file; make room, or choose another place with -o",
        ) from error
