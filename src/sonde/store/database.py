"""What all profile files have in common: one SQLite database, readable by any SQL client, written whole.

A file is written under a temporary name beside its destination and renamed into place when it is whole, so a reader
never meets half a profile under the final name. SQLite's `user_version` is the version of the schema, and tells what
kind of profile it is.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from sonde.base.errors import InputError, SondeError
from sonde.base.whole_file import WholeFile
from sonde.store import digest
from sonde.store.loss import Loss

ProfileKind = Literal["contexts", "memory"]

APPLICATION_ID = 0x536F6E64
_RESULTS_ID = 0x536F6E62
"""Of the results files of sonde bench, which have the same suffix."""
SCHEMA_VERSIONS: dict[ProfileKind, int] = {"contexts": 2, "memory": 3}
"""What is written. Contexts of version 1 are read, too; from 3 on, `meta` has a `kind`."""
_SQLITE = b"SQLite format 3\0"
_OTHER_FILES = {
    b"SONDETRC": ("a trace of calls", "sonde replay {path}"),
    b"SONDEADR": ("a trace of addresses", "sonde export {path} --to lackey"),
}
"""How other files of sonde's begin, what they are, and who reads them."""
_NEWEST = max(SCHEMA_VERSIONS.values())
_KIND_WORDS: dict[ProfileKind, str] = {"contexts": "calling contexts", "memory": "memory accesses"}


class DatabaseWriter:
    """Writes one profile file; use it as a context manager.

    Leaving the block without an error commits and renames the file into place; leaving it
    with one deletes what was written.

    Raises:
        SondeError: `cannot-write`, the file cannot be created or written.
    """

    def __init__(self, path: Path, kind: ProfileKind, schema: Path) -> None:
        self._path = path
        with _writing(path):
            self._file = WholeFile(path)
            self._db = sqlite3.connect(self._file.partial, isolation_level=None)
        try:
            with _writing(path):
                # Durability comes from the rename below, not from a journal.
                self._db.execute("PRAGMA journal_mode = OFF")
                self._db.execute("PRAGMA synchronous = OFF")
                self._db.execute("PRAGMA auto_vacuum = NONE")  # what is made last lies last, see digest.py
                self._db.executescript(schema.read_text(encoding="utf-8"))
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSIONS[kind]}")
                self._db.execute("BEGIN")
        except BaseException:
            self._discard()
            raise

    def insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Append rows, each with a value for every column of the table."""
        with _writing(self._path):
            (columns,) = self._db.execute("SELECT count(*) FROM pragma_table_info(?)", (table,)).fetchone()
            places = ", ".join("?" * columns)
            self._db.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def write_meta(self, fields: Mapping[str, Any]) -> None:
        """Store facts about the profile as JSON."""
        self.insert("meta", [(key, json.dumps(value)) for key, value in fields.items()])

    def write_losses(self, losses: Iterable[Loss]) -> None:
        """Store what is missing."""
        self.insert("loss", ((i, loss.kind, loss.amount, storable(loss.detail)) for i, loss in enumerate(losses)))

    def write_sources(self, sources: Mapping[str, str]) -> None:
        """Store source texts, compressed."""
        texts = ((file, text.encode("utf-8", "surrogateescape")) for file, text in sources.items())
        self.insert("source", ((storable(file), zlib.compress(text, level=1)) for file, text in texts))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                with _writing(self._path):
                    digest.make_room(self._db)
                    self._db.execute("COMMIT")
                    self._db.close()
                    digest.seal(self._file.partial)
                    self._file.keep()
        finally:
            self._discard()

    def _discard(self) -> None:
        self._db.close()
        self._file.discard()


def kind_of_profile(path: Path) -> ProfileKind:
    """What a `.sonde` file is a profile of.

    Raises:
        InputError: missing, not a profile, newer than this sonde, truncated or corrupt.
    """
    with _opened(path) as db:
        return _kind(path, db)


@contextmanager
def reading(path: Path, kind: ProfileKind, *, again: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a profile for reading, turning every way it can be broken into an `InputError`.

    Args:
        again: its digest was checked just now.
    Raises:
        InputError: missing, not a profile of this kind, newer than this sonde, truncated or corrupt.
    """
    with _opened(path) as db:
        found = _kind(path, db)
        if found != kind:
            raise InputError(
                f"cannot read '{path}' as a profile of {_KIND_WORDS[kind]}: it is one of {_KIND_WORDS[found]}",
                slug="other-kind-of-profile",
                hint=f"sonde view {path}",
            )
        if not again and not digest.is_intact(path, db):
            raise corrupt(path, "its contents do not match its digest")
        yield db


