"""What to call series on a page: by what tells them apart."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sonde.base.fitted_text import printable
from sonde.instruments.bench.judging import Judgement, Sample
from sonde.instruments.bench.report.quantities import Scale, scale_for

_FAR_APART = 1000.0
"""Means of a benchmark that differ by more than this factor have each a unit of their own."""


def series_name(sample: Sample, *, one_benchmark: bool, one_alternative: bool) -> str:
    """The benchmark, the alternative, or both.

    Args:
        one_benchmark, one_alternative: whether all series on the page have the same one, which is then left out.
    """
    benchmark, alternative = printable(sample.series.benchmark), printable(sample.series.alternative)
    if one_benchmark and alternative:
        return alternative
    if one_alternative or not alternative or alternative == benchmark:
        return benchmark or alternative
    return f"{benchmark} · {alternative}"


def series_names(samples: Sequence[Sample]) -> list[str]:
    """Names of several series, in their order."""
    one_benchmark = len({sample.series.benchmark for sample in samples}) == 1
    one_alternative = len({sample.series.alternative for sample in samples}) == 1
    names = [
        series_name(
            sample,
            one_benchmark=one_benchmark and (len(samples) > 1 or not sample.series.benchmark),
            one_alternative=one_alternative,
        )
        for sample in samples
    ]
    # Where two files are compared, each name is there twice, the old one first.
    met: Counter[str] = Counter()
    total = Counter(names)
    for i, name in enumerate(names):
        if total[name] == 2:
            met[name] += 1
            names[i] = f"{name}, {'first' if met[name] == 1 else 'second'}"
    return names


def common_scale(samples: Iterable[Sample]) -> dict[int, Scale]:
    """A unit for each sample, by the sample's `id`: the same within a benchmark, unless its means are far apart."""
    by_benchmark: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        by_benchmark.setdefault((sample.series.benchmark, sample.metric.unit), []).append(sample)
    scales = {}
    for (_, unit), group in by_benchmark.items():
        means = {id(sample): float(sample.values.mean()) for sample in group if len(sample.values)}
        sizes = [abs(mean) for mean in means.values() if mean]
        together = not sizes or max(sizes) < _FAR_APART * min(sizes)
        shared = scale_for(unit, means.values())
        for sample in group:
            own = means.get(id(sample))
            scales[id(sample)] = shared if together or own is None else scale_for(unit, [own])
    return scales


def metric_text(sample: Sample) -> str:
    """What is measured, and which way is better, where that is not plain."""
    metric = sample.metric
    known = metric.name in ("wall", "user", "system", "peak-memory")
    usual = metric.better == "lower" and (known or metric.unit == "s")
    better = "" if usual else f", {metric.better} is better"
    unit = "" if known or metric.unit in ("1", "") else f" in {metric.unit}"
    return f"{printable(metric.name)}{printable(unit)}{better}"


def all_samples(judgement: Judgement) -> list[Sample]:
    """The samples of summaries and comparisons, each once."""
    found = [summary.sample for summary in judgement.summaries]
    found.extend(sample for pair in judgement.comparisons for sample in (pair.first, pair.second))
    return list({id(sample): sample for sample in found}.values())
