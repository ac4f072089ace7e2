"""Everything that is said of a set of measurements."""

from collections import Counter
from dataclasses import dataclass

from sonde.evidence import Doubt
from sonde.instruments.bench.judging.comparison import Comparison, GroupComparison, Verdict
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.summary import Summary
from sonde.instruments.bench.measurements import Provenance
from sonde.instruments.bench.policy import Policy


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Summaries, comparisons and doubts, in the order of the measurements."""

    policy: Policy
    provenances: tuple[Provenance, ...]
    summaries: tuple[Summary, ...]
    comparisons: tuple[Comparison, ...]
    """Each alternative with the first of its benchmark; or each benchmark's new with its old."""
    groups: tuple[GroupComparison, ...]
    """Benchmarks of three and more alternatives."""
    doubts: tuple[Doubt, ...]
    """What makes the measurements less trustworthy, and what of them could not be used."""
    unmatched: tuple[str, ...]
    """Benchmarks that only one of the two sides has, in words."""
    geometric_mean: float | None
    """Of the ratios of all comparisons, where there are several of the same two sides; a summary, about which nothing
    is inferred."""
    method: tuple[str, ...]
    """Sentences on how all of this was computed, to be put in a paper."""

    def samples(self) -> tuple[Sample, ...]:
        """The samples of summaries and comparisons, each once."""
        found = [summary.sample for summary in self.summaries]
        found.extend(sample for pair in self.comparisons for sample in (pair.first, pair.second))
        return tuple({id(sample): sample for sample in found}.values())

    def counts(self) -> Counter[Verdict]:
        """How many comparisons came out how."""
        return Counter(comparison.verdict for comparison in self.comparisons)

    @property
    def has_regression(self) -> bool:
        """Whether anything is established to be worse by more than the tolerance."""
        return any(comparison.is_regression for comparison in self.comparisons)
