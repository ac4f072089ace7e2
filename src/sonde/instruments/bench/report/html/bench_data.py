"""A judgement as the page receives it. The keys are the contract with the scripts in `page/`."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from sonde.instruments.bench.judging import Comparison, GroupComparison, Judgement, Sample, Summary
from sonde.instruments.bench.report.estimates import with_interval
from sonde.instruments.bench.report.html.packed_runs import packed_runs, values_per_invocation
from sonde.instruments.bench.report.html.plain_data import as_plain
from sonde.instruments.bench.report.names import all_samples, least_means, series_names
from sonde.instruments.bench.report.series_words import sample_size, split_in_words
from sonde.render.quantity import Scale, change_text, format_percent, p_value_text, ratio_text, scale_for
from sonde.report import Estimated
from sonde.stats import AnovaTable, Assumption, Estimate, PairwiseDifference

DATA_VERSION = 1

_DIGITS = 7
"""Significant digits of values: more than anybody sees, fewer than a float has."""

_MOST_FAILURES = 50
"""Failed invocations of a series that are told one by one."""


def bench_data(judgement: Judgement, *, title: str) -> dict[str, Any]:
    """Turn a judgement into what the page's scripts read.

    Returns:
        A value made of dicts, lists, strings, numbers and None; no NaN. Quantities are in the unit of their metric.
    Cost: O(values), iterations included.
    """
    samples = all_samples(judgement)
    number = {id(sample): i for i, sample in enumerate(samples)}
    least = least_means(samples)
    scales = {id(sample): _printed(scale_for(sample.metric.unit, [least[id(sample)] or 0.0])) for sample in samples}
    summaries = {id(summary.sample): summary for summary in judgement.summaries}
    room = values_per_invocation(samples)
    names = _names(judgement, samples)
    texts = _Texts()
    data = {
        "version": DATA_VERSION,
        "title": title,
        "level": judgement.policy.level,
        "tolerance": judgement.policy.tolerance,
        "equivalent": judgement.policy.equivalent,
        "counts": dict(judgement.counts()),
        "geometric_mean": as_plain(judgement.geometric_mean),
        "policy": as_plain(judgement.policy),
        "provenances": as_plain(judgement.provenances),
        "doubts": as_plain(dict.fromkeys(judgement.doubts).keys()),
        "unmatched": list(judgement.unmatched),
        "method": list(judgement.method),
        "samples": [
            _sample(sample, summaries.get(id(sample)), scales[id(sample)], name, room, texts)
            for sample, name in zip(samples, names, strict=True)
        ],
        "comparisons": [_comparison(comparison, number, texts) for comparison in judgement.comparisons],
        "benchmarks": _benchmarks(judgement, samples, number),
        "groups": [_group(group, samples, scales) for group in judgement.groups],
    }
    return data | {"texts": texts.texts, "thinned": _thinned_share(samples, room)}


def _printed(scale: Scale) -> Scale:
    """The unit as it is printed: a terminal may have no Greek letters."""
    return Scale(scale.size, "\N{MICRO SIGN}s") if scale.unit == "us" else scale


def _names(judgement: Judgement, samples: Sequence[Sample]) -> list[str]:
    """What to call each sample: as its comparison does, which is shown below the name of its benchmark."""
    names = {id(sample): name for sample, name in zip(samples, series_names(samples), strict=True)}
    for comparison in judgement.comparisons:
        names[id(comparison.first)], names[id(comparison.second)] = _sides(comparison)
    return [names[id(sample)] for sample in samples]


def _sides(comparison: Comparison) -> tuple[str, str]:
    """What both sides are called: of files the names without their folders, where these differ."""
    first, second = comparison.first_name, comparison.second_name
    if " " in first or " " in second:  # commands, whose ends may be paths, too
        return first, second
    ends = PurePath(first).name, PurePath(second).name
    return ends if ends[0] != ends[1] and all(ends) else (first, second)


class _Texts:
    """Distinct texts in order of appearance, each with its number: methods and findings repeat."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self._number.setdefault(text, len(self._number))

    @property
    def texts(self) -> list[str]:
        return list(self._number)


def _ends_early(sample: Sample) -> bool:
    """Whether iterations after the steady ones do not count."""
    ends = (len(sample.series.invocations[i].values) for i in sample.counted)
    return any(stop < end for stop, end in zip(sample.steady_to, ends, strict=False))


