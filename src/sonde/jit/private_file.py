"""Files under names that others can guess: made new, for this user only, through no link."""

import os
import stat
from pathlib import Path

from sonde.base.errors import SondeError


class PrivateFile:
    """A file that only this user may read and write, made in place of one that this user left there.

    In a folder where everybody may write, such as `/tmp`, someone else may have put a file or a link under its name
    beforehand: what is there is neither followed nor written to, and only a regular file of this user is replaced.
    """

    def __init__(self, path: Path, *, hint: str) -> None:
        """Create it.

        Args:
            hint: what to do about it, when it cannot be created.
        Raises:
            SondeError: `cannot-write`.
        """
        self.path = path
        try:
            _remove_own(path)
            number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _cannot_write(path, error, hint) from error
        self._stream = os.fdopen(number, "wb")

    @property
    def descriptor(self) -> int:
        return self._stream.fileno()

    @property
    def is_open(self) -> bool:
        return not self._stream.closed

    def write(self, data: bytes) -> None:
        """Append; the data is in the file when this returns.

        Raises:
            SondeError: `cannot-write`.
        """
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError as error:
            raise _cannot_write(self.path, error, "make room") from error

    def close(self) -> None:
        """Write no more; the file stays.

        Raises:
            SondeError: `cannot-write`: what could not be written still cannot.
        """
        try:
            self._stream.close()
        except OSError as error:
            raise _cannot_write(self.path, error, "make room") from error


def _remove_own(path: Path) -> None:
    """Remove what an earlier process of the same number left."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid():
        path.unlink()


def _cannot_write(path: Path, error: OSError, hint: str) -> SondeError:
    return SondeError(f"cannot write '{path}': {error.strerror}", slug="cannot-write", hint=hint)
