"""A thread that samples the processes which write into a spool folder."""

import os
import threading
from pathlib import Path
from typing import Protocol

PERIOD_NS = 1_000_000
"""Between two looks, on average: a function with 1 % of a run of ten seconds is seen a hundred times."""
_SHORTEST_NS, _LONGEST_NS = 2_000_000, 50_000_000
"""How often we look for spools: soon after the last came, and when long none has."""


class Sampler(Protocol):
    """What looks at the processes of spools, in C; `run` lets other threads go on."""

    def add(self, path: bytes) -> bool:
        """Look at the process of a spool, too; false if that cannot be sampled, or not yet."""
        ...

    def run(self, ns: int) -> None:
        """Look over and over for so long, or until it is stopped."""
        ...

    def stop(self) -> None:
        """Called by another thread."""
        ...


class FolderSampling:
    """Finds the spools in a folder, those that come later too, and lets a sampler look at their processes."""

    def __init__(self, folder: Path, sampler: Sampler, name: str) -> None:
        self._folder = folder
        self._sampler = sampler
        self.paths: list[Path] = []
        """Of the spools that are sampled, in the order in which the sampler numbers them."""
        self.failed: set[Path] = set()
        """Spools that the system did not let us map."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, name=name, daemon=True)

    def begin(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def look_for_spools(self) -> bool:
        """Sample those that have come, too; whether there were any."""
        known, before = set(self.paths), len(self.paths)
        self.paths.extend(path for path in self._folder.glob("*.cells") if path not in known and self._add(path))
        return len(self.paths) > before

    def end(self) -> None:
        """Stop."""
        self._is_over.set()
        self._sampler.stop()
        if self._thread.ident is not None:
            self._thread.join()

    def _sample(self) -> None:
        pause_ns = _SHORTEST_NS
        while not self._is_over.is_set():
            has_new = self.look_for_spools()
            pause_ns = _SHORTEST_NS if has_new or not self.paths else min(2 * pause_ns, _LONGEST_NS)
            self._sampler.run(pause_ns)

    def _add(self, path: Path) -> bool:
        try:
            is_added = self._sampler.add(os.fsencode(path))
        except OSError:
            self.failed.add(path)  # it may be added the next time
            return False
        self.failed.discard(path)
        return is_added