def _sample(
    sample: Sample, summary: Summary | None, scale: Scale, name: str, room: int, texts: _Texts
) -> dict[str, Any]:
    series = sample.series
    n = len(sample.values)
    return {
        "name": name,
        "benchmark": series.benchmark,
        "alternative": series.alternative,
        "metric": as_plain(sample.metric),
        "scale": [scale.size, scale.unit],
        "size": sample_size(sample),
        "values": [_rounded(value) for value in sample.values.tolist()],
        "invocations": list(sample.counted),
        "all_invocations": len(series.invocations),
        "steady_from": list(sample.steady_from) if any(sample.steady_from) else [],
        "steady_to": list(sample.steady_to) if _ends_early(sample) else [],
        "kinds": [texts(steadiness.kind) for steadiness in sample.steadiness],
        "kind_sentences": [texts(steadiness.sentence) for steadiness in sample.steadiness],
        "failures": [
            [i, invocation.outcome, texts(invocation.detail)]
            for i, invocation in enumerate(series.invocations)
            if invocation.outcome != "ok"
        ][:_MOST_FAILURES],
        "failed": sample.failed,
        "mean_value": _rounded(float(sample.values.mean())) if n else None,
        "runs": packed_runs(sample, room),
        **_summary(summary, scale, texts),
    }


def _summary(summary: Summary | None, scale: Scale, texts: _Texts) -> dict[str, Any]:
    if summary is None or summary.mean is None:
        return {}
    mean, deviation = summary.mean, summary.deviation
    outliers = summary.outliers
    facts = [["mean", scale.told(with_interval(mean.value, mean.interval))]]
    if summary.median is not None and len(summary.sample.values) > 1:
        facts.append(["median", scale.told(with_interval(summary.median.value, summary.median.interval))])
    if deviation is not None:
        share = f" ({format_percent(deviation / abs(mean.value))})" if mean.value else ""
        is_small = 0.0 < deviation < 0.1 * scale.size
        of_spread = _printed(scale_for(summary.sample.metric.unit, [deviation])) if is_small else scale
        facts.append(["spread", f"{of_spread.text(deviation)}{share}"])
    if summary.least is not None and summary.greatest is not None:
        decimals = scale.decimals_for(with_interval(mean.value, mean.interval))
        facts.append(["range", f"{scale.number(summary.least, decimals)} to {scale.text(summary.greatest, decimals)}"])
    notes = [] if outliers is None or not outliers.count else [f"Outliers: {outliers.finding}; none was removed."]
    if summary.split is not None:
        notes.append(f"{split_in_words(summary.split)}.".capitalize())
    if summary.design is not None:
        notes.append(f"Cheapest repetition: {summary.design}.")
    return {
        "mean": _estimate(mean, texts),
        "median": None if summary.median is None else _estimate(summary.median, texts),
        "facts": facts,
        "outliers": [] if outliers is None else sorted({*outliers.mild, *outliers.severe}),
        "severe": [] if outliers is None else list(outliers.severe),
        "assumptions": [_assumption(assumption, texts) for assumption in summary.assumptions],
        "notes": [texts(note) for note in notes],
    }


def _estimate(estimate: Estimate, texts: _Texts) -> dict[str, Any]:
    interval = estimate.interval
    return {
        "value": as_plain(estimate.value),
        "low": None if interval is None else as_plain(interval.low),
        "high": None if interval is None else as_plain(interval.high),
        "method": texts(estimate.method),
        "withheld": texts(estimate.withheld),
    }


def _assumption(assumption: Assumption, texts: _Texts) -> list[Any]:
    return [texts(assumption.name), assumption.holds, texts(assumption.finding)]


