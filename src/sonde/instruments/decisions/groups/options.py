"""What counts as a consistent difference between groups of runs."""

from dataclasses import dataclass, field
from typing import Literal

from sonde.base.errors import UsageError
from sonde.instruments.decisions.experiments import HeatPolicy

Adjustment = Literal["benjamini-hochberg", "benjamini-yekutieli"]


@dataclass(frozen=True, slots=True)
class ConsistencyOptions:
    """How differences are looked for.

    >>> ConsistencyOptions(allow=1).false_discovery_rate
    0.05
    """

    heat: HeatPolicy = field(default_factory=HeatPolicy)
    """Which units of a run are hot. What is hot in one run is looked at in all."""
    allow: int = 0
    """Runs, of both groups together, that may be on the wrong side."""
    least_gap: float = 0.05
    """Shares that lie closer together than this in all runs are the same."""
    false_discovery_rate: float = 0.05
    """Share of the conclusive findings that may be chance."""
    adjustment: Adjustment = "benjamini-hochberg"
    """For as many tests as there are; Benjamini-Yekutieli holds however the features depend on one another, and finds
    less."""

    remove_detailed_phases: bool = True
    """Leave out the decisions of detailed phases, as `TreeOptions` does."""

    def __post_init__(self) -> None:
        if self.allow < 0:
            raise _bad("allow", self.allow, "it must be 0 or more")
        if not 0 <= self.least_gap < 1:
            raise _bad("least gap", self.least_gap, "it must be from 0 to below 1")
        if not 0 < self.false_discovery_rate < 1:
            raise _bad("false discovery rate", self.false_discovery_rate, "it must be between 0 and 1")


def _bad(name: str, value: float, fact: str) -> UsageError:
    return UsageError(f"cannot use {value} as '{name}': {fact}", slug="consistency-options")
