"""Three and more alternatives of a benchmark at once: analysis of variance and honest significant differences."""

from collections.abc import Sequence

import numpy as np

from sonde.bench.judging.comparison import GroupComparison
from sonde.bench.judging.sample import Sample
from sonde.bench.policy import Policy
from sonde.errors import InputError
from sonde.stats import AnovaTable, all_pairs, factorial_anova, one_way

_ENOUGH = 2
"""Invocations of each alternative below which nothing varies."""


def compare_group(benchmark: str, samples: Sequence[Sample], policy: Policy) -> GroupComparison:
    """Compare all alternatives of a benchmark with one another.

    Where the data do not support an analysis, the result says why. Where spreads plainly differ, Welch's analysis and
    Games and Howell's differences take the place of the usual ones.

    Source: Georges, Buytaert and Eeckhout, OOPSLA 2007 (document 001, appendix A.1): analysis of variance, then Tukey's
        honest significant differences.
    """
    names = tuple(sample.series.alternative for sample in samples)
    why = next((f"'{s.series.alternative}': {s.unsupported}" for s in samples if s.unsupported), "")
    few = next((s for s in samples if len(s.values) < _ENOUGH), None)
    if not why and few is not None:
        why = f"'{few.series.alternative}' has {len(few.values)} of at least {_ENOUGH} invocations"
    if why:
        return GroupComparison(benchmark, names, None, None, (), why)
    groups = {sample.series.alternative: sample.values for sample in samples}
    try:
        variance = one_way(list(groups.values()))
        are_alike = not any(a.name == "equal variances" and a.failed for a in variance.assumptions)
        if not are_alike:  # a common spread would be that of none of them
            variance = one_way(list(groups.values()), equal_variances=False)
        pairs = all_pairs(groups, policy.level, equal_variances=are_alike)
    except InputError as error:
        return GroupComparison(benchmark, names, None, None, (), error.message)
    return GroupComparison(benchmark, names, variance, _by_factors(samples), pairs, "")


def _by_factors(samples: Sequence[Sample]) -> AnovaTable | None:
    """The analysis by factors, where each alternative is a combination of at least two."""
    factors = list(samples[0].series.levels)
    varying = [factor for factor in factors if len({sample.series.levels.get(factor) for sample in samples}) > 1]
    if len(varying) < 2 or any(list(sample.series.levels) != factors for sample in samples):
        return None
    values = np.concatenate([sample.values for sample in samples])
    levels = {factor: [sample.series.levels[factor] for sample in samples for _ in sample.values] for factor in varying}
    try:
        return factorial_anova(values, levels)
    except InputError:
        return None  # combinations are missing: the one-way analysis still holds