def _comparison(comparison: Comparison, number: Mapping[int, int], texts: _Texts) -> dict[str, Any]:
    ratio = comparison.ratio
    # Where no interval can be stated, a p-value would pretend to know more.
    p = None if ratio is None or ratio.interval is None else comparison.adjusted_p
    told = "-" if ratio is None else ratio_text(_told(ratio), "\N{MULTIPLICATION SIGN}")
    value, bracket, ends = told.partition(" [")
    return {
        "benchmark": comparison.benchmark,
        "first_name": _sides(comparison)[0],
        "second_name": _sides(comparison)[1],
        "first": number[id(comparison.first)],
        "second": number[id(comparison.second)],
        "verdict": comparison.verdict,
        "is_regression": comparison.is_regression,
        "why": texts(comparison.why),
        "ratio": None if ratio is None else _estimate(ratio, texts),
        "ratio_text": value,
        "interval_text": f"{bracket}{ends}".lstrip(),
        "change_text": "" if ratio is None else change_text(_told(ratio)),
        "p": as_plain(p),
        "p_text": "" if p is None else _p_text(p),
        "paired": comparison.paired,
        "needed": comparison.needed,
        "assumptions": [] if ratio is None else [_assumption(one, texts) for one in ratio.assumptions],
    }


def _benchmarks(judgement: Judgement, samples: Sequence[Sample], number: Mapping[int, int]) -> list[dict[str, Any]]:
    """What belongs together: the samples and comparisons of a benchmark, by their numbers."""
    found: dict[str, dict[str, Any]] = {}

    def of(name: str) -> dict[str, Any]:
        return found.setdefault(name, {"name": name, "samples": [], "comparisons": [], "group": None})

    compared = set()
    for i, comparison in enumerate(judgement.comparisons):
        benchmark = of(comparison.benchmark)
        benchmark["comparisons"].append(i)
        for side in (comparison.first, comparison.second):
            compared.add(id(side))
            if number[id(side)] not in benchmark["samples"]:
                benchmark["samples"].append(number[id(side)])
    for sample in samples:
        if id(sample) not in compared:
            of(sample.series.benchmark)["samples"].append(number[id(sample)])
    for i, group in enumerate(judgement.groups):
        of(group.benchmark)["group"] = i
    return list(found.values())


def _group(group: GroupComparison, samples: Sequence[Sample], scales: Mapping[int, Scale]) -> dict[str, Any]:
    scale = next(
        (scales[id(sample)] for sample in samples if sample.series.benchmark == group.benchmark), Scale(1.0, "")
    )
    return {
        "withheld": group.withheld,
        "tables": [_anova(table) for table in (group.variance, group.factors) if table is not None],
        "pairs_method": group.pairs[0].method if group.pairs else "",
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": as_plain(pair.difference),
                "text": _parts(scale, pair)[0],
                "interval_text": _parts(scale, pair)[1],
                "low": None if pair.interval is None else as_plain(pair.interval.low),
                "high": None if pair.interval is None else as_plain(pair.interval.high),
                "p_text": "" if np.isnan(pair.p_value) else _p_text(pair.p_value),
                "withheld": pair.withheld,
            }
            for pair in group.pairs
        ],
    }


def _told(ratio: Estimate) -> float | Estimated:
    return with_interval(ratio.value, ratio.interval)


def _p_text(p: float) -> str:
    text = p_value_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _parts(scale: Scale, pair: PairwiseDifference) -> tuple[str, str]:
    value, bracket, ends = scale.told(with_interval(pair.difference, pair.interval)).partition(" [")
    return value, f"{bracket}{ends}".lstrip()


def _anova(table: AnovaTable) -> dict[str, Any]:
    variation = ""
    if table.within is not None and table.between is not None:
        variation = (
            f"Coefficient of variation: {format_percent(table.within)} within alternatives,"
            f" {format_percent(table.between)} between them."
        )
    return {
        "method": table.method,
        "variation": variation,
        "failed": [f"{one.name} does not hold: {one.finding}" for one in table.assumptions if one.failed],
        "rows": [
            [
                row.source,
                "-" if row.sum_of_squares is None else f"{row.sum_of_squares:.4g}",
                f"{row.degrees_of_freedom:.4g}",
                "-" if row.mean_square is None else f"{row.mean_square:.4g}",
                "" if row.f is None else f"{row.f:.4g}",
                "" if row.p_value is None else _p_text(row.p_value),
            ]
            for row in table.rows
        ],
    }


def _thinned_share(samples: Sequence[Sample], room: int) -> dict[str, int]:
    """How many invocations lost iterations to `room`, and how many iterations all had."""
    lengths = [len(i.values) for sample in samples for i in sample.series.invocations]
    return {
        "room": room,
        "invocations": sum(length > room for length in lengths),
        "iterations": sum(lengths),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
