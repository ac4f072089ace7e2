"""Counters of a run, and where their values are from."""

from dataclasses import dataclass

from sonde.instruments.phases.known_counters import KNOWN_COUNTERS, KnownCounter

SOURCES = (
    "",
    "clock of the thread",
    "getrusage",
    "perf_event_open",
    "perf_event_open, user mode only",
    "interpreter",
    "simulated by sonde's Valgrind tool",
)
"""By the number that the agent writes."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of a run."""

    name: str
    source: str
    is_multiplexed: bool = False
    """It had to share the hardware with others for some of the time: what it says is too little, and is not scaled."""

    @property
    def known(self) -> KnownCounter:
        """What is known of it; of a counter that is not known here, its name alone."""
        found = (each for each in KNOWN_COUNTERS if each.name == self.name)
        return next(found, KnownCounter(self.name, "count", self.name, "look at what it does differently"))
