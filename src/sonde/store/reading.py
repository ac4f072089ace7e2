"""Reading a file of any kind, and telling of what kind it is; every way it can be broken is an `InputError`."""

import json
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.store import digest
from sonde.store.container import APPLICATION_ID, VERSION
from sonde.store.earlier_versions import EARLIER_FILES, RESULTS_ID
from sonde.store.kind import KindOfFile, StoredKind, is_kind_name
from sonde.store.other_files import near_files, other_file

_SQLITE = b"SQLite format 3\0"
_LONGEST_WORDS = 200
_LONGEST_BEGINNING = 64
"""Bytes by which files are told apart: the first line of a script."""

_Value = TypeVar("_Value")


def kind_of_file(path: Path) -> KindOfFile:
    """What a `.sonde` file says it holds, whether anybody here knows that kind or not.

    Raises:
        InputError: missing, not a file of sonde's, of a newer version than all known, truncated or corrupt.
    Cost: O(1); damage to the contents is noticed by `reading` only.
    """
    with _opened(path) as (db, _):
        return _kind(path, db)


def recorded_command(path: Path) -> tuple[str, ...]:
    """What was run, as a `.sonde` file of any kind says; empty where it does not, or it is no such file.

    Cost: O(1).
    """
    try:
        with _opened(path) as (db, _):
            rows = db.execute("SELECT value FROM meta WHERE key = 'command'").fetchall()
            command = json.loads(rows[0][0]) if rows else ()
    except (InputError, sqlite3.Error, ValueError):
        return ()
    return tuple(map(str, command)) if isinstance(command, list) else ()


