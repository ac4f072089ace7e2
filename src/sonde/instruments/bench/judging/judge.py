"""The two questions: which alternative is better, and what has changed."""

import re
from collections.abc import Sequence

import numpy as np

from sonde.base.errors import InputError
from sonde.instruments.bench.judging.baseline import check_baseline, with_baseline_first
from sonde.instruments.bench.judging.comparing import Pair, compare_pairs
from sonde.instruments.bench.judging.comparison import Comparison
from sonde.instruments.bench.judging.doubts import (
    MEASURED_APART,
    not_alternating,
    not_settled,
    other_machine,
    skipped,
    without_baseline,
)
from sonde.instruments.bench.judging.grouping import compare_group
from sonde.instruments.bench.judging.judgement import Judgement
from sonde.instruments.bench.judging.peeking import level_to_ask
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.summarising import summarise
from sonde.instruments.bench.judging.taking import is_for_each_call, take_samples
from sonde.instruments.bench.measurements import Measurements, Metric
from sonde.instruments.bench.policy import Policy

_FREEDOM = re.compile(r",? ?\d[\d.e+]* degrees? of freedom| of \d+ pairs| \(?n = [\d, and]+\)?")
"""What differs from one comparison to the next, and stands with each."""
_GROUP = 3
"""Alternatives from which they are compared as a group."""


def judge(
    measurements: Measurements, policy: Policy | None = None, *, baseline: str = "", detailed: bool = True
) -> Judgement:
    """Compare the alternatives of each benchmark, each with the baseline.

    Args:
        baseline: a name, or a number from 1 on; empty for the first. Benchmarks that have none of that name are
            compared with their first, which a doubt tells.
        detailed: also summarise every series, which takes a millisecond each.
    Raises:
        UsageError: `no-such-alternative`.
    """
    policy = policy or Policy()
    samples = take_samples(measurements.series, policy)
    by_benchmark: dict[str, list[Sample]] = {}
    for sample in samples:
        by_benchmark.setdefault(sample.series.benchmark, []).append(sample)
    named = {name: [sample.series.alternative for sample in group] for name, group in by_benchmark.items()}
    check_baseline(named.values(), baseline)
    sides = {
        name: with_baseline_first(group, named[name], baseline, lambda sample: sample.is_broken)
        for name, group in by_benchmark.items()
    }
    pairs = [
        Pair(
            benchmark,
            group[0].series.alternative,
            other.series.alternative,
            group[0],
            other,
            same_run=True,
            ask=level_to_ask(measurements, benchmark, policy),
        )
        for benchmark, group in sides.items()
        for other in group[1:]
        if other.metric == group[0].metric
    ]
    comparisons = compare_pairs(pairs, policy)
    groups = [
        (name, whole)
        for name, group in by_benchmark.items()
        if len(whole := [sample for sample in group if not sample.is_broken]) >= _GROUP
    ]
    return Judgement(
        policy=policy,
        provenances=(measurements.provenance,),
        summaries=tuple(
            summarise(sample, policy, ask=level_to_ask(measurements, sample.series.benchmark, policy))
            for sample in samples
            if detailed
        ),
        comparisons=comparisons,
        groups=tuple(
            compare_group(name, group, [one for one in comparisons if one.benchmark == name and one.is_whole], policy)
            for name, group in groups
        ),
        doubts=(
            *measurements.doubts,
            *skipped(measurements),
            *not_alternating(by_benchmark),
            *without_baseline(named, baseline),
            *not_settled(samples, policy),
        ),
        unmatched=(),
        geometric_mean=_geometric_mean(comparisons),
        method=_method(comparisons, policy),
    )


def judge_change(
    old: Measurements,
    new: Measurements,
    policy: Policy | None = None,
    *,
    names: tuple[str, str] = ("old", "new"),
    detailed: bool = False,
) -> Judgement:
    """Compare each benchmark of `new` with the same one of `old`.

    Series match by benchmark and alternative; where each side has one alternative of a benchmark only, by benchmark.

    Raises:
        InputError: `nothing-in-common`, no benchmark is on both sides.
    """
    policy = policy or Policy()
    old_samples, new_samples = _keyed(take_samples(old.series, policy)), _keyed(take_samples(new.series, policy))
    matches, unmatched = _matched(old_samples, new_samples, names)
    pairs = []
    for title, first, second in matches:
        if first.metric == second.metric:
            # Either side may have been stopped by its width: the stricter of the two is right for both.
            ask = max(level_to_ask(side, first.series.benchmark, policy) for side in (old, new))
            pairs.append(Pair(title, *names, first, second, same_run=False, ask=ask))
        else:
            unmatched.append(_not_alike(title, (first.metric, second.metric), names))
    if not pairs:
        are_shared = {key[0] for key in old_samples} & {key[0] for key in new_samples}
        fact = "no alternative of a benchmark is in both" if are_shared else "no benchmark is in both"
        old_list, new_list = (_listed(samples, whole=bool(are_shared)) for samples in (old_samples, new_samples))
        raise InputError(
            f"cannot compare '{names[0]}' with '{names[1]}': {fact}",
            slug="nothing-in-common",
            hint=f"'{names[0]}' has {old_list}; '{names[1]}' has {new_list}",
        )
    comparisons = compare_pairs(pairs, policy)
    samples = [sample for pair in pairs for sample in (pair.first, pair.second)]
    return Judgement(
        policy=policy,
        provenances=(old.provenance, new.provenance),
        summaries=tuple(summarise(sample, policy) for sample in samples) if detailed else (),
        comparisons=comparisons,
        groups=(),
        doubts=(
            *old.doubts,
            *skipped(old),
            *new.doubts,
            *skipped(new),
            *other_machine(old, new),
            *not_settled([sample for pair in pairs for sample in (pair.first, pair.second)], policy),
            MEASURED_APART,
        ),
        unmatched=tuple(unmatched),
        geometric_mean=_geometric_mean(comparisons),
        method=_method(comparisons, policy),
    )


