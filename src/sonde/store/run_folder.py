"""The folder that holds the counts of a run until its profile is written, and whose it is.

The run that makes the folder holds a lock on a file in it for as long as it lives (`flock`, which ends with the
process), so that another run, or a verb that looks, can tell a run that goes on from one that was cut off.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from sonde.base.errors import SondeError, UsageError

_SUFFIX = "-live"
_LOCK = "lock"
KIND_SUFFIX = ".kind"
"""Of the empty file that is called after the kind of the run: it needs a name only, so a full disk has room for it."""


def live_folder(output: Path) -> Path:
    """Where the counts of a run live until `output` is written."""
    return output.with_name(output.name + _SUFFIX)


def output_of(folder: Path) -> Path:
    """What will be written when the run of a folder ends."""
    return folder.with_name(folder.name.removesuffix(_SUFFIX))


def written_before(output: Path, folder: Path) -> bool:
    """Whether a file is older than the run of a folder, as far as its lock tells."""
    try:
        return output.stat().st_mtime_ns <= (folder / _LOCK).stat().st_mtime_ns
    except OSError:
        return True


class RunFolder:
    """A folder of our own: nobody else removes it while we live.

    Args:
        path: does not exist.
        kind: name of what the run will write, by which what is left of it is recovered.
    Raises:
        SondeError: `cannot-write`, it cannot be made.
        UsageError: `run-in-use`, another run was quicker.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        # It gets its name when it is locked: before, it would look like one that was left behind.
        unnamed = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            unnamed.mkdir(mode=0o700)
            (unnamed / (kind + KIND_SUFFIX)).touch()
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
    def temporary(cls, kind: str) -> Self:
        """One that nobody will look for."""
        name = f"sonde-{kind}-{os.getpid()}-{time.monotonic_ns():x}{_SUFFIX}"
        return cls(Path(os.environ.get("TMPDIR") or "/tmp") / name, kind)

    @classmethod
    def beside(cls, output: Path, kind: str, *, force: bool) -> Self:
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
        return cls(folder, kind)

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


def in_use(folder: Path) -> UsageError:
    """The error for a folder whose run goes on."""
    try:
        whose = f" (process {(folder / _LOCK).read_text(encoding='ascii')})"
    except (OSError, ValueError):
        whose = ""
    return UsageError(
        f"cannot write '{output_of(folder)}': another run that is to write it goes on{whose}",
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
