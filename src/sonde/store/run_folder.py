"""The folder that holds the counts of a run until its profile is written, and whose it is.

The run that makes the folder holds a lock on a file in it for as long as it lives (`flock`, which ends with the
process), so that another run, or a verb that looks, can tell a run that goes on from one that was cut off.
"""

import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from sonde.base.errors import SondeError, UsageError

_SUFFIX = "-live"
_LOCK = "lock"


def live_folder(output: Path) -> Path:
    """Where the counts of a run live until `output` is written."""
    return output.with_name(output.name + _SUFFIX)


class RunFolder:
    """A folder of our own: nobody else removes it while we live.

    Args:
        path: does not exist.
    Raises:
        SondeError: `cannot-write`, it cannot be made.
        UsageError: `run-in-use`, another run was quicker.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # It gets its name when it is locked: before, it would look like one that was left behind.
        unnamed = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            unnamed.mkdir(mode=0o700)
            self._lock = os.open(unnamed / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with suppress(OSError):  # a file system without locks: nobody can tell that we live
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            with suppress(OSError):  # a full disk: nobody can tell which process we are
                os.write(self._lock, str(os.getpid()).encode())
        except OSError as error:
            if unnamed.is_dir():
                remove_folder(unnamed)
            raise SondeError(
                f"cannot make the folder '{path}': {error.strerror}",
                slug="cannot-write",
                hint="set TMPDIR, or choose another place with -o",
            ) from error
        try:
            unnamed.rename(path)
        except OSError:
            self.close()
            remove_folder(unnamed)
            raise in_use(path) from None

    @classmethod
    def temporary(cls, prefix: str) -> Self:
        """One that nobody will look for; its name begins so."""
        name = f"{prefix}-{os.getpid()}-{time.monotonic_ns():x}{_SUFFIX}"
        return cls(Path(os.environ.get("TMPDIR") or "/tmp") / name)

    @classmethod
    def beside(cls, output: Path, *, force: bool) -> Self:
        """The one of a run that will write `output`.

        Args:
            force: whether what a run that was cut off has left there may be thrown away.
        Raises:
            SondeError: as the constructor.
            UsageError: `run-in-use`; `unfinished-run`, and `force` is false.
        """
        folder = live_folder(output)
        if folder.exists():
            with left_behind(folder) as is_over:
                if not is_over:
                    raise in_use(folder)
                if not force:
                    raise UsageError(
                        f"cannot write '{output}': '{folder}' holds a run that was cut off",
                        slug="unfinished-run",
                        hint=f"sonde view {output} recovers it; --force throws it away",
                    )
                remove_folder(folder)
        return cls(folder)

    def close(self) -> None:
        """Leave it to others."""
        os.close(self._lock)


@contextmanager
def left_behind(folder: Path) -> Iterator[bool]:
    """Whether the run of a folder is over, its launcher gone; if so, nobody else is told so within the block."""
    with ExitStack() as stack:
        try:
            lock = stack.enter_context((folder / _LOCK).open("rb"))
        except OSError:  # nobody ever locked it
            is_over = True
        else:
            is_over = _is_ours(lock.fileno(), folder)
        yield is_over


def _is_ours(lock: int, folder: Path) -> bool:
    with suppress(OSError):  # a file system without locks
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    try:
        # Since it was opened, the folder may have been removed, and another be here by its name.
        return os.path.samestat(os.fstat(lock), (folder / _LOCK).stat())
    except OSError:
        return False


def shown_or_kept(
    folder: Path, path: Path, write: Callable[[Path], None], *, goes_on: bool, remove: Callable[[Path], None]
) -> Path:
    """The file with what a run has left in its folder: `path`, or a snapshot of a run that goes on.

    Args:
        write: makes the profile.
        remove: takes the folder of a run that was cut off away.
    Raises:
        SondeError: as `write` does.
    """
    if goes_on:
        snapshot = folder / "snapshot.sonde"
        write(snapshot)
        print(f"sonde: the run of '{path}' still goes on; this is a snapshot", file=sys.stderr)
        return snapshot
    write(path)
    remove(folder)
    print(f"sonde: the run of '{path}' was cut off; recovered what it had counted", file=sys.stderr)
    return path


def in_use(folder: Path) -> UsageError:
    """The error for a folder whose run goes on."""
    try:
        whose = f" (process {(folder / _LOCK).read_text(encoding='ascii')})"
    except (OSError, ValueError):
        whose = ""
    output = folder.name.removesuffix(_SUFFIX)
    return UsageError(
        f"cannot write '{folder.with_name(output)}': another run that is to write it goes on{whose}",
        slug="run-in-use",
        hint="wait until it has ended, or choose another file with -o",
    )


def remove_folder(folder: Path) -> None:
    """Remove a folder of a run, which holds nothing but files."""
    try:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name == _LOCK):
            entry.unlink()
        folder.rmdir()
    except OSError as error:
        print(f"sonde: could not remove '{folder}': {error.strerror}", file=sys.stderr)