def read_losses(db: sqlite3.Connection) -> tuple[Loss, ...]:
    """What the profile lacks."""
    return tuple(Loss(*row) for row in db.execute("SELECT kind, amount, detail FROM loss ORDER BY id"))


def read_sources(db: sqlite3.Connection) -> dict[str, str]:
    """Source texts by path."""
    rows = db.execute("SELECT file, text FROM source")
    return {file: zlib.decompress(text).decode("utf-8", "surrogateescape") for file, text in rows}


def corrupt(path: Path, fact: str) -> InputError:
    """The error for a file that cannot be what it says."""
    return InputError(
        f"cannot read profile '{path}': {fact}",
        slug="corrupt-profile",
        hint="it was damaged, or changed by another program, since sonde wrote it; copy it again or record it again",
    )


def storable(text: str) -> str:
    """SQLite keeps Unicode text; bytes of names that are not become `\\udcxx`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        raise InputError(f"cannot read profile '{path}': no such file", slug="no-such-profile")
    if path.is_dir():
        raise InputError(
            f"cannot read profile '{path}': it is a folder",
            slug="no-such-profile",
            hint="name a file in it; what compilers leave in folders is for sonde view, or sonde decisions",
        )
    _check_beginning(path)
    db = None
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        _check_header(path, db)
        yield db
    except (sqlite3.Error, zlib.error, LookupError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise corrupt(path, f"{type(error).__name__}: {error}") from error
    finally:
        if db is not None:
            db.close()


def _check_beginning(path: Path) -> None:
    """Say what a file is that can be seen not to be a profile without opening it as a database."""
    if not path.is_file():
        raise InputError(
            f"cannot read profile '{path}': it is a device or a pipe",
            slug="not-a-profile",
            hint="profiles are read from files: copy it into one",
        )
    try:
        with path.open("rb") as file:
            beginning = file.read(len(_SQLITE))
    except OSError as error:
        raise InputError(f"cannot read profile '{path}': {error.strerror}", slug="no-such-profile") from error
    if beginning[:8] in _OTHER_FILES:
        what, reader = _OTHER_FILES[beginning[:8]]
        raise InputError(
            f"cannot read profile '{path}': it is {what}", slug="not-a-profile", hint=reader.format(path=path)
        )
    if not beginning:
        raise corrupt(path, "it is empty")
    if not _SQLITE.startswith(beginning):
        raise InputError(
            f"cannot read profile '{path}': it is not a SQLite database, as all profiles are", slug="not-a-profile"
        )


def _check_header(path: Path, db: sqlite3.Connection) -> None:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application == _RESULTS_ID:
        raise InputError(
            f"cannot read profile '{path}': it holds results of sonde bench",
            slug="not-a-profile",
            hint=f"sonde bench show {path}",
        )
    if application != APPLICATION_ID:
        raise InputError(
            f"cannot read profile '{path}': it is a SQLite database, but not one of sonde's"
            f" (application id {application:#x}, sonde writes {APPLICATION_ID:#x})",
            slug="not-a-profile",
        )
    if (version := _version(db)) > _NEWEST:
        raise InputError(
            f"cannot read profile '{path}': it has schema version {version}, newest known is {_NEWEST}",
            slug="newer-profile",
            hint="upgrade sonde: pip install --upgrade sonde",
        )
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (page_size,) = db.execute("PRAGMA page_size").fetchone()
    size = path.stat().st_size
    if pages * page_size != size:
        raise corrupt(path, f"it has {size:,} bytes, its header promises {pages * page_size:,}")


def _kind(path: Path, db: sqlite3.Connection) -> ProfileKind:
    if _version(db) <= SCHEMA_VERSIONS["contexts"]:
        return "contexts"
    (stored,) = db.execute("SELECT value FROM meta WHERE key = 'kind'").fetchone()
    if json.loads(stored) != "memory":
        raise corrupt(path, f"it is of kind {stored}")
    return "memory"


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into a message that quotes the destination."""
    try:
        yield
    except (OSError, sqlite3.OperationalError, sqlite3.DatabaseError) as error:
        raise SondeError(
            f"cannot write profile '{path}': {_reason(error)}",
            slug="cannot-write",
            hint="choose another place with -o, or make room",
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
