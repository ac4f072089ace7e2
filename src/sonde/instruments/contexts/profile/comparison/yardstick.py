"""How values of two runs are made comparable, and which differences count."""

from dataclasses import dataclass
from typing import Literal, get_args

from sonde.instruments.contexts.profile.approximation import Metric

Normalise = Literal["none", "total", "calls"]
"""`none`: as measured. `total`: as shares of each run's total, for runs of different length or machines of
different speed. `calls`: per call, for runs that did different amounts of work."""

Status = Literal["unchanged", "hotter", "colder", "appeared", "vanished"]
"""Appeared and vanished are those of one side alone, of at least the least change; lighter ones count as
unchanged."""

NORMALISATIONS: tuple[Normalise, ...] = get_args(Normalise)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Measures changes from one run to another.

    >>> yardstick = Yardstick.for_totals(1000, 2000, "total", "time", 0.005)
    >>> yardstick.change(100, 200, 1, 1)
    0.0
    >>> yardstick.status(0.0, 0.0, 1, 1)
    'unchanged'
    """

    normalise: Normalise
    metric: Metric
    total_before: int
    """The run's total: nanoseconds, or calls."""
    total_after: int
    least_change: float
    """In the unit of changes; smaller ones count as none."""

    @classmethod
    def for_totals(
        cls, total_before: int, total_after: int, normalise: Normalise, metric: Metric, min_change: float
    ) -> "Yardstick":
        """A yardstick for two runs.

        Args:
            min_change: share of the heavier run's total below which a change is none.
        """
        least = min_change if normalise == "total" else min_change * max(total_before, total_after)
        return cls(normalise, metric, total_before, total_after, least)

    @property
    def whole(self) -> float:
        """What shares of changes are of: the heavier run, or 1 when values are shares already."""
        return 1.0 if self.normalise == "total" else float(max(self.total_before, self.total_after))

    def change(self, before: int, after: int, calls_before: int, calls_after: int) -> float:
        """After minus before: nanoseconds, calls, or shares of each run.

        Normalised by calls: the change per call times the mean number of calls of both sides, which is
        what the change costs when both are called equally often.
        Guarantee: exchanging before and after negates it exactly.
        """
        if self.normalise == "total":
            return after / (self.total_after or 1) - before / (self.total_before or 1)
        if self.normalise == "calls" and calls_before and calls_after:
            return (after / calls_after - before / calls_before) * (calls_before + calls_after) / 2
        return float(after - before)

    def factors(self, calls_before: int, calls_after: int) -> tuple[float, float]:
        """What values of each side are multiplied by, so that their difference is the change.

        >>> Yardstick.for_totals(1000, 2000, "total", "time", 0.005).factors(1, 1)
        (0.001, 0.0005)
        """
        if self.normalise == "total":
            return 1 / (self.total_before or 1), 1 / (self.total_after or 1)
        if self.normalise == "calls" and calls_before and calls_after:
            mean = (calls_before + calls_after) / 2
            return mean / calls_before, mean / calls_after
        return 1.0, 1.0

    def status(self, change: float, own_change: float, present_before: int, present_after: int) -> Status:
        """Name a change; the own one decides when the first is too small.

        Args:
            present_before, present_after: 0 when that side has nothing of the kind.
        """
        deciding = change if self.matters(change) else own_change
        if not self.matters(deciding):
            return "unchanged"
        if not present_before:
            return "appeared"
        if not present_after:
            return "vanished"
        return "hotter" if deciding > 0 else "colder"

    def has_share(self, before: int, after: int, share: float) -> bool:
        """Whether either side has the share: of the heavier run, or of its own one where values are shares of each.

        >>> Yardstick.for_totals(1000, 2000, "none", "time", 0.005).has_share(150, 0, 0.1)
        False
        >>> Yardstick.for_totals(1000, 2000, "total", "time", 0.005).has_share(150, 0, 0.1)
        True
        """
        wholes = (self.total_before, self.total_after)
        if self.normalise != "total":
            wholes = (max(wholes), max(wholes))
        return before >= share * wholes[0] or after >= share * wholes[1]

    def matters(self, change: float) -> bool:
        """Whether a change is large enough to count."""
        return change != 0 and abs(change) >= self.least_change
