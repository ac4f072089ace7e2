"""What a run tells while it goes on, and to whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sonde.instruments.bench.measurements import Invocation, Series


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run is, when an invocation begins."""

    benchmark: str
    alternative: str
    round: int
    """From 1 on; below 1 while the machine is warmed up."""
    expected_rounds: int
    """Of this benchmark, if values go on to vary as they did."""
    is_sure: bool
    """Whether there will be so many exactly."""
    seconds_left: float | None
    """Of the whole run, at most; None while nothing is known of its costs."""
    half_width: float | None
    """Of the widest interval of this benchmark when it was last looked at, as a share of the value."""
    benchmarks_done: int
    benchmarks: int
    failures: int
    """Invocations that failed so far."""


class Observer(Protocol):
    """Whoever shows a run to a person."""

    def is_due(self) -> bool:
        """Whether `show` would show anything now; asked before each invocation, so that little work is done in vain."""

    def show(self, standing: Standing) -> None:
        """Say where the run is."""

    def failed(self, benchmark: str, alternative: str, invocation: Invocation) -> None:
        """An invocation failed."""

    def benchmark_done(
        self, why: str, rounds: int, series: Sequence[Series], half_width: float | None, *, alone: bool
    ) -> None:
        """A benchmark needs no further rounds; `alone` if there is no other."""

    def note(self, text: str) -> None:
        """Something that a person should know."""

    def close(self) -> None:
        """The run has ended, or is interrupted: leave the terminal as it was."""


class Silence:
    """Tells nothing."""

    def is_due(self) -> bool:
        """Never."""
        return False

    def show(self, standing: Standing) -> None:
        """Nothing."""

    def failed(self, benchmark: str, alternative: str, invocation: Invocation) -> None:
        """Nothing."""

    def benchmark_done(
        self, why: str, rounds: int, series: Sequence[Series], half_width: float | None, *, alone: bool
    ) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""
