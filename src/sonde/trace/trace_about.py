"""What a trace says of itself: what was recorded, and by which clock."""

from dataclasses import dataclass
from typing import Literal

TraceClock = Literal["none", "tsc", "monotonic"]
"""What its times are read from: nothing, the processor's time-stamp counter, or `CLOCK_MONOTONIC`."""

CLOCKS: tuple[TraceClock, ...] = ("none", "tsc", "monotonic")
"""In order of their numbers in the file."""


@dataclass(frozen=True, slots=True)
class TraceAbout:
    """The header of a trace."""

    command: str = ""
    """The recorded process's, its words separated by newlines."""
    python: str = ""
    """Version of the interpreter."""
    mechanism: str = ""
    """How the calls were seen."""
    clock: TraceClock = "monotonic"
    pid: int = 0
    parent_pid: int = 0
    unit_shift: int = 0
    """Times are multiples of 2 to the power of this, in ticks of the clock."""
    start_ticks: int = 0
    start_ns: int = 0
    """`CLOCK_MONOTONIC` at `start_ticks`, nanoseconds."""
    end_ns: int | None = None
    """The same at the end; None when the recording goes on or was cut off."""
    ns_per_tick: float = 1.0
    """Nanoseconds per tick, measured or estimated."""
