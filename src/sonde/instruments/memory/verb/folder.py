"""The folder of a run of `sonde memory`: the tool's record and what belongs to it, until the profile is written.

`sonde memory -o run.sonde` has it in `run.sonde-live/`, as `sonde contexts` does, so that there is room for both or
none. When sonde is killed the program is, too; its record is there a moment later, and every verb that reads
`run.sonde` recovers it.
"""

import json
import os
import select
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.source import RECORD, pid_of_tool, read_jit_code, read_record
from sonde.instruments.memory.stored_kind import STORED
from sonde.store.recovery import kind_of_run, nothing_to_recover
from sonde.store.run_folder import RunFolder, in_use, left_behind, live_folder

if TYPE_CHECKING:
    from sonde.instruments.memory.profile.memory_profile import MemoryProfile

_ABOUT = "memory-run.json"
"""What is run."""
_END_OF_TOOL_S = 30
"""A tool whose sonde has gone writes its record and ends: some seconds, if it has seen much."""
_SILENT_S = 1


class MemoryFolder(NamedTuple):
    """Where a run leaves what it finds out."""

    path: Path
    spare: Path | None
    """Another folder, on another disk perhaps, for what the first has no room for."""


class _About(NamedTuple):
    """What is known of a run besides its record."""

    command: tuple[str, ...] = ()
    tool: str = ""
    spare: str = ""
    started_at: float | None = None
    """Seconds since the epoch."""
    latencies: Latencies | None = None


@contextmanager
def memory_folder(
    output: Path | None, command: tuple[str, ...], tool: str, latencies: Latencies | None = None, *, force: bool
) -> Iterator[MemoryFolder]:
    """The folder of a run, which is removed at the end.

    Args:
        output: where the profile will go; None: nowhere, and the folder is a temporary one.
        force: whether what is left of another run may be thrown away.
    Raises:
        UsageError: `unfinished-run`, `run-in-use`: there is another run in it.
        SondeError: `cannot-write`.
    """
    if output is None:
        own, spare = RunFolder.temporary(STORED.name), None
    else:
        if force:
            _make_way(live_folder(output))
        own, spare = RunFolder.beside(output, STORED.name, force=force), _spare_folder()
    _write_about(own.path, _About(command, tool, str(spare or ""), time.time(), latencies))
    try:
        yield MemoryFolder(own.path, spare)
    finally:
        for each in filter(None, (own.path, spare)):
            shutil.rmtree(each, ignore_errors=True)
        own.close()


class UnfinishedMemory:
    """A run whose sonde was killed, or that goes on; see `sonde.store.recovery.UnfinishedRun`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has_ended(self) -> bool:
        """Whether the tool has ended, which it does soon when its sonde has."""
        pid = pid_of_tool(self._folder)
        if pid is None:
            return True
        try:
            process = os.pidfd_open(pid)
        except OSError:
            return True
        try:
            if select.select([process], [], [], _SILENT_S)[0]:
                return True
            print(f"sonde: waiting for process {pid} to end, whose sonde has been killed", file=sys.stderr)
            return bool(select.select([process], [], [], _END_OF_TOOL_S)[0])
        finally:
            os.close(process)

    def write(self, path: Path, *, goes_on: bool) -> None:
        """Write what was measured.

        Raises:
            InputError: `nothing-to-recover`, `damaged-memory-record`.
            SondeError: `cannot-write`.
        """
        from sonde.instruments.memory.profile import write_memory_profile

        write_memory_profile(path, _profile(self._folder, goes_on=goes_on))

    def remove(self) -> None:
        """Remove it and its spare folder, of that only what a run leaves there: its name was read from a file."""
        spare = _read_about(self._folder).spare
        if spare:
            with suppress(OSError):
                Path(spare, RECORD).unlink(missing_ok=True)
                Path(spare).rmdir()
        shutil.rmtree(self._folder, ignore_errors=True)


def _make_way(folder: Path) -> None:
    """Remove what a run of `sonde memory` has left behind, once its tool has ended."""
    if not folder.is_dir() or kind_of_run(folder) != STORED.name:
        return
    left = UnfinishedMemory(folder)
    with left_behind(folder) as is_over:
        if not is_over or not left.has_ended():
            raise in_use(folder)
        left.remove()


def _profile(folder: Path, *, goes_on: bool) -> "MemoryProfile":
    import platform

    from sonde import __version__
    from sonde.instruments.memory.profile.memory_profile import MemoryRun
    from sonde.instruments.memory.verb.sources import with_source_texts

    about = _read_about(folder)
    wait = "the first record is written after 2^28 accesses" if goes_on else ""
    record = Path(about.spare, RECORD)
    if not about.spare or not record.exists():
        record = folder / RECORD
    try:
        written_at = record.stat().st_mtime
    except OSError:
        raise nothing_to_recover(folder, "has written no record", wait=wait) from None
    started_at = written_at if about.started_at is None else about.started_at
    run = MemoryRun(
        command=about.command,
        started_at=datetime.fromtimestamp(started_at, UTC).isoformat(timespec="milliseconds"),
        duration_ns=max(0, round((written_at - started_at) * 1e9)),
        ended="still running" if goes_on else "cut off",
        machine=f"{platform.system()} {platform.machine()}",
        sonde_version=__version__,
        tool=about.tool,
        complete=False,
    )
    counted = read_record(record, read_jit_code(folder)).profile(run)
    if about.latencies is not None and not any(about.latencies.broken(len(counted.data_levels))):
        counted = replace(counted, measured_latencies=about.latencies)
    profile = with_source_texts(counted)
    if not profile.accesses:
        raise nothing_to_recover(folder, "has measured nothing", wait=wait)
    return profile


def _spare_folder() -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix="sonde-memory-"))
    except OSError:
        return None


def _write_about(folder: Path, about: _About) -> None:
    with suppress(OSError):  # a full disk: a recovery will not know the command, which is no reason to stop the run
        latencies = asdict(about.latencies) if about.latencies else None
        (folder / _ABOUT).write_text(json.dumps({**about._asdict(), "latencies": latencies}), encoding="utf-8")


def _read_about(folder: Path) -> _About:
    """What is known; nothing if the file is none that a run has written."""
    try:
        found = json.loads((folder / _ABOUT).read_bytes())
        command, started_at = tuple(map(str, found["command"])), float(found["started_at"])
        datetime.fromtimestamp(started_at, UTC)
        known = found.get("latencies")
        latencies = Latencies(tuple(map(int, known["cycles"])), known["source"]) if known else None
        return _About(command, str(found["tool"]), str(found["spare"]), started_at, latencies)
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return _About()
