"""Summaries: everything that is looked at in one sample."""

from dataclasses import replace

import numpy as np

from sonde.instruments.bench.judging.peeking import restated
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.summary import STEADY_STATE, Summary
from sonde.instruments.bench.policy import Policy
from sonde.stats import (
    Assumption,
    Design,
    Estimate,
    VarianceSplit,
    agreement,
    cheapest_design,
    mean_estimate,
    median_interval,
    normality,
    one_mode,
    outliers,
    split_variance,
)

_ENOUGH_TO_SPLIT = 2
"""Invocations, and iterations in each, from which variance can be told apart."""


def summarise(sample: Sample, policy: Policy, *, ask: float | None = None) -> Summary:
    """Say what can be said of one alternative of one benchmark.

    Args:
        ask: the level at which intervals are computed, where it is another than that at which they are stated; see
            `peeking`.
    """
    values = sample.values
    if not len(values):
        return Summary(sample, None, None, None, None, None, None, (), None, None)
    mean, median = (
        restated(estimate, policy.level)
        for estimate in (mean_estimate(values, ask or policy.level), median_interval(values, ask or policy.level))
    )
    if sample.unsupported:
        mean, median = (estimate.without_interval(sample.unsupported) for estimate in (mean, median))
    if mean.interval is not None and mean.interval.low <= 0.0 < values.min():
        # Times and sizes are above 0. To withhold such intervals would print those of samples that mislead.
        mean = replace(mean, interval=replace(mean.interval, low=0.0))
    is_sample = len(values) > 1 and not sample.unsupported
    split = _split(sample)
    return Summary(
        sample=sample,
        mean=mean,
        median=median,
        deviation=float(values.std(ddof=1)) if is_sample else None,
        least=float(values.min()),
        greatest=float(values.max()),
        outliers=outliers(values) if is_sample else None,
        assumptions=_assumptions(sample, mean, is_sample=is_sample),
        split=split,
        design=_design(sample, split, policy),
    )


def _assumptions(sample: Sample, mean: Estimate, *, is_sample: bool) -> tuple[Assumption, ...]:
    """What the interval of the mean assumes, and what a reader of numbers takes for granted."""
    found = [*mean.assumptions, normality(sample.values), one_mode(sample.values)] if is_sample else []
    if sample.steadiness:
        found.append(steady_state(sample))
    return tuple(found)


def steady_state(sample: Sample) -> Assumption:
    """Whether the invocations of a sample reached a steady state, and the same kind of it."""
    kinds = [steadiness.kind for steadiness in sample.steadiness]
    word, counts = agreement(kinds)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    holds = None if counts.get("too short", 0) == len(kinds) else not counts.get("no steady state", 0)
    return Assumption(STEADY_STATE, holds, f"{told} of {len(kinds)} invocations: {word}")


def _split(sample: Sample) -> VarianceSplit | None:
    if sample.series.mode != "steady" or sample.unsupported or sample.metric != sample.series.metric:
        return None
    runs = [run for run in sample.steady_runs() if len(run) >= _ENOUGH_TO_SPLIT]
    return split_variance(runs) if len(runs) >= _ENOUGH_TO_SPLIT else None


def _design(sample: Sample, split: VarianceSplit | None, policy: Policy) -> Design | None:
    """The cheapest plan for a repetition, from what iterations, warm-up and processes cost here; times only.

    None where it is not known how long processes took: starting them may cost more than all that they measure.
    """
    if split is None or sample.metric.unit != "s" or not sample.values.mean() > 0.0:
        return None
    invocations = [sample.series.invocations[i] for i in sample.counted]
    if not all("wall" in i.process for i in invocations):
        return None
    iteration_s = float(np.mean([value * i.loops for value, i in zip(sample.values, invocations, strict=True)]))
    warm_up_s = float(
        np.mean([i.values[:start].sum() * i.loops for i, start in zip(invocations, sample.steady_from, strict=True)])
    )
    besides_s = float(np.mean([i.process["wall"] - float(i.values.sum()) * i.loops for i in invocations]))
    return cheapest_design(
        split,
        invocation_cost_s=max(0.0, besides_s),  # what the import, calibration and the end of a process take
        iteration_cost_s=iteration_s,
        warm_up_cost_s=warm_up_s,
        precision=policy.equivalent or 0.01,
        level=policy.level,
    )
