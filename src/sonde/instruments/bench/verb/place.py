"""Where the results of a run are while it goes on, and what becomes of them when it ends."""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import SondeError

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Measurements, Series
    from sonde.instruments.bench.results_file import ResultsWriter

_PREFIX = "sonde-bench-"
_NAME = "results.sonde"
_STALE_S = 86400.0
"""For a day, what a run left that was killed can be looked for."""


class Place:
    """The file that was named, or a temporary one that stays when the run is cut off."""

    def __init__(self, named: Path | None) -> None:
        self.is_temporary = named is None
        self._folder: Path | None = None
        if named is None:
            remove_stale(Path(tempfile.gettempdir()))
            self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self.path = named if named is not None else Path(self._folder or "") / _NAME
        self._was_there = self.path.exists()
        self._writer: ResultsWriter | None = None
        self._identity: tuple[int, int] | None = None
        self._is_done = False
        self.is_kept = True

    def is_open(self, writer: "ResultsWriter") -> None:
        """From now on it may hold something worth keeping."""
        self._writer = writer
        self._identity = _identity(self.path)

    def is_done(self) -> None:
        """All that was to be measured will be reported."""
        self._is_done = True

    def stored(self, expected: "Sequence[Series]") -> "Measurements | None":
        """What is in the file; None if it was removed, replaced or spoilt, or has less than is expected."""
        from sonde.instruments.bench.results_file import read_results

        if self._writer is None or not self._is_ours():
            return None
        try:
            found = read_results(self._writer.path)
        except SondeError:
            return None
        counts = {(one.benchmark, one.alternative): len(one.invocations) for one in found.series}
        whole = all(counts.get((one.benchmark, one.alternative), 0) >= len(one.invocations) for one in expected)
        return found if whole else None

    def rescue(self, measurements: "Measurements") -> Path | None:
        """Write what is known into a new file beside the lost one, or else a temporary one; None if neither will do."""
        from sonde.instruments.bench.results_file import write_results

        for is_beside in (True, False):
            try:
                folder = self.path.parent if is_beside else Path(tempfile.mkdtemp(prefix="sonde-rescued-"))
                goal = folder / f"{self.path.stem}.rescued{self.path.suffix}"
                number = 1
                while goal.exists():
                    number += 1
                    goal = folder / f"{self.path.stem}.rescued-{number}{self.path.suffix}"
                write_results(goal, measurements)
            except (SondeError, OSError):
                continue
            return goal
        return None

    def __enter__(self) -> "Place":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        has_some = self._writer is not None and self._writer.has_recorded
        is_ours = self._is_ours()
        with _undisturbed():
            if self._folder is not None:
                self.is_kept = has_some and not self._is_done and is_ours
                if not self.is_kept:
                    shutil.rmtree(self._folder, ignore_errors=True)
            elif not is_ours:
                self.is_kept = False
            elif not has_some and not self._was_there:
                self.is_kept = False
                self.path.unlink(missing_ok=True)
        if kind is not None and self.is_kept and has_some:
            print(f"sonde: what was measured is in '{self.path}'", file=sys.stderr)

    def _is_ours(self) -> bool:
        """Whether the file is the one that was opened, and has not been emptied."""
        from sonde.instruments.bench.results_file import is_results_file

        try:
            return self._identity is not None and self._identity == _identity(self.path) and is_results_file(self.path)
        except OSError:
            return False


def remove_stale(folder: Path) -> None:
    """Remove what runs without `-o` left that were killed more than a day ago; of others the name was told."""
    for left in folder.glob(f"{_PREFIX}*"):
        try:
            status = left.lstat()
            is_old = time.time() - max(status.st_mtime, *(one.lstat().st_mtime for one in left.iterdir())) > _STALE_S
            if left.is_symlink() or status.st_uid != os.geteuid() or not is_old:
                continue
            with (left / _NAME).open("rb") as results:
                fcntl.flock(results, fcntl.LOCK_EX | fcntl.LOCK_NB)  # its writer is gone
                if not _was_told(left / _NAME):
                    shutil.rmtree(left, ignore_errors=True)
        except (OSError, TypeError):  # it is another's, in use, or empty
            continue


def _was_told(path: Path) -> bool:
    from sonde.instruments.bench.results_file import read_events

    try:
        events = read_events(path)
    except SondeError:
        return False
    return bool(events) and events[-1].kind == "interrupted"


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals wait, lest a second one leaves a folder behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
