"""Which alternative of a benchmark is best, and which cannot be told from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.bench.judging.comparison import Comparison, GroupComparison
from sonde.instruments.bench.judging.judgement import Judgement
from sonde.instruments.bench.judging.sample import Sample
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
    tied = tuple(name for name in names if name != best and not _are_apart((best, name), group, comparisons))
    is_worst = all(_are_apart((last, name), group, comparisons) for name in names if name != last)
    return Lead(best, tied, last if is_worst else "")


def are_told_apart(one: Sample, other: Sample, judgement: Judgement) -> bool:
    """Whether a difference between two alternatives of a benchmark is established, as `lead_of` asks for it.

    Where there are no intervals of all pairs, only differences from the baseline can be.
    """
    benchmark, names = one.series.benchmark, (one.series.alternative, other.series.alternative)
    comparisons = [each for each in judgement.comparisons if each.benchmark == benchmark and each.is_whole]
    group = next((each for each in judgement.groups if each.benchmark == benchmark and each.pairs), None)
    if group is not None and set(names) <= set(group.alternatives):
        return _are_apart(names, group, comparisons)
    return any(
        {each.first_name, each.second_name} == set(names) and each.verdict in ("better", "worse")
        for each in comparisons
    )


def _are_apart(names: tuple[str, str], group: GroupComparison, comparisons: Sequence[Comparison]) -> bool:
    both = set(names)
    pair = next((each for each in group.pairs if {each.first, each.second} == both), None)
    if pair is None or not _excludes_zero(pair):
        return False
    with_baseline = [each for each in comparisons if {each.first_name, each.second_name} == both]
    if with_baseline:
        return with_baseline[0].verdict in ("better", "worse")
    return not any({each.first, each.second} == both for each in group.unsure)


def _excludes_zero(pair: PairwiseDifference) -> bool:
    return pair.interval is not None and 0.0 not in pair.interval
