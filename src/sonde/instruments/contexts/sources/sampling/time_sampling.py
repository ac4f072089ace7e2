"""Where time passes in compiled code with probes, sampled from here while the program runs."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde._native import CursorSampler
from sonde.instruments.contexts.sources.sampling.folder_sampling import PERIOD_NS, FolderSampling

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile  # loaded while times are sampled

_NOTABLE = 0.01
"""Share of the time from which it is worth saying that it was not sampled."""


class SampledTimes(NamedTuple):
    """How a run was sampled; sums over its threads."""

    looks: int
    """At threads that live."""
    missed: int
    """At threads whose memory, or clock, was not there: they ended without a word, or the system tells no clocks."""
    placed_ns: int
    """What contexts have got."""
    outside_ns: int
    """What passed where no code with probes ran, or calls whose contexts found no room."""
    lost_ns: int
    """What passed from the beginning of threads to the first look at them, and from the last to their end: at most so
    much; and what the run's end will share out."""
    forbidden: int
    """Processes whose memory the system does not let us read."""
    rounds: int
    """At each, all threads were looked at."""
    late: int
    """Rounds that were 0.1 ms later than meant, or more: what waits is then seen too often, as our thread had to wait
    until the program did."""
    unmapped: int
    """Threads whose spools we could not map: their contexts have no time."""


class TimeSampling:
    """A thread of ours that looks in which contexts the threads are whose probes write into a folder, and writes there
    what time has passed: nanoseconds, `ticks` of the spools' contexts.

    Args:
        folder: the spool folder.
        is_processor: whether time passes only while a thread has a processor.

    Cost: 2 to 3 % of a processor for one thread, 6 % for twenty; nothing in the program itself. Of processor time,
    threads that are ready cost 1 % each. The rate drops where looking at all would take more than a tenth of a
    processor.
    """

    def __init__(self, folder: Path, *, is_processor: bool) -> None:
        self._sampler = CursorSampler(PERIOD_NS, is_processor)
        self._sampling = FolderSampling(folder, self._sampler, "sonde times")

    def begin(self) -> None:
        """Begin to sample."""
        self._sampling.begin()

    def end(self) -> None:
        """Stop, after a last look: the folder must be as the program left it, or leaves it."""
        self._sampling.end()
        self._sampling.look_for_spools()
        self._sampler.finish()

    @property
    def sums(self) -> SampledTimes:
        """How it was sampled up to now."""
        of = self._sampler
        return SampledTimes(
            of.looks,
            of.missed,
            of.placed_ns,
            of.outside_ns,
            of.lost_ns,
            of.forbidden,
            of.rounds,
            of.late,
            len(self._sampling.failed),
        )

    def put_into(self, profile: "ContextProfile") -> "ContextProfile":
        """A profile of the spools with what is missing of its times."""
        from dataclasses import replace

        from sonde.instruments.contexts.profile import Loss

        sums, losses = self.sums, list(profile.losses)
        if unread := sums.forbidden + sums.unmapped:
            detail = "the system does not let sonde see what threads run: they have no time"
            losses.append(Loss("times-not-sampled", unread, detail))
        if sums.lost_ns > _NOTABLE * (sums.placed_ns + sums.lost_ns):
            detail = (
                "ms passed between the beginning of threads and the first sample of them, or the last and their end"
            )
            losses.append(Loss("times-lost", round(sums.lost_ns / 1e6), detail))
        return replace(profile, losses=tuple(losses))
