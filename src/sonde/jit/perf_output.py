"""Both files from which perf learns the names of generated code: the map, and the dump with code and lines."""

from collections.abc import Iterable
from pathlib import Path

from sonde.events import CodeRange
from sonde.jit.jit_dump import JitDump
from sonde.jit.perf_map import PerfMap


class PerfOutput:
    """A perf map and a jitdump of this process."""

    def __init__(self, folder: Path) -> None:
        """Create both.

        Args:
            folder: for the dump; the map is where perf looks for it.
        Raises:
            SondeError: `cannot-write`.
        """
        self._map = PerfMap()
        try:
            self._dump = JitDump(folder)
        except BaseException:
            self._map.close()
            self._map.path.unlink()
            raise

    @property
    def paths(self) -> tuple[Path, Path]:
        """The map, the dump."""
        return self._map.path, self._dump.path

    def add(self, ranges: Iterable[CodeRange]) -> None:
        """Write what was loaded, before it runs. Raises: SondeError `cannot-write`."""
        ranges = list(ranges)
        self._map.add(ranges)
        self._dump.add(ranges)

    def close(self) -> None:
        """Write no more; the files stay, for perf."""
        self._map.close()
        self._dump.close()
