"""Writing results files: one invocation at a time, or all at once."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sonde.base.errors import UsageError
from sonde.base.whole_file import goal_of
from sonde.evidence import Doubt
from sonde.instruments.bench.measurements import Invocation, Measurements, Series
from sonde.instruments.bench.results_file.cells import read_all_meta
from sonde.instruments.bench.results_file.event import Event
from sonde.instruments.bench.results_file.lock import lock_file, writing
from sonde.instruments.bench.results_file.rows import (
    INSERT_INVOCATION,
    invocation_row,
    read_all_events,
    read_measurements,
    series_row,
    write_measurements,
)
from sonde.instruments.bench.stored_kind import STORED
from sonde.store import digest
from sonde.store.container import create_tables, storable
from sonde.store.reading import as_corrupt, reading
from sonde.store.writing import DatabaseWriter

_SYNC_EVERY_S = 0.25
"""How often what was written is also forced onto the disk, which takes milliseconds. Killing sonde loses nothing either
way; it is for power cuts."""
_WAIT_S = 60.0
"""How long a reader may hold up the writer."""


class ResultsWriter:
    """A results file that is being written; use it as a context manager.

    Args:
        path: the file.
        resume: go on with a file that exists; where there is none, begin one.
        force: replace a file that exists.
    Raises:
        UsageError: `output-exists`.
        SondeError: `cannot-write`, `results-in-use`.
        InputError: what is to be resumed is not a results file, or damaged.
    Guarantee: an invocation whose `record` has returned is in the file, wherever this process is killed after that.
    Cost: about 0.2 ms for each invocation, and a synchronisation of the disk four times a second.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ResultsWriter(Path(folder) / "run.sonde") as writer:
    ...         number = writer.add_series(Series("sort", "quick", "startup", ()))
    ...         writer.record(number, Invocation(np.array([0.25]), round=0, position=0))
    ...         writer.measurements().series[0].invocations[0].values
    array([0.25])
    """

    def __init__(self, path: Path, *, resume: bool = False, force: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        self._synced = 0.0
        self.has_recorded = False
        """Whether an invocation was stored since the file was opened."""
        self._is_safe = False
        was_there = path.exists()
        exists = was_there and (path.stat().st_size > 0 or not resume)
        if exists and not (resume or force):
            raise UsageError(
                f"cannot write results '{path}': it exists already",
                slug="output-exists",
                hint="add --resume to go on with it, or --force to overwrite it",
            )
        if exists and resume:
            with reading(path, STORED):
                pass
        self._had_some = exists and resume
        self._is_new = not was_there
        with writing(path, has_some=self._had_some):
            self._lock = lock_file(self.path, replace=exists and not resume)
            try:
                self._db = sqlite3.connect(self.path, isolation_level=None, timeout=_WAIT_S)
                self._db.execute("PRAGMA synchronous = OFF")  # what is written next is synchronised, and this with it
                if exists and resume:
                    self._db.execute("DROP TABLE IF EXISTS digest")
                else:
                    create_tables(self._db, STORED)
            except BaseException:
                self._remove_if_new()
                os.close(self._lock)
                raise

    def set_meta(self, **values: Any) -> None:
        """Store values under their names, in the place of what is there."""
        rows = [(key, json.dumps(value)) for key, value in values.items()]
        with self._storing():
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def meta(self, key: str) -> Any:
        """What is stored under a name; None if nothing is."""
        with as_corrupt(self.path):
            return read_all_meta(self._db).get(key)

    def add_series(self, series: Series) -> int:
        """The number of a series; it is stored, without invocations, if it is not there yet."""
        row = series_row(series)
        with self._storing():
            found = self._db.execute(
                "SELECT id FROM series WHERE (benchmark, alternative, metric) = (?, ?, ?)", (row[0], row[1], row[3])
            ).fetchone()
            if found is not None:
                return int(found[0])
            number = self._db.execute(f"INSERT INTO series VALUES (NULL{', ?' * 8})", row).lastrowid
        assert number is not None
        return number

    def set_steady(self, series: int) -> None:
        """Note that invocations of a series have iterations, which was not known when it was begun."""
        with self._storing():
            self._db.execute("UPDATE series SET mode = 'steady' WHERE id = ?", (series,))

    def record(self, series: int, invocation: Invocation) -> None:
        """Store an invocation.

        Raises:
            SondeError: `cannot-write`; the file holds what it held before.
        """
        with self._storing():
            self._db.execute(INSERT_INVOCATION, invocation_row(series, invocation))
        self.has_recorded = True

    def add_doubt(self, doubt: Doubt, *, round: int | None = None) -> bool:  # noqa: A002 - as Invocation has it
        """Store a doubt; whether it was not there already."""
        row = (*map(storable, (doubt.kind, doubt.detail, doubt.hint)), round)
        with self._storing():
            known = "SELECT 1 FROM doubt WHERE (slug, text) = (?, ?)"
            if self._db.execute(known, row[:2]).fetchone() is not None:
                return False
            self._db.execute("INSERT INTO doubt VALUES (NULL, ?, ?, ?, ?)", row)
        return True

    def drop_doubts(self, slug: str) -> None:
        """Forget doubts of a kind, which are found anew."""
        with self._storing():
            self._db.execute("DELETE FROM doubt WHERE slug = ?", (slug,))

    def add_event(self, kind: str, text: str = "") -> None:
        """Store what befalls the run, with the time."""
        with self._storing():
            self._db.execute("INSERT INTO event VALUES (NULL, ?, ?, ?)", (time.time(), kind, storable(text)))

    def events(self) -> tuple[Event, ...]:
        """What befell the run so far."""
        with as_corrupt(self.path):
            return read_all_events(self._db)

    def measurements(self) -> Measurements:
        """What is in the file so far, as `read_results` gives it."""
        with as_corrupt(self.path):
            return read_measurements(self._db, self.path)

    def close(self) -> None:
        """Leave the file to others, with its digest if there is room for it."""
        if self._lock < 0:
            return
        try:
            with suppress(OSError, sqlite3.Error):
                self._seal()
            self._db.close()
        finally:
            os.close(self._lock)
            self._lock = -1

    def give_up(self) -> None:
        """Close the file of a run that cannot begin. One that was not there before is removed."""
        self._remove_if_new()
        self.close()

    def _remove_if_new(self) -> None:
        if self._is_new and not self.has_recorded:
            self.path.unlink(missing_ok=True)

    def _seal(self) -> None:
        if not os.path.samestat(os.fstat(self._lock), self.path.stat()):
            return  # it was removed, and another is here by its name
        self._db.execute("BEGIN")
        digest.make_room(self._db)
        self._db.execute("COMMIT")
        digest.seal(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _storing(self) -> Iterator[None]:
        """Say what goes wrong, and synchronise the disk now and then."""
        now = time.monotonic()
        is_due = now - self._synced >= _SYNC_EVERY_S
        with writing(self.path, has_some=self._had_some or self.has_recorded):
            if is_due != self._is_safe:
                self._db.execute(f"PRAGMA synchronous = {'NORMAL' if is_due else 'OFF'}")
                self._is_safe = is_due
            yield
        if is_due:
            self._synced = now


def write_results(path: Path, measurements: Measurements, *, force: bool = False) -> None:
    """Write measurements that are there already, such as those of another tool; the file appears when it is whole.

    Args:
        force: replace a file that exists.
    Raises:
        UsageError: `output-exists`.
        SondeError: `cannot-write`, `results-in-use`.
    """
    if path.exists() and not force:
        raise UsageError(
            f"cannot write results '{path}': it exists already",
            slug="output-exists",
            hint="add --force to overwrite it",
        )
    with writing(path):
        goal = goal_of(path)
        if goal.exists():
            os.close(lock_file(goal, replace=False))  # nobody is writing into it
    with DatabaseWriter(path, STORED) as writer:
        write_measurements(writer, measurements)
