"""Three and more alternatives of a benchmark at once: analysis of variance and honest significant differences."""

from collections.abc import Mapping, Sequence

import numpy as np

from sonde.base.errors import InputError
from sonde.instruments.bench.judging.comparison import Comparison, GroupComparison
from sonde.instruments.bench.judging.sample import ENOUGH_TO_COMPARE, Sample
from sonde.instruments.bench.measurements import Values
from sonde.instruments.bench.policy import Policy
from sonde.stats import (
    AnovaTable,
    PairwiseDifference,
    all_pairs,
    compare_means,
    factorial_anova,
    independence,
    one_way,
)


def compare_group(
    benchmark: str, samples: Sequence[Sample], comparisons: Sequence[Comparison], policy: Policy
) -> GroupComparison:
    """Compare all alternatives of a benchmark with one another.

    Alternatives that took turns are compared within rounds (randomised blocks). Where spreads plainly differ, Welch's
    analysis and Games and Howell's differences take the place of the usual ones. Where the data do not support an
    analysis, or not even a comparison of two, the result says why.

    Args:
        comparisons: those of the same alternatives, each with the first.
    Source: Georges, Buytaert and Eeckhout, OOPSLA 2007 (document 001, appendix A.1): analysis of variance, then Tukey's
        honest significant differences.
    """
    names = tuple(sample.series.alternative for sample in samples)
    rows, is_blocked = _rows(samples)
    why = _why_silent(samples, rows, comparisons, is_blocked=is_blocked)
    if why:
        return GroupComparison(benchmark, names, None, None, (), why)
    groups = dict(zip(names, rows, strict=True))
    try:
        variance = one_way(rows, blocked=is_blocked)
        are_alike = not any(a.name == "equal variances" and a.failed for a in variance.assumptions)
        if not are_alike and not is_blocked:  # a common spread would be that of none of them
            variance = one_way(rows, equal_variances=False)
        if is_blocked:
            pairs = all_pairs(groups, policy.level, blocked=True)
        else:
            pairs = all_pairs(groups, policy.level, equal_variances=are_alike)
    except InputError as error:
        return GroupComparison(benchmark, names, None, None, (), error.message)
    by_factors = _by_factors(samples, rows, is_blocked=is_blocked)
    unsure = _unsure(groups, pairs, policy, is_blocked=is_blocked)
    return GroupComparison(benchmark, names, variance, by_factors, pairs, "", unsure)


def _unsure(
    groups: Mapping[str, Values], pairs: Sequence[PairwiseDifference], policy: Policy, *, is_blocked: bool
) -> tuple[PairwiseDifference, ...]:
    """The differences that are not there where nothing is taken for granted that does not hold.

    They are asked of the comparison of two, which allows for skewed values and unequal spreads, at the level that
    Bonferroni's inequality leaves to each of so many.
    """
    if not any(assumption.failed for assumption in pairs[0].assumptions):
        return ()
    differing = [pair for pair in pairs if pair.interval is not None and 0.0 not in pair.interval]
    found = []
    for pair in differing:
        second, first = groups[pair.second], groups[pair.first]
        test = compare_means(second, first, paired=is_blocked, independent=policy.assume_independent).test(1.0)
        if test.withheld or not test.p_value * len(pairs) <= policy.alpha:
            found.append(pair)
    return tuple(found)


def _rows(samples: Sequence[Sample]) -> tuple[list[Values], bool]:
    """The values of each alternative; side by side, those of rounds that all have, where alternatives took turns."""
    places = [{round_: i for i, round_ in enumerate(sample.rounds) if round_ is not None} for sample in samples]
    common = [round_ for round_ in places[0] if all(round_ in place for place in places)]
    if len(common) < ENOUGH_TO_COMPARE:
        return [sample.values for sample in samples], False
    return [
        sample.values[[place[round_] for round_ in common]] for sample, place in zip(samples, places, strict=True)
    ], True


def _why_silent(
    samples: Sequence[Sample], rows: Sequence[Values], comparisons: Sequence[Comparison], *, is_blocked: bool
) -> str:
    """Why there is no analysis; empty where there is one."""
    for sample, row in zip(samples, rows, strict=True):
        name = sample.series.alternative
        if sample.unsupported:
            return f"'{name}': {sample.unsupported}"
        if len(row) < ENOUGH_TO_COMPARE:
            return f"'{name}' has {len(row)} of at least {ENOUGH_TO_COMPARE} invocations"
    for comparison in comparisons:
        if comparison.ratio is not None and comparison.ratio.withheld:
            return f"'{comparison.second_name}' against '{comparison.first_name}': {comparison.ratio.withheld}"
    if is_blocked:
        return ""
    for sample in samples:
        order = independence(sample.values)
        if order.failed:
            return f"values of '{sample.series.alternative}' depend on their order: {order.finding}"
    return ""


def _by_factors(samples: Sequence[Sample], rows: Sequence[Values], *, is_blocked: bool) -> AnovaTable | None:
    """The analysis by factors, where each alternative is a combination of at least two; within rounds, too."""
    factors = list(samples[0].series.levels)
    varying = [factor for factor in factors if len({sample.series.levels.get(factor) for sample in samples}) > 1]
    if len(varying) < 2 or any(list(sample.series.levels) != factors for sample in samples):
        return None
    levels = {
        factor: [sample.series.levels[factor] for sample, row in zip(samples, rows, strict=True) for _ in row]
        for factor in varying
    }
    rounds = [place for row in rows for place in range(len(row))] if is_blocked else None
    try:
        return factorial_anova(np.concatenate(rows), levels, rounds=rounds)
    except InputError:
        return None  # combinations are missing: the one-way analysis still holds
