"""A thread that samples the processes which write into a spool folder."""

import os
import threading
import time
from pathlib import Path
from typing import Protocol

PERIOD_NS = 1_000_000
"""Between two looks, on average: a function with 1 % of a run of ten seconds is seen a hundred times."""
_SHORTEST_NS, _LONGEST_NS = 2_000_000, 50_000_000
"""How often we look for spools: soon after the last came, and when long none has."""
_SETTLED_NS = 20_000_000
"""A folder that was changed longer ago than that shows by its time whether it has been since: twice the tick of the
slowest kernel, by which such times are told."""


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
    """Finds the spools in a folder, those that come later too, and lets a sampler look at their processes.

    Args:
        prompt: whether spools are to be found within some 2 ms: where what passes before that is lost.
    """

    def __init__(self, folder: Path, sampler: Sampler, name: str, *, prompt: bool = False) -> None:
        self._folder = folder
        self._sampler = sampler
        self.paths: list[Path] = []
        """Of the spools that are sampled, in the order in which the sampler numbers them."""
        self.failed: set[Path] = set()
        """Spools that the system did not let us map."""
        self._is_prompt = prompt
        self._settled_ns = -1
        """When the folder was changed last, if all that is in it since then is sampled."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, name=name, daemon=True)

    def begin(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def look_for_spools(self) -> bool:
        """Sample those that have come, too; whether there were any."""
        if self._is_prompt and self._settled_ns == self._changed_ns():
            return False
        changed_ns = self._changed_ns()
        known = set(self.paths)
        new = [path for path in self._folder.glob("*.cells") if path not in known]
        added = [path for path in new if self._add(path)]
        self.paths.extend(added)
        is_settled = len(added) == len(new) and time.time_ns() - changed_ns > _SETTLED_NS
        self._settled_ns = changed_ns if is_settled else -1
        return bool(added)

    def _changed_ns(self) -> int:
        try:
            return self._folder.stat().st_mtime_ns
        except OSError:
            return 0

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
            is_soon = has_new or not self.paths or self._is_prompt
            pause_ns = _SHORTEST_NS if is_soon else min(2 * pause_ns, _LONGEST_NS)
            self._sampler.run(pause_ns)

    def _add(self, path: Path) -> bool:
        try:
            is_added = self._sampler.add(os.fsencode(path))
        except OSError:
            self.failed.add(path)  # it may be added the next time
            return False
        self.failed.discard(path)
        return is_added
