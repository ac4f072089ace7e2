"""What can be said of two alternatives of a benchmark, or of two versions of one."""

from dataclasses import dataclass
from typing import Literal

from sonde.instruments.bench.judging.sample import Sample
from sonde.stats import AnovaTable, Estimate, PairwiseDifference, Test

Verdict = Literal["better", "worse", "same", "unclear"]
"""`better` and `worse`: a difference is established; `same`: it is established that none larger than the margin exists;
`unclear`: neither. Never does the absence of the first become the second."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two samples compared; ratios and differences are those of `second` against `first`."""

    benchmark: str
    first_name: str
    second_name: str
    first: Sample
    second: Sample
    paired: bool
    """Whether values of the same round were compared with one another."""
    ratio: Estimate | None
    """Of means, second / first; None where a side has no values."""
    difference: Estimate | None
    """Of means, second - first, in units of the metric."""
    test: Test | None
    """Two-sided, that the ratio is 1."""
    adjusted_p: float | None
    """The p-value of `test` once all comparisons of this judgement are accounted for."""
    verdict: Verdict
    why: str
    """The verdict in words, with its reasons: what a paper, or a reader in a hurry, needs."""
    is_regression: bool
    """Whether it is established that it got worse by more than the tolerance."""
    needed: int | None
    """Invocations of each, from which on the difference now seen, were it the true one, would probably be established;
    None where it is established, or cannot be told."""

    @property
    def is_whole(self) -> bool:
        """Whether neither side failed so often that too little is left of it."""
        return not (self.first.is_broken or self.second.is_broken)


@dataclass(frozen=True, slots=True, eq=False)
class GroupComparison:
    """Three and more alternatives of one benchmark, compared at once."""

    benchmark: str
    alternatives: tuple[str, ...]
    variance: AnovaTable | None
    """One-way analysis of variance; None where the data do not support one."""
    factors: AnovaTable | None
    """Of all factors and their interactions, where the alternatives are combinations."""
    pairs: tuple[PairwiseDifference, ...]
    """Tukey's honest significant differences."""
    withheld: str
    """Why there is no analysis; empty where there is one."""
    unsure: tuple[PairwiseDifference, ...] = ()
    """Of `pairs`, those whose difference is established only by an assumption that does not hold."""
