"""What was measured, by whichever tool: benchmarks, alternatives, invocations and their values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from sonde.evidence import Doubt
from sonde.instruments.bench.directions import Direction, direction_of

Values = npt.NDArray[np.float64]
Outcome = Literal["ok", "failed", "timeout", "interrupted"]
Mode = Literal["startup", "steady"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A quantity that is measured."""

    name: str
    """`wall`, `user`, `system`, `peak-memory`, `score`, or the name of a counter."""
    unit: str
    """`s`, `B`, `1`, or what another tool says, such as `ops/s`."""
    better: Direction = "lower"

    @classmethod
    def in_unit(cls, name: str, unit: str) -> "Metric":
        """A metric of which the unit says which way is better.

        >>> Metric.in_unit("throughput", "MB/s").better
        'higher'
        """
        return cls(name, unit, direction_of(unit))


WALL = Metric("wall", "s")
USER = Metric("user", "s")
SYSTEM = Metric("system", "s")
CPU = Metric("cpu", "s")
"""Processor time, in user mode and in the kernel."""
PEAK_MEMORY = Metric("peak-memory", "B")


@dataclass(frozen=True, slots=True, eq=False)
class Invocation:
    """One process, and what it yielded."""

    values: Values
    """(iterations,) in the unit of the series' metric, each for one call; one value for start-up, none if it failed
    before the first."""
    outcome: Outcome = "ok"
    detail: str = ""
    """What is known of a failure: `exit code 3: ValueError: no data`."""
    warmups: int | None = None
    """How many of the first values the tool that measured took for warm-up; None where it does not say."""
    loops: int = 1
    """Calls that each value is the mean of."""
    round: int | None = None
    """Invocations of one round ran next to one another, in random order; below 0: a round to warm the machine up, which
    is not in the sample; None where alternatives did not alternate."""
    position: int | None = None
    """Place in the order of the whole run."""
    started: float | None = None
    """Seconds since the epoch."""
    process: Mapping[str, float] = field(default_factory=dict)
    """Metrics of the whole process, by name: `user`, `system`, `peak-memory`, counters."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """All invocations of one alternative of one benchmark."""

    benchmark: str
    alternative: str
    mode: Mode
    invocations: tuple[Invocation, ...]
    """In the order in which they ran."""
    metric: Metric = WALL
    levels: Mapping[str, str] = field(default_factory=dict)
    """Factor -> level, where alternatives are combinations: `{"python": "3.12", "flags": "-O"}`."""
    separate: bool = True
    """Whether each invocation is known to be a process of its own; where another tool does not say which values come
    from which process, all values stand in one invocation, and this is false."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where measurements come from."""

    tool: str
    """`sonde 0.1.0`, `pyperf 2.10.0`."""
    file: str = ""
    measured_at: str = ""
    """ISO 8601, empty where it is not known."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the machine was like: `cpu`, `governor`, `load`, `aslr`, ..."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """Everything that one file of results holds."""

    series: tuple[Series, ...]
    provenance: Provenance
    doubts: tuple[Doubt, ...] = ()
    skipped: tuple[str, ...] = ()
    """What was in the file and could not be used, in words; nothing is dropped silently."""
    looked_between: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Benchmark -> least and most rounds, where it was measured until its intervals were narrow enough."""
