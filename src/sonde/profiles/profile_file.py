"""The profile file: one SQLite database, readable by any SQL client.

The schema is `schema.sql` beside this file, its version is SQLite's `user_version`. A file
is written under a temporary name beside its destination and renamed into place when it is
whole, so a reader never meets half a profile under the final name.
"""

import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sonde.errors import InputError, SondeError
from sonde.events import FUNCTION_KINDS, Function
from sonde.profiles.approximation import Approximation, Sampling
from sonde.profiles.context_profile import (
    NO_PARENT,
    ContextProfile,
    Contexts,
    Loss,
    MeasuredProcess,
    Run,
)
from sonde.profiles.function_totals import FunctionTotals, function_totals

APPLICATION_ID = 0x536F6E64
_RESULTS_ID = 0x536F6E62
"""Of the results files of sonde bench, which have the same suffix."""
SCHEMA_VERSION = 2
_SCHEMA = Path(__file__).with_name("schema.sql")

ContextRow = tuple[int, int | None, int, int, int, int, int, int, int | None, int | None, int | None]
"""id, parent, function, call_line, calls, total_calls, self_ns, total_ns, error, calls_deviation, ns_deviation."""

_UNLISTED = ("pruned_contexts", "pruned_root_calls", "pruned_root_ns")
_NOT_OF_THE_RUN = ("approximation", "sampling", *_UNLISTED)
"""Keys of `meta` that are fields of the profile; all others are fields of its run."""


