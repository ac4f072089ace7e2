"""Lines that run, sampled from here while the program runs."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sonde._native import LineSampler, Spool

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile, Loss  # loaded while lines are sampled

PERIOD_NS = 1_000_000
"""Between two looks, on average: a function with 1 % of a run of ten seconds is seen a hundred times. Waking takes some
20 us, looking at a thread some 15."""
_FIRST_NS, _FURTHER_NS = 2_000_000, 50_000_000
"""How often we look for processes to sample: until there is one, and after."""


class LineSampling:
    """A thread of ours that looks which lines run in the processes whose agents write into a folder.

    Cost: 2 % of a processor, and 1.5 % for each thread of the program; nothing in the program itself. The rate drops
    where looking at all threads would take more than a tenth of the time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sampler = LineSampler(PERIOD_NS)
        self._paths: dict[Path, None] = {}
        """Of the processes that are sampled, in the order in which the sampler numbers them."""
        self._failed: set[Path] = set()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sonde lines", daemon=True)

    def begin(self) -> None:
        """Begin to sample."""
        self._thread.start()

    def look_for_processes(self) -> None:
        """Sample those that have begun, too."""
        for path in self._folder.glob("*.cells"):
            if path not in self._paths and self._add(path):
                self._paths[path] = None

    def end(self) -> None:
        """Stop."""
        self._is_over.set()
        self._sampler.stop()
        if self._thread.ident is not None:
            self._thread.join()

    def put_into(self, profile: "ContextProfile") -> "ContextProfile":
        """The profile with what was seen; the sampling ends. The folder must be as the agents left it."""
        from dataclasses import replace

        from sonde.events import function_of_code
        from sonde.instruments.contexts.profile import merged_line_samples

        self.end()
        functions = [Spool(os.fsencode(path)).functions for path in self._paths]
        parts = (
            {function_of_code(*functions[process][function]): {line: samples}}
            for process, function, line, samples in self._sampler.lines()
            if function < len(functions[process])
        )
        samples = merged_line_samples(parts)
        return replace(profile, line_samples=samples, losses=(*profile.losses, *self._losses()))

    def _sample(self) -> None:
        while not self._is_over.is_set():
            self.look_for_processes()
            self._sampler.run(_FURTHER_NS if self._paths else _FIRST_NS)

    def _add(self, path: Path) -> bool:
        try:
            is_added = self._sampler.add(os.fsencode(path))
        except OSError:
            self._failed.add(path)  # it may be added the next time
            return False
        self._failed.discard(path)
        return is_added

    def _losses(self) -> "list[Loss]":
        from sonde.instruments.contexts.profile import Loss

        forbidden, without_room = self._sampler.forbidden + len(self._failed), self._sampler.without_room
        detail = "the system does not let sonde read the memory of the program: its own time is not known by line"
        losses = [Loss("lines-not-sampled", forbidden, detail)] if forbidden else []
        if without_room:
            losses.append(Loss("lines-not-stored", without_room, "samples of lines found no room among 65,536 lines"))
        return losses
