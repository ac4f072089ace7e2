"""Files that appear whole or not at all: written under a temporary name beside their destination, then renamed."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from sonde.base.errors import SondeError


class WholeFile:
    """A file that gets its name when it is whole; use it as a context manager, or `keep` or `discard` it.

    A link is followed, wherever it leads, and its target replaced: a link that is an output stays a link. A device or
    a pipe is written directly.

    Raises:
        OSError: links lead in a circle.
    """

    def __init__(self, path: Path) -> None:
        self.goal = goal_of(path)
        """What is written in the end: not a link."""
        self._is_direct = self.goal.exists() and not self.goal.is_file()
        hidden = self.goal.with_name(f".{self.goal.name}.{os.getpid()}.partial")
        self.partial = self.goal if self._is_direct else hidden
        """What is to be written to."""

    def keep(self) -> None:
        """Give it its name."""
        if not self._is_direct:
            self.partial.replace(self.goal)

    def discard(self) -> None:
        """Delete it, unless it was kept."""
        if not self._is_direct:
            self.partial.unlink(missing_ok=True)

    def __enter__(self) -> Path:
        return self.partial

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.keep()
        finally:
            self.discard()


def goal_of(path: Path) -> Path:
    """What a path leads to when all links are followed; it need not exist.

    Raises:
        OSError: links lead in a circle.
    """
    goal = Path(os.path.realpath(path))
    if goal.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return goal


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a `WholeFile` for writing.

    Raises:
        SondeError: `cannot-write`.
    """
    try:
        with WholeFile(path) as partial, partial.open("wb") as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SondeError(
            f"cannot write '{path}': {error.strerror or error}",
            slug="cannot-write",
            hint="choose another place, or make room",
        ) from error
