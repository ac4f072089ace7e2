"""In which contexts time passes that agents count the calls of, sampled from here while the program runs."""

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sonde._native import ContextSampler, Spool
from sonde.instruments.contexts.sources.sampling.folder_sampling import PERIOD_NS

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile, Loss  # loaded while times are sampled

_NOTABLE = 0.01
"""Share of the time from which it is worth saying that it was not sampled."""


class CallSampling:
    """A thread of ours that looks in which contexts the threads are whose calls agents count into a folder, and writes
    there what time has passed: nanoseconds, `ticks` of the spools' contexts, and the squares of them.

    Args:
        folder: the spool folder.
        is_processor: whether time passes only while a thread has a processor, or wants one.
        period_ns: mean time from one look to the next.

    Cost: 1 to 2 % of a processor for one thread; nothing in the program itself. Of processor time, threads that are
    ready cost 1 % each. The rate drops where looking at all would take more than a quarter of a processor.
    """

    def __init__(self, folder: Path, *, is_processor: bool, period_ns: int = PERIOD_NS) -> None:
        self._period_ns = period_ns
        self._sampler = ContextSampler(os.fsencode(folder), period_ns, is_processor)
        self._thread = threading.Thread(target=self._sampler.run, name="sonde times", daemon=True)
        self._is_over = False

    def begin(self) -> None:
        """Begin to sample the processes of all spools that come into the folder."""
        self._thread.start()

    def end(self) -> None:
        """Stop, after a last look."""
        self._sampler.stop()
        if self._thread.ident is not None:
            self._thread.join()
        if not self._is_over:
            self._sampler.look()
        self._is_over = True

    def put_into(self, profile: "ContextProfile") -> "ContextProfile":
        """A profile of the spools with how it was sampled, what is missing of its times, and how surely the own times
        of functions are known."""
        from dataclasses import replace

        from sonde.instruments.contexts.profile import Sampling

        sums = self._sampler.sums()
        sampling = Sampling(
            interval_ns=max(1, (sums["last_ns"] - sums["first_ns"]) // max(1, sums["rounds"])),
            burst_ns=0,
            bursts=sums["rounds"],
            fraction=1.0,
            asked_ns=self._period_ns,
            late=sums["late"],
        )
        return replace(
            profile,
            sampling=sampling,
            own_estimates=self._own_estimates(profile),
            losses=(*profile.losses, *self._losses(sums)),
        )

    def _own_estimates(self, profile: "ContextProfile") -> "dict[Function, OwnEstimate]":
        from array import array
        from math import isqrt

        from sonde.events import function_of_code
        from sonde.instruments.contexts.profile import OwnEstimate

        squares: dict[Function, float] = {}
        for number, path in enumerate(self._sampler.paths()):
            of_process = array("d", self._sampler.squares(number))
            for described, square in zip(Spool(path).functions, of_process, strict=False):
                if square:
                    function = function_of_code(*described)
                    squares[function] = squares.get(function, 0.0) + square
        own = [0] * len(profile.functions)
        for number, ns in zip(profile.contexts.function, profile.contexts.self_ns, strict=True):
            own[number] += ns
        return {
            function: OwnEstimate(ns, isqrt(int(square) - 1) + 1 if (square := squares.get(function, 0.0)) >= 1 else 0)
            for function, ns in zip(profile.functions, own, strict=True)
        }

    def _losses(self, sums: dict[str, int]) -> "list[Loss]":
        from sonde.instruments.contexts.profile import Loss

        losses = []
        if unread := sums["forbidden"] + sums["unmapped"]:
            detail = "the system does not let sonde see what threads run: they have no time"
            losses.append(Loss("times-not-sampled", unread, detail))
        whole = sums["placed_ns"] + sums["unknown_ns"] + sums["lost_ns"]
        if sums["unknown_ns"] > _NOTABLE * whole:
            detail = "ms passed in functions that were switched to (greenlets), before they called anything"
            losses.append(Loss("times-unplaced", round(sums["unknown_ns"] / 1e6), detail))
        if sums["lost_ns"] > _NOTABLE * whole:
            detail = (
                "ms passed before the first sample of processes, or in contexts that were given up in bounded memory"
            )
            losses.append(Loss("times-lost", round(sums["lost_ns"] / 1e6), detail))
        return losses


if TYPE_CHECKING:
    from sonde.events import Function
    from sonde.instruments.contexts.profile import OwnEstimate
