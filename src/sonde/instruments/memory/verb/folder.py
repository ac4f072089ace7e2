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
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.errors import InputError
from sonde.instruments.memory.source import RECORD, pid_of_tool, read_jit_code, read_record
from sonde.store.run_folder import RunFolder, in_use, left_behind, live_folder, shown_or_kept

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


@contextmanager
def memory_folder(output: Path | None, command: tuple[str, ...], tool: str, *, force: bool) -> Iterator[MemoryFolder]:
    """The folder of a run, which is removed at the end.

    Args:
        output: where the profile will go; None: nowhere, and the folder is a temporary one.
        force: whether what is left of another run may be thrown away.
    Raises:
        UsageError: `unfinished-run`, `run-in-use`: there is another run in it.
        SondeError: `cannot-write`.
    """
    if output is None:
        own, spare = RunFolder.temporary("sonde-memory"), None
    else:
        if force:
            _make_way(live_folder(output))
        own, spare = RunFolder.beside(output, force=force), _spare_folder()
    _write_about(own.path, _About(command, tool, str(spare or ""), time.time()))
    try:
        yield MemoryFolder(own.path, spare)
    finally:
        for each in filter(None, (own.path, spare)):
            shutil.rmtree(each, ignore_errors=True)
        own.close()


def is_memory_run(folder: Path) -> bool:
    """Whether it is the folder of a run of `sonde memory`."""
    return (folder / _ABOUT).exists()


def recover_memory(folder: Path, path: Path) -> Path:
    """The profile of a run whose sonde was killed, written to `path`; or a snapshot of a run that goes on.

    An older profile at `path` was to be replaced: it is, but only by the profile of a run that has ended.

    Raises:
        InputError: `nothing-to-recover`, where there is no older profile; `damaged-memory-record`.
        SondeError: `cannot-write`.
    """
    from sonde.instruments.memory.profile import write_memory_profile

    with left_behind(folder) as is_over:
        goes_on = not is_over or not _has_ended(folder)
        is_older = path.exists()
        if is_older and goes_on:
            print(f"sonde: '{path}' is of an earlier run; the one that will replace it still goes on", file=sys.stderr)
            return path
        try:
            profile = _profile(folder, path, goes_on=goes_on)
        except InputError as error:
            if not is_older or error.slug != "nothing-to-recover":
                raise
            print(f"sonde: '{path}' is of an earlier run: {error}", file=sys.stderr)
            return path
        return shown_or_kept(
            folder, path, lambda file: write_memory_profile(file, profile), goes_on=goes_on, remove=_remove
        )


def _make_way(folder: Path) -> None:
    """Remove what a run of `sonde memory` has left behind, once its tool has ended."""
    if not is_memory_run(folder):
        return
    with left_behind(folder) as is_over:
        if not is_over or not _has_ended(folder):
            raise in_use(folder)
        _remove(folder)


def _has_ended(folder: Path) -> bool:
    """Whether the tool has ended, which it does soon when its sonde has."""
    pid = pid_of_tool(folder)
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


def _profile(folder: Path, path: Path, *, goes_on: bool) -> "MemoryProfile":
    import platform

    from sonde import __version__
    from sonde.instruments.memory.profile.memory_profile import MemoryRun
    from sonde.instruments.memory.verb.sources import with_source_texts

    about = _read_about(folder)
    record = Path(about.spare, RECORD)
    if not about.spare or not record.exists():
        record = folder / RECORD
    try:
        written_at = record.stat().st_mtime
    except OSError:
        raise _nothing(folder, path, "the tool has written no record", goes_on=goes_on) from None
    started_at = written_at if about.started_at is None else about.started_at
    run = MemoryRun(
        command=about.command,
        started_at=datetime.fromtimestamp(started_at, UTC).isoformat(timespec="seconds"),
        duration_ns=max(0, round((written_at - started_at) * 1e9)),
        ended="still running" if goes_on else "cut off",
        machine=f"{platform.system()} {platform.machine()}",
        sonde_version=__version__,
        tool=about.tool,
        complete=False,
    )
    profile = with_source_texts(read_record(record, read_jit_code(folder)).profile(run))
    if not profile.accesses:
        raise _nothing(folder, path, "it has measured nothing", goes_on=goes_on)
    return profile


def _nothing(folder: Path, path: Path, fact: str, *, goes_on: bool) -> InputError:
    return InputError(
        f"cannot recover '{path}': of the run in '{folder}', {fact}",
        slug="nothing-to-recover",
        hint="wait: the first record is written after 2^28 accesses" if goes_on else f"rm -r {folder}",
    )


def _spare_folder() -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix="sonde-memory-"))
    except OSError:
        return None


def _remove(folder: Path) -> None:
    """Remove a folder and its spare one, of which only what a run leaves there: its name was read from a file."""
    spare = _read_about(folder).spare
    if spare:
        with suppress(OSError):
            Path(spare, RECORD).unlink(missing_ok=True)
            Path(spare).rmdir()
    shutil.rmtree(folder, ignore_errors=True)


def _write_about(folder: Path, about: _About) -> None:
    with suppress(OSError):  # a full disk: a recovery will not know the command, which is no reason to stop the run
        (folder / _ABOUT).write_text(json.dumps(about._asdict()), encoding="utf-8")


def _read_about(folder: Path) -> _About:
    """What is known; nothing if the file is none that a run has written."""
    try:
        found = json.loads((folder / _ABOUT).read_bytes())
        command, started_at = tuple(map(str, found["command"])), float(found["started_at"])
        datetime.fromtimestamp(started_at, UTC)
        return _About(command, str(found["tool"]), str(found["spare"]), started_at)
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return _About()