@contextmanager
def reading(path: Path, kind: StoredKind, *, again: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a file of a kind for reading, as it is at one moment, if somebody still adds to it.

    Args:
        again: its digest was checked just now.
    Raises:
        InputError: missing, not of this kind, newer than this sonde, truncated or corrupt; also for what goes wrong in
            the block because of what is in the file.
    """
    with _opened(path) as (db, whole):
        if not again:
            _check_digest(path, whole, db)
        _check_kind(path, _kind(path, db), kind)
        yield db


def check_whole(path: Path) -> None:
    """Refuse a file of any kind, known or not, that does not match its digest.

    Raises:
        InputError: as `kind_of_file` does.
    """
    with _opened(path) as (db, whole):
        _check_digest(path, whole, db)


def read_meta(db: sqlite3.Connection) -> dict[str, Any]:
    """Facts by name."""
    return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM meta ORDER BY key")}


def read_losses(db: sqlite3.Connection) -> tuple[Loss, ...]:
    """What the file lacks."""
    return read_values(db, "loss", Loss)


def read_sources(db: sqlite3.Connection) -> dict[str, str]:
    """Source texts by path."""
    rows = db.execute("SELECT file, text FROM source")
    return {file: zlib.decompress(text).decode("utf-8", "surrogateescape") for file, text in rows}


def read_rows(db: sqlite3.Connection, table: str, columns: str) -> sqlite3.Cursor:
    """Some columns of a table of numbered rows, in order."""
    return db.execute(f"SELECT {columns} FROM {table} ORDER BY id")


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Whether the file has a table of that name: those of earlier versions may not."""
    return bool(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchone())


def columns_of(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns: files of earlier versions may have fewer."""
    return frozenset(name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def read_values(db: sqlite3.Connection, table: str, type_: type[_Value]) -> tuple[_Value, ...]:
    """The rows of a table of numbered rows as values of a dataclass, whose fields are called as the columns.

    Fields that the table does not have keep their defaults.
    """
    columns = columns_of(db, table)
    names = [field.name for field in fields(type_) if field.name in columns]  # type: ignore[arg-type]
    return tuple(type_(**dict(zip(names, row, strict=True))) for row in read_rows(db, table, ", ".join(names)))


def corrupt(path: Path, fact: str) -> InputError:
    """The error for a file that cannot be what it says."""
    return InputError(
        f"cannot read '{path}': {fact}",
        slug="corrupt-profile",
        hint="it was damaged, or changed by another program, since sonde wrote it; copy it again or record it again",
    )


@contextmanager
def as_corrupt(path: Path) -> Iterator[None]:
    """Turn what goes wrong with damaged contents into an `InputError`."""
    try:
        yield
    except (
        sqlite3.Error, zlib.error, LookupError, TypeError, ValueError, OverflowError, MemoryError, RecursionError
    ) as error:  # fmt: skip
        raise corrupt(path, str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}") from error


def check_beginning(path: Path) -> None:
    """Say what a file is that can be seen to be none of ours without opening it as a database.

    Raises:
        InputError: `no-such-profile`, `not-a-profile`, or `corrupt-profile`, it is cut off.
    """
    try:
        is_there = path.exists()
    except OSError as error:  # a name that is too long, for one
        raise InputError(f"cannot read '{path}': {error.strerror}", slug="no-such-profile") from error
    if not is_there:
        raise InputError(f"cannot read '{path}': no such file", slug="no-such-profile", hint=near_files(path))
    if path.is_dir():
        raise InputError(
            f"cannot read '{path}': it is a folder",
            slug="no-such-profile",
            hint="name a file in it; what compilers leave in folders is for sonde view, or sonde decisions",
        )
    if not path.is_file():
        raise InputError(
            f"cannot read '{path}': it is a device or a pipe",
            slug="not-a-profile",
            hint="profiles and results are read from files: copy it into one",
        )
    try:
        with path.open("rb") as file:
            beginning = file.read(_LONGEST_BEGINNING)
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}", slug="no-such-profile") from error
    if not beginning:
        raise corrupt(path, "it is empty")
    if not _SQLITE.startswith(beginning[: len(_SQLITE)]):
        raise other_file(path, beginning)


def _check_digest(path: Path, whole: Path, db: sqlite3.Connection) -> None:
    if not digest.is_intact(whole, db):
        raise corrupt(path, "its contents do not match its digest")
    # By closing the file, which was opened once more, this process has lost all its locks on it (POSIX wants it so).
    db.execute("COMMIT")
    db.execute("BEGIN")


def _check_kind(path: Path, found: KindOfFile, wanted: StoredKind) -> None:
    """Refuse a file of another kind, or of a newer version of this one."""
    if found.name != wanted.name:
        raise InputError(
            f"cannot read '{path}' as {wanted.words}: it holds {found.words}",
            slug="other-kind-of-profile",
            hint=f"sonde view {path}",
        )
    if found.version > wanted.version:
        raise _newer(
            path, f"it holds {found.words}, version {found.version}, newest known is {wanted.version}", found.written_by
        )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[sqlite3.Connection, Path]]:
    """A file, open, and the file that is really read."""
    check_beginning(path)
    with as_corrupt(path), _rolled_back(path) as whole:
        db = sqlite3.connect(f"{whole.resolve().as_uri()}?mode={'ro' if whole == path else 'rw'}", uri=True)
        try:
            db.execute("BEGIN")  # who adds to it waits; all that is read was there at one moment
            _check_header(path, db)
            _check_size(path, whole, db)
            yield db, whole
        finally:
            db.close()


@contextmanager
def _rolled_back(path: Path) -> Iterator[Path]:
    """The file, or a copy where who added to it was killed in the middle of a transaction.

    Such a file has a journal beside it, by which SQLite undoes the half-written transaction when it next reads; it must
    be able to write for that. We read only, so it does that to a copy.
    """
    target = path.resolve()  # beside which SQLite looks, if it is a link
    journal = target.with_name(f"{target.name}-journal")
    if not (journal.exists() and _needs_rollback(target)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="sonde-") as folder:
        copy = Path(folder) / target.name
        with suppress(FileNotFoundError):  # the writer is alive, and has just ended its transaction
            shutil.copyfile(journal, copy.with_name(journal.name))
        shutil.copyfile(target, copy)
        yield copy


def _needs_rollback(target: Path) -> bool:
    """Whether SQLite cannot read a file without writing; a journal in use by a living writer is none of this."""
    db = sqlite3.connect(f"{target.as_uri()}?mode=ro", uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        return True
    finally:
        db.close()
    return False


def _check_header(path: Path, db: sqlite3.Connection) -> None:
    application, version = _header(db)
    if application not in (APPLICATION_ID, RESULTS_ID):
        raise InputError(
            f"cannot read '{path}': it is a SQLite database, but not one of sonde's"
            f" (application id {application:#x}, sonde writes {APPLICATION_ID:#x})",
            slug="not-a-profile",
        )
    if version > VERSION:
        raise _newer(path, f"it is a file of version {version}, newest known is {VERSION}")


def _check_size(path: Path, whole: Path, db: sqlite3.Connection) -> None:
    """Refuse a file that is cut off, or has something after its end."""
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (page_size,) = db.execute("PRAGMA page_size").fetchone()
    size = whole.stat().st_size
    if pages * page_size != size:
        raise corrupt(path, f"it has {size:,} bytes, its header promises {pages * page_size:,}")


def _kind(path: Path, db: sqlite3.Connection) -> KindOfFile:
    header = _header(db)
    if header != (APPLICATION_ID, VERSION):
        if header not in EARLIER_FILES:
            raise corrupt(path, f"there never was a file of version {header[1]}")
        return EARLIER_FILES[header]
    rows = db.execute("SELECT name, words, version, sonde FROM kind").fetchall()
    if len(rows) != 1:
        raise corrupt(path, f"it says {len(rows)} times what it holds")
    name, words, version, written_by = rows[0]
    texts = (name, words, written_by)
    if not all(isinstance(text, str) and len(text) <= _LONGEST_WORDS for text in texts) or not is_kind_name(name):
        raise corrupt(path, f"it is of kind {name!r:.40}")
    if not isinstance(version, int) or version < 1:
        raise corrupt(path, f"what it holds is of version {version!r:.40}")
    return KindOfFile(*rows[0])


def _header(db: sqlite3.Connection) -> tuple[int, int]:
    """`application_id` and `user_version`."""
    return db.execute("PRAGMA application_id").fetchone()[0], db.execute("PRAGMA user_version").fetchone()[0]


def _newer(path: Path, fact: str, written_by: str = "") -> InputError:
    writer = f" (sonde {written_by} wrote the file)" if written_by else ""
    return InputError(
        f"cannot read '{path}': {fact}",
        slug="newer-profile",
        hint=f"upgrade sonde: pip install --upgrade sonde{writer}",
    )
