"""Perf maps: how `perf report` learns the names of code that is in no file."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from sonde.events import CodeRange
from sonde.jit.private_file import PrivateFile

FOLDER = Path("/tmp")
"""Where perf looks, and nowhere else."""


def perf_map_path(folder: Path = FOLDER) -> Path:
    """Where the map of this process belongs."""
    return folder / f"perf-{os.getpid()}.map"


class PerfMap:
    """Writes `/tmp/perf-PID.map`: a line `START SIZE NAME`, in hexadecimal, for each function.

    The file stays when the process ends, since perf reads it afterwards. A map knows no time and nothing of lines: of
    code at addresses that were used twice, perf shows either name. A `JitDump` has neither fault.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with PerfMap(folder) as map:
    ...     map.add([CodeRange(0x7f0000001000, 32, "fib", "O2")])
    >>> map.path.read_text()
    '7f0000001000 20 fib[O2]\\n'
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        """Create the file.

        Raises:
            SondeError: `cannot-write`: someone else's file is there, say.
        """
        self.path = perf_map_path(folder)
        self._file = PrivateFile(self.path, hint=f"remove '{self.path}', or do without a perf map")

    def add(self, ranges: Iterable[CodeRange]) -> None:
        """Append functions; they are in the file when this returns.

        Raises:
            SondeError: `cannot-write`.
        """
        lines = (f"{each.start:x} {each.size:x} {safe_name(each.label)}\n" for each in ranges)
        self._file.write("".join(lines).encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Write no more."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def safe_name(name: str) -> str:
    """A name for one line of text: without line ends and other control characters. Spaces are no harm to perf.

    >>> safe_name("operator new(unsigned long)\\nx")
    'operator new(unsigned long)?x'
    """
    return "".join("?" if each < " " or each == "\x7f" else each for each in name) or "?"
