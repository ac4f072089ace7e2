"""Lines that run, sampled from here while the program runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sonde._native import LineSampler, Spool
from sonde.instruments.contexts.sources.sampling.folder_sampling import PERIOD_NS, FolderSampling

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile, Loss  # loaded while lines are sampled


class LineSampling:
    """A thread of ours that looks which lines run in the processes whose agents write into a folder.

    Cost: 2 % of a processor, and 1.5 % for each thread of the program; nothing in the program itself. The rate drops
    where looking at all threads would take more than a tenth of the time.
    """

    def __init__(self, folder: Path) -> None:
        self._sampler = LineSampler(PERIOD_NS)
        self._sampling = FolderSampling(folder, self._sampler, "sonde lines")

    def begin(self) -> None:
        """Begin to sample."""
        self._sampling.begin()

    def look_for_processes(self) -> None:
        """Sample those that have begun, too."""
        self._sampling.look_for_spools()

    def end(self) -> None:
        """Stop."""
        self._sampling.end()

    def put_into(self, profile: "ContextProfile") -> "ContextProfile":
        """The profile with what was seen; the sampling ends. The folder must be as the agents left it."""
        from dataclasses import replace

        from sonde.events import function_of_code
        from sonde.instruments.contexts.profile import merged_line_samples

        self.end()
        functions = [Spool(os.fsencode(path)).functions for path in self._sampling.paths]
        parts = (
            {function_of_code(*functions[process][function]): {line: samples}}
            for process, function, line, samples in self._sampler.lines()
            if function < len(functions[process])
        )
        samples = merged_line_samples(parts)
        return replace(profile, line_samples=samples, losses=(*profile.losses, *self._losses()))

    def _losses(self) -> "list[Loss]":
        from sonde.instruments.contexts.profile import Loss

        forbidden, without_room = self._sampler.forbidden + len(self._sampling.failed), self._sampler.without_room
        detail = "the system does not let sonde read the memory of the program: its self time is not known by line"
        losses = [Loss("lines-not-sampled", forbidden, detail)] if forbidden else []
        if without_room:
            losses.append(Loss("lines-not-stored", without_room, "samples of lines found no room among 65,536 lines"))
        return losses
