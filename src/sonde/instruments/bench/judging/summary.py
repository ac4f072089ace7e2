"""What can be said of one series on its own."""

from dataclasses import dataclass

from sonde.instruments.bench.judging.sample import Sample
from sonde.stats import Assumption, Design, Estimate, Outliers, VarianceSplit

STEADY_STATE = "a steady state"
"""The name of the assumption that invocations reach one, for which no interval makes up."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """One alternative of one benchmark: where it is, how it spreads, and what to know before believing it."""

    sample: Sample
    mean: Estimate | None
    """None where not one invocation ended well."""
    median: Estimate | None
    deviation: float | None
    """Standard deviation between invocations, in units of the metric; None with fewer than two."""
    least: float | None
    greatest: float | None
    outliers: Outliers | None
    """Indices are into `sample.values`; they are reported, never removed."""
    assumptions: tuple[Assumption, ...]
    """Independence, normality, one mode, a steady state: all that was looked at."""
    split: VarianceSplit | None
    """Variance between invocations and between iterations; None for start-up."""
    design: Design | None
    """The cheapest number of each for the same precision; None where it cannot be told."""

    def objections(self) -> list[str]:
        """Why its figures are to be taken with care, in words that are the same for all series."""
        told = [f"{one.name} does not hold" for one in self.assumptions if one.failed and one.name == STEADY_STATE]
        if self.sample.failed:
            told.append("invocations failed")
        if self.mean is not None and self.mean.withheld:
            told.append(f"no interval: {self.mean.withheld}")
        return told

    def allowed_for(self) -> list[str]:
        """What was found, and the intervals allow for: skewed values, those that resemble the ones before them."""
        return [f"{one.name} does not hold" for one in self.assumptions if one.failed and one.name != STEADY_STATE]
