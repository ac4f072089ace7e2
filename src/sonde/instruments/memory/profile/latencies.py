"""Latencies of loads, and what misses cost by them: an estimate that weighs misses of different levels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

LatencySource = Literal["measured", "given", "typical"]
"""`measured`: on the machine of the run. `given`: by who asked. `typical`: nobody knew better."""
LATENCY_SOURCES: tuple[LatencySource, ...] = get_args(LatencySource)
TYPICAL_CYCLES = (4, 14, 40, 200)
"""L1, L2, L3, memory: about those of server and desktop cores of the 2010s and 2020s."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """Cycles from a load to the use of what it loads, by what has it.

    >>> Latencies((4, 14, 200), "given").lost((1_000, 100))
    28600
    """

    cycles: tuple[int, ...]
    """Of the data levels, the nearest first, and of memory: one more than there are levels. Ascending."""
    source: LatencySource = "typical"

    def lost(self, misses: Sequence[int]) -> int:
        """Cycles that misses cost, if nothing else is done meanwhile: for each, how much longer what had the data takes
        than the first level.

        Args:
            misses: per data level.
        """
        steps = (far - near for near, far in zip(self.cycles, self.cycles[1:], strict=False))
        return sum(count * step for count, step in zip(misses, steps, strict=True))

    def broken(self, levels: int) -> Iterator[str]:
        """What is wrong for so many data levels, in sentences."""
        if len(self.cycles) != levels + 1:
            yield f"it has latencies {self.cycles} of {levels} levels and memory"
        if list(self.cycles) != sorted(self.cycles) or min(self.cycles, default=0) < 0:
            yield f"its latencies {self.cycles} do not ascend"
        if self.source not in LATENCY_SOURCES:
            yield f"its latencies are '{self.source}'"


def latencies_of(cycles: Sequence[int], levels: int, source: LatencySource) -> Latencies | None:
    """Those of the first levels and of memory; None if there are fewer levels than that.

    >>> latencies_of(TYPICAL_CYCLES, 2, "typical")
    Latencies(cycles=(4, 14, 200), source='typical')
    """
    if len(cycles) <= levels:
        return None
    return Latencies((*cycles[:levels], cycles[-1]), source)


def typical_latencies(levels: int) -> Latencies:
    """Where nothing was measured, at most three levels."""
    return Latencies((*TYPICAL_CYCLES[:levels], TYPICAL_CYCLES[-1]), "typical")
