"""What counts as a consistent difference between groups of runs."""

from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from sonde.base.errors import UsageError
from sonde.code import CodeSelection
from sonde.instruments.decisions.experiments import HeatPolicy, RemoveDetailed
from sonde.options.declared import Option

Adjustment = Literal["benjamini-hochberg", "benjamini-yekutieli"]


@dataclass(frozen=True, slots=True)
class ConsistencyOptions:
    """How differences are looked for.

    >>> ConsistencyOptions(allow=1).false_discovery_rate
    0.05
    """

    heat: HeatPolicy = field(default_factory=HeatPolicy)
    """Which units of a run are hot. What is hot in one run is looked at in all."""
    allow: Annotated[int, Option("runs, of both groups together, that may be on the wrong side", metavar="N")] = 0
    least_gap: Annotated[
        float,
        Option("shares of time that lie closer together than this, 0 to 1, are the same", metavar="SHARE"),
    ] = 0.05
    false_discovery_rate: Annotated[
        float, Option("share of the conclusive findings, 0 to 1, that may be chance", metavar="SHARE")
    ] = 0.05
    adjustment: Annotated[Adjustment, Option("for as many tests as there are", choices=get_args(Adjustment))] = (
        "benjamini-hochberg"
    )
    """For as many tests as there are; Benjamini-Yekutieli holds however the features depend on one another, and finds
    less."""

    remove_detailed_phases: RemoveDetailed = True
    code: CodeSelection = field(default_factory=CodeSelection)
    """Functions whose compilation units are looked at."""

    def __post_init__(self) -> None:
        if self.allow < 0:
            raise _bad("allow", self.allow, "it must be 0 or more")
        if not 0 <= self.least_gap < 1:
            raise _bad("least gap", self.least_gap, "it must be from 0 to below 1")
        if not 0 < self.false_discovery_rate < 1:
            raise _bad("false discovery rate", self.false_discovery_rate, "it must be between 0 and 1")


def _bad(name: str, value: float, fact: str) -> UsageError:
    return UsageError(f"cannot use {value} as '{name}': {fact}", slug="consistency-options")
