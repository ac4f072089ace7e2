"""How far the values of a profile may be from the truth: bounds of a summary, shares of a sample."""

from dataclasses import dataclass
from typing import Literal, get_args

Metric = Literal["time", "calls"]
"""What makes a context heavy: its own nanoseconds, or its activations."""

METRICS: tuple[Metric, ...] = get_args(Metric)


@dataclass(frozen=True, slots=True)
class Approximation:
    """What a profile in bounded memory promises about its values; an exact profile has none.

    With N the total of the metric, a context that is listed with value v and error e has a true value in
    [v, v + e], and one that is not listed has at most `floor`.

    >>> Approximation(metric="calls", phi=0.1, epsilon=0.02, floor=3, counters=50).hot_threshold(581)
    58

    Raises:
        ValueError: a value is out of its range.
    """

    metric: Metric
    """What was bounded: calls, or exclusive time. The other one is counted where a context is listed, no more."""
    phi: float
    """Share of the total from which a context is hot; in (0, 1]."""
    epsilon: float
    """Share of the total that the errors were meant to stay below; in (0, 1]."""
    floor: int
    """Calls or nanoseconds: no context that is not listed has more."""
    counters: int
    """Contexts that were monitored at once, 1 / epsilon rounded up."""
    whole: int | None = None
    """What phi and epsilon are shares of, when the profile is a part of a run: the total of the run. None: its own."""

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise ValueError(f"an approximation has metric {self.metric!r}, known are {', '.join(METRICS)}")
        if not 0 < self.phi <= 1 or not 0 < self.epsilon <= 1:
            raise ValueError(f"an approximation has phi {self.phi} and epsilon {self.epsilon}, not both in (0, 1]")
        if self.floor < 0 or self.counters < 1 or (self.whole is not None and self.whole < 0):
            raise ValueError(
                f"an approximation has floor {self.floor}, {self.counters} counters, and is of {self.whole}"
            )

    def hot_threshold(self, total: int) -> int:
        """Least value of a hot context in a profile of this total; see the function of the same name."""
        return hot_threshold(self.phi, total if self.whole is None else self.whole)


@dataclass(frozen=True, slots=True)
class Sampling:
    """In which bursts a program was looked at; values of the profile are scaled up to the whole run.

    Bursts of no length are looks: what ran at them has the time in between. Calls were all counted then, or none.

    Raises:
        ValueError: a value is out of its range.
    """

    interval_ns: int
    """Nanoseconds from the start of a burst to the start of the next."""
    burst_ns: int
    """Nanoseconds that a burst lasts; 0: it is a look."""
    bursts: int
    """How many there were."""
    fraction: float
    """Share of the run that was looked at, in [0, 1]."""
    adaptive: float | None = None
    """Chance that a burst takes place although its context was seen before; None: all do."""
    has_calls: bool = True
    """Whether calls were counted at all."""
    asked_ns: int = 0
    """Interval that was asked for; 0: that which it was."""
    late: int = 0
    """Looks that came later than meant, as another program had the processor."""

    @property
    def is_of_times_only(self) -> bool:
        """Whether times alone are of a sample, and every call was counted, or none."""
        return self.burst_ns == 0

    def __post_init__(self) -> None:
        if not 0 <= self.burst_ns <= self.interval_ns or self.interval_ns < 1 or self.bursts < 0:
            raise ValueError(f"a sample has {self.bursts} bursts of {self.burst_ns} ns in {self.interval_ns} ns each")
        if not 0 <= self.fraction <= 1 or (self.adaptive is not None and not 0 <= self.adaptive <= 1):
            raise ValueError(f"a sample has fraction {self.fraction} and ratio {self.adaptive}, not both in [0, 1]")


def hot_threshold(phi: float, total: int) -> int:
    """Least value of a hot context: `phi` of the total, rounded down, but at least 1.

    Source: D'Elia, PhD thesis, section 3.1.2, definition 1.
    Differs: where phi of the total is below 1, what never ran is still not hot.
    """
    return max(1, int(phi * total))
