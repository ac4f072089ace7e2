"""All of a judgement beside what practices would have said."""

from collections import Counter
from dataclasses import dataclass

from sonde.instruments.bench.judging import Comparison, Judgement, Summary
from sonde.instruments.bench.practices.claims import RESAMPLES, Claim, Kind, Report, claims_at, reports_of
from sonde.instruments.bench.practices.practice import PRACTICES

_DRAWS = 100_000
"""Repetitions of all comparisons together, beyond which each gets fewer, so that thousands take seconds."""
_FEWEST = 100


@dataclass(frozen=True, slots=True, eq=False)
class LintedComparison:
    """A comparison, and what practices say of it."""

    comparison: Comparison
    claims: tuple[Claim, ...]
    """Where any difference counts."""
    claims_above: tuple[Claim, ...]
    """Of the same practices, where small differences are ignored."""


@dataclass(frozen=True, slots=True, eq=False)
class LintedSeries:
    """An alternative, and what practices report of it."""

    summary: Summary
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How often a practice is right, and how not."""

    practice: str
    kinds: Counter[Kind]
    changes: float
    """Share of repetitions in which it says something else, of all comparisons."""


@dataclass(frozen=True, slots=True, eq=False)
class Lint:
    """How usual practices would have misled."""

    comparisons: tuple[LintedComparison, ...]
    series: tuple[LintedSeries, ...]
    ignore_below: float
    """Share below which a difference is ignored in `claims_above`."""
    resamples: int
    """Repetitions of each experiment."""

    def tallies(self, *, above: bool) -> list[Tally]:
        """How often each practice that says something is right, over all comparisons.

        Args:
            above: whether small differences are ignored.
        """
        claims = [claim for each in self.comparisons for claim in (each.claims_above if above else each.claims)]
        said = {
            practice.name: [claim for claim in claims if claim.practice.name == practice.name] for practice in PRACTICES
        }
        return [
            Tally(name, Counter(claim.kind for claim in found), sum(claim.otherwise for claim in found) / len(found))
            for name, found in said.items()
            if found
        ]


def lint(judgement: Judgement, *, ignore_below: float = 0.02) -> Lint:
    """Put beside everything that was judged what practices would have said.

    Args:
        judgement: its summaries are looked at if it has some.
        ignore_below: share from which a difference counts where small ones are ignored.
    Cost: 15 ms for each of up to 100 comparisons, less for each of more.
    """
    level = judgement.policy.level
    resamples = min(RESAMPLES, max(_FEWEST, _DRAWS // max(1, len(judgement.comparisons))))
    comparisons = tuple(
        LintedComparison(comparison, *claims_at(comparison, (0.0, ignore_below), level=level, resamples=resamples))
        for comparison in judgement.comparisons
    )
    series = tuple(
        LintedSeries(
            summary,
            reports_of(
                summary.sample, summary.mean.interval if summary.mean is not None else None, resamples=resamples
            ),
        )
        for summary in judgement.summaries
    )
    return Lint(comparisons, series, ignore_below, resamples)