class ProfileWriter:
    """Writes one profile file; use it as a context manager.

    Leaving the block without an error commits and renames the file into place; leaving it
    with one deletes what was written.

    Raises:
        SondeError: `cannot-write`, the file cannot be created or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        path = self._path
        self._partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        with _writing(path):
            self._db = sqlite3.connect(self._partial, isolation_level=None)
            # Durability comes from the rename below, not from a journal.
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.executescript(_SCHEMA.read_text(encoding="utf-8"))
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._db.execute("BEGIN")

    def write_functions(self, functions: Iterable[Function]) -> None:
        """Store the function table, in id order."""
        rows = (
            (i, _storable(f.name), _storable(f.module), _storable(f.file), f.first_line, f.kind)
            for i, f in enumerate(functions)
        )
        self._insert("INSERT INTO function VALUES (?, ?, ?, ?, ?, ?)", rows)

    def write_contexts(self, rows: Iterable[ContextRow]) -> None:
        """Store contexts; parents before children."""
        self._insert("INSERT INTO context VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def write_exactness(self, profile: ContextProfile) -> None:
        """Store how far the values may be from the truth, and what is in no context."""
        bounds = {"approximation": profile.approximation, "sampling": profile.sampling}
        meta = {key: None if value is None else asdict(value) for key, value in bounds.items()}
        meta |= {key: getattr(profile, key) for key in _UNLISTED}
        self._insert("INSERT INTO meta VALUES (?, ?)", [(key, json.dumps(value)) for key, value in meta.items()])

    def write_run(self, run: Run, processes: Iterable[MeasuredProcess], losses: Iterable[Loss]) -> None:
        """Store what was run and what is missing."""
        meta = [(key, json.dumps(value)) for key, value in asdict(run).items()]
        self._insert("INSERT INTO meta VALUES (?, ?)", meta)
        rows = (
            (i, p.pid, p.parent_pid, _storable(p.command), p.python, p.mechanism, p.threads, p.calls, p.ended)
            for i, p in enumerate(processes)
        )
        self._insert("INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        lost = ((i, loss.kind, loss.amount, _storable(loss.detail)) for i, loss in enumerate(losses))
        self._insert("INSERT INTO loss VALUES (?, ?, ?, ?)", lost)

    def write_sources(self, sources: Mapping[str, str]) -> None:
        """Store source texts, compressed."""
        texts = ((file, text.encode("utf-8", "surrogateescape")) for file, text in sources.items())
        rows = ((_storable(file), zlib.compress(text, level=1)) for file, text in texts)
        self._insert("INSERT INTO source VALUES (?, ?)", rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                with _writing(self._path):
                    self._db.execute("COMMIT")
                    self._db.close()
                    self._partial.replace(self._path)
        finally:
            self._db.close()
            self._partial.unlink(missing_ok=True)

    def _insert(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with _writing(self._path):
            self._db.executemany(statement, rows)


def write_profile(path: Path, profile: ContextProfile) -> None:
    """Write a profile value as a `.sonde` file, replacing what is there.

    Raises:
        SondeError: `cannot-write` when the file cannot be created or the disk is full.
    """
    tree = profile.contexts
    with ProfileWriter(path) as writer:
        writer.write_functions(profile.functions)
        writer.write_contexts(
            (row, None if parent == NO_PARENT else parent, *values)
            for row, (parent, *values) in enumerate(
                zip(
                    tree.parent,
                    tree.function,
                    tree.call_line,
                    tree.calls,
                    tree.total_calls,
                    tree.self_ns,
                    tree.total_ns,
                    *(column if len(column) else repeat(None, len(tree)) for column in _optional(tree)),
                    strict=True,
                )
            )
        )
        writer.write_exactness(profile)
        writer.write_run(profile.run, profile.processes, profile.losses)
        writer.write_sources(profile.sources)


def read_profile(path: Path, *, heaviest: int | None = None, with_sources: bool = True) -> ContextProfile:
    """Read a `.sonde` file.

    Args:
        heaviest: read only this many contexts, those with the largest inclusive weight
            (time, or calls when no time was measured); the result is still a tree.
        with_sources: also read the stored source texts.
    Raises:
        InputError: missing, not a profile, newer than this sonde, truncated or corrupt.
    Cost: O(n) over the stored contexts inside SQLite; O(heaviest) in Python when given.
    """
    with _reading(path) as db:
        meta = _read_meta(db)
        stored = db.execute("SELECT count(*) FROM context").fetchone()[0]
        columns = _read_contexts(db, meta, heaviest if heaviest is None or heaviest < stored else None)
        pruned = stored - len(columns)
        unlisted_calls, unlisted_ns = _unlisted_roots(db, columns) if pruned else (0, 0)
        functions = tuple(
            Function(name, module, file, line, kind)
            for name, module, file, line, kind in db.execute(
                "SELECT name, module, file, first_line, kind FROM function ORDER BY id"
            )
        )
        profile = ContextProfile(
            functions=functions,
            contexts=columns,
            run=Run(**{key: value for key, value in meta.items() if key not in _NOT_OF_THE_RUN}),
            processes=tuple(
                MeasuredProcess(*row)
                for row in db.execute(
                    "SELECT pid, parent_pid, command, python, mechanism, threads, calls, ended FROM process ORDER BY id"
                )
            ),
            losses=tuple(Loss(*row) for row in db.execute("SELECT kind, amount, detail FROM loss ORDER BY id")),
            sources=_read_sources(db) if with_sources else {},
            pruned_contexts=meta["pruned_contexts"] + pruned,
            pruned_root_calls=meta["pruned_root_calls"] + unlisted_calls,
            pruned_root_ns=meta["pruned_root_ns"] + unlisted_ns,
            approximation=None if meta["approximation"] is None else Approximation(**meta["approximation"]),
            sampling=None if meta["sampling"] is None else Sampling(**meta["sampling"]),
        )
    _check_references(path, profile)
    return profile


def read_function_totals(path: Path, heaviest: ContextProfile) -> FunctionTotals:
    """Sum up all contexts of a profile file of which only the heaviest were read.

    Args:
        path: the file that `heaviest` was read from.
    Returns:
        totals whose `contexts`, `calls` and `self_ns` are those of the whole file, while `total_calls` and
        `total_ns` come from the contexts read: they are lower bounds.
    Raises:
        InputError: the file is damaged.
    Cost: O(n) inside SQLite, a third of a second per million contexts.
    """
    read = function_totals(heaviest)
    contexts, calls, self_ns = (array("q", bytes(8 * len(heaviest.functions))) for _ in range(3))
    with _reading(path) as db:
        query = "SELECT function, count(*), sum(calls), sum(self_ns) FROM context GROUP BY function"
        for function, *sums in db.execute(query):
            contexts[function], calls[function], self_ns[function] = sums
    # What a function did itself is in its inclusive values, whether its contexts were read or not.
    total_calls, total_ns = (
        array("q", map(max, own, inclusive)) for own, inclusive in ((calls, read.total_calls), (self_ns, read.total_ns))
    )
    return FunctionTotals(contexts, calls, total_calls, self_ns, total_ns)


def _read_contexts(db: sqlite3.Connection, meta: dict[str, Any], heaviest: int | None) -> Contexts:
    weight = "total_calls" if meta["clock"] == "none" else "total_ns"

    def select(names: str) -> sqlite3.Cursor:
        if heaviest is None:
            return db.execute(f"SELECT {names} FROM context ORDER BY id")
        # A parent weighs at least as much as its child and has a smaller id, so a prefix of
        # this order is closed under "parent of"; the outer query restores the id order.
        inner = f"SELECT * FROM context ORDER BY {weight} DESC, id LIMIT ?"
        return db.execute(f"SELECT {names} FROM ({inner}) ORDER BY id", (heaviest,))

    def read_optional(name: str, *, is_there: bool) -> Sequence[int]:
        values = [value for (value,) in select(name)] if is_there else []
        return array("q", values) if any(value is not None for value in values) else ()

    columns = tuple(array("q") for _ in range(7))
    add = tuple(column.append for column in columns)
    add_parent, add_function, add_line, add_calls, add_total_calls, add_self, add_total = add
    row_of: dict[int | None, int] = {None: NO_PARENT}
    rows = select("id, parent, function, call_line, calls, total_calls, self_ns, total_ns")
    for number, (identity, parent, function, line, calls, total_calls, self_ns, total_ns) in enumerate(rows):
        row_of[identity] = number
        add_parent(row_of[parent])
        add_function(function)
        add_line(line)
        add_calls(calls)
        add_total_calls(total_calls)
        add_self(self_ns)
        add_total(total_ns)
    is_sampled = meta["sampling"] is not None
    return replace(
        Contexts(*columns),
        error=read_optional("error", is_there=meta["approximation"] is not None),
        calls_deviation=read_optional("calls_deviation", is_there=is_sampled),
        ns_deviation=read_optional("ns_deviation", is_there=is_sampled),
    )


def _optional(tree: Contexts) -> tuple[Sequence[int], ...]:
    return (tree.error, tree.calls_deviation, tree.ns_deviation)


def _unlisted_roots(db: sqlite3.Connection, listed: Contexts) -> tuple[int, int]:
    """Calls and nanoseconds of the roots that were not read."""
    calls, total_ns = db.execute("SELECT sum(total_calls), sum(total_ns) FROM context WHERE parent IS NULL").fetchone()
    for parent, root_calls, root_ns in zip(listed.parent, listed.total_calls, listed.total_ns, strict=True):
        if parent == NO_PARENT:
            calls -= root_calls
            total_ns -= root_ns
    return int(calls), int(total_ns)


def _read_meta(db: sqlite3.Connection) -> dict[str, Any]:
    """What `meta` holds, with what files of schema version 1 lack: they are exact."""
    stored: dict[str, Any] = {"approximation": None, "sampling": None} | dict.fromkeys(_UNLISTED, 0)
    stored |= {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM meta")}
    stored["command"] = tuple(stored["command"])
    return stored


def _read_sources(db: sqlite3.Connection) -> dict[str, str]:
    rows = db.execute("SELECT file, text FROM source")
    return {file: zlib.decompress(text).decode("utf-8", "surrogateescape") for file, text in rows}


def _check_references(path: Path, profile: ContextProfile) -> None:
    tree = profile.contexts
    required = (tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    values = (*required, *(column for column in _optional(tree) if len(column)))
    if len(tree) and min(min(column) for column in values) < 0:
        raise _corrupt(path, "a context has a negative value")
    if min(profile.pruned_contexts, profile.pruned_root_calls, profile.pruned_root_ns) < 0:
        raise _corrupt(path, "what is in no context has a negative value")
    if any(not 0 <= function < len(profile.functions) for function in profile.contexts.function):
        raise _corrupt(path, "a context names a function that is not in the file")
    if any(function.kind not in FUNCTION_KINDS for function in profile.functions):
        raise _corrupt(path, "a function has an unknown kind")


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a profile for reading, turning every way it can be broken into an `InputError`."""
    if not path.exists():
        raise InputError(f"cannot read profile '{path}': no such file", slug="no-such-profile")
    if path.is_dir():
        raise InputError(f"cannot read profile '{path}': it is a folder", slug="no-such-profile")
    db = None
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        _check_header(path, db)
        yield db
    except (sqlite3.Error, zlib.error, LookupError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise _corrupt(path, f"{type(error).__name__}: {error}") from error
    finally:
        if db is not None:
            db.close()


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
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise InputError(
            f"cannot read profile '{path}': it has schema version {version}, newest known is {SCHEMA_VERSION}",
            slug="newer-profile",
            hint="upgrade sonde: pip install --upgrade sonde",
        )
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (page_size,) = db.execute("PRAGMA page_size").fetchone()
    size = path.stat().st_size
    if pages * page_size != size:
        raise _corrupt(path, f"it has {size:,} bytes, its header promises {pages * page_size:,}")


def _corrupt(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot read profile '{path}': {fact}",
        slug="corrupt-profile",
        hint="the file is damaged or not a sonde profile; copy it again or record it again",
    )


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


def _storable(text: str) -> str:
    """SQLite keeps Unicode text; bytes of names that are not become `\\udcxx`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
