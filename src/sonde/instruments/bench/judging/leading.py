"""Which alternative of a benchmark is best, and which cannot be told from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.bench.judging.comparison import Comparison, GroupComparison
from sonde.stats import PairwiseDifference


@dataclass(frozen=True, slots=True, eq=False)
class Lead:
    """The best and the worst of three and more alternatives; a difference that is not established is none."""

    best: str
    """That of the best mean."""
    tied: tuple[str, ...]
    """Alternatives that cannot be told from it, in the order of the measurements; all others are established to be
    worse."""
    worst: str
    """What is established to be worse than every other; empty where nothing is."""


def lead_of(group: GroupComparison, comparisons: Sequence[Comparison]) -> Lead | None:
    """Who leads, by the simultaneous intervals of all pairs and the verdicts against the baseline.

    A difference from the baseline must be established by both, which account for other numbers of comparisons; the
    verdict rests on no assumption about the other alternatives. Others must not rest on an assumption that fails.

    Args:
        comparisons: those of the same alternatives, each with the baseline.
    Returns:
        None where there are no intervals of all pairs, or not all alternatives were compared with the baseline.
    Guarantee: as far as the intervals hold, the probability is at most 1 - level that anything is called worse than the
        best, or the worst, without being it.
    """
    names = group.alternatives
    if not group.pairs or len(comparisons) != len(names) - 1:
        return None
    lower_is_better = comparisons[0].first.metric.better == "lower"
    above_first = {names[0]: 0.0} | {pair.second: pair.difference for pair in group.pairs if pair.first == names[0]}
    order = sorted(names, key=lambda name: above_first[name], reverse=not lower_is_better)
    best, last = order[0], order[-1]
    apart = {frozenset((pair.first, pair.second)) for pair in group.pairs if _excludes_zero(pair)}
    unsure = {frozenset((pair.first, pair.second)) for pair in group.unsure}
    told_from_baseline = {each.second_name for each in comparisons if each.verdict in ("better", "worse")}
    baseline = comparisons[0].first_name

    def are_told_apart(one: str, other: str) -> bool:
        both = frozenset((one, other))
        if baseline in both:
            return both in apart and (one if other == baseline else other) in told_from_baseline
        return both in apart and both not in unsure

    tied = tuple(name for name in names if name != best and not are_told_apart(best, name))
    is_worst = all(are_told_apart(last, name) for name in names if name != last)
    return Lead(best, tied, last if is_worst else "")


def _excludes_zero(pair: PairwiseDifference) -> bool:
    return pair.interval is not None and 0.0 not in pair.interval