def _not_alike(title: str, metrics: tuple[Metric, Metric], names: tuple[str, str]) -> str:
    first, second = metrics
    if (first.name, first.unit) == (second.name, second.unit):
        return (
            f"of '{title}' {first.better} is better in {names[0]}, {second.better} in {names[1]}:"
            f" say which by --better {second.better}"
        )
    return f"'{title}' is in {first.unit} ({first.name}) in {names[0]}, in {second.unit} ({second.name}) in {names[1]}"


_Key = tuple[str, str]


def _keyed(samples: Sequence[Sample]) -> dict[_Key, Sample]:
    return {(sample.series.benchmark, sample.series.alternative): sample for sample in samples}


def _matched(
    old: dict[_Key, Sample], new: dict[_Key, Sample], names: tuple[str, str]
) -> tuple[list[tuple[str, Sample, Sample]], list[str]]:
    """Title, old and new of each match; and in words, what has none."""
    lone_old, lone_new = _lone(old), _lone(new)
    matches, seen_new = [], set()
    left_old = []
    for key, sample in old.items():
        partner = key if key in new else lone_new.get(key[0]) if lone_old.get(key[0]) == key else None
        if partner is None:
            left_old.append(key)
            continue
        seen_new.add(partner)
        title = key[0] if lone_old.get(key[0]) == key else f"{key[0]} · {key[1]}"
        matches.append((title, sample, new[partner]))
    left_new = [key for key in new if key not in seen_new]
    told = [
        f"only {name} has {_title(key)}" for name, keys in zip(names, (left_old, left_new), strict=True) for key in keys
    ]
    return matches, told


def _lone(samples: dict[_Key, Sample]) -> dict[str, _Key]:
    """Benchmark -> the key of its only alternative."""
    keys: dict[str, list[_Key]] = {}
    for key in samples:
        keys.setdefault(key[0], []).append(key)
    return {benchmark: found[0] for benchmark, found in keys.items() if len(found) == 1}


def _title(key: _Key) -> str:
    return f"'{key[1]}' of '{key[0]}'" if key[1] else f"'{key[0]}'"


def _listed(samples: dict[_Key, Sample], *, whole: bool, most: int = 4) -> str:
    """Names of benchmarks, or of alternatives with their benchmarks."""
    names = list(dict.fromkeys(_title(key) if whole else f"'{key[0]}'" for key in samples))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"


def _geometric_mean(comparisons: Sequence[Comparison]) -> float | None:
    """Of the ratios, where all are of the same two sides and one metric: half a cost and half a rate do not cancel."""
    if len({(one.first_name, one.second_name, one.first.metric) for one in comparisons}) != 1:
        return None
    ratios = [c.ratio.value for c in comparisons if c.ratio is not None and c.ratio.value > 0.0]
    return float(np.exp(np.mean(np.log(ratios)))) if len(ratios) > 1 else None


def _method(comparisons: Sequence[Comparison], policy: Policy) -> tuple[str, ...]:
    level = f"{100.0 * policy.level:g}%"
    methods = dict.fromkeys(
        _FREEDOM.sub("", c.ratio.method) for c in comparisons if c.ratio is not None and c.ratio.interval is not None
    )
    sentences = [
        "Each invocation of a process counts as one value: its run time, or the mean of its steady iterations"
        f" ({_steadiness(policy)})."
    ]
    if any(is_for_each_call(one.first.series, one.first.metric.name) for one in comparisons):
        sentences.append("What processes took is for each call, over all their iterations.")
    if methods:
        sentences.append(f"Ratios of means have {level} confidence intervals: {'; '.join(methods)}.")
    if any(comparison.paired for comparison in comparisons):
        sentences.append("Alternatives took turns in random order; values of the same round were paired.")
    if len(comparisons) > 1:
        sentences.append(
            f"Verdicts control the false discovery rate among {len(comparisons)} comparisons at"
            f" {100.0 * policy.alpha:.3g}% (Benjamini-Hochberg), for worse and better each; intervals are not adjusted."
        )
    if policy.equivalent > 0.0 and comparisons:
        sentences.append(
            f"'Same' means that two one-sided tests exclude a difference beyond {100.0 * policy.equivalent:g}%."
        )
    return tuple(sentences)


def _steadiness(policy: Policy) -> str:
    if policy.steady_by == "change-points":
        return "those after the last change point that matters"
    if policy.steady_by == "cov":
        return f"the first {policy.window} whose coefficient of variation is below {100.0 * policy.threshold:g}%"
    return "those after the recorded warm-up" if policy.steady_by == "recorded" else "all of them"
