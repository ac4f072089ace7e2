"""What to call judgements, series and comparisons: by what tells them apart."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from sonde.base.fitted_text import printable
from sonde.instruments.bench.judging import Comparison, Judgement, Sample
from sonde.instruments.bench.unnamed_benchmark import COMMANDS, FUNCTIONS

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
    tells_nothing = not samples or samples[0].series.benchmark in ("", COMMANDS, FUNCTIONS)
    one_alternative = len({sample.series.alternative for sample in samples}) == 1
    names = [
        series_name(
            sample,
            one_benchmark=one_benchmark and (len(samples) > 1 or tells_nothing),
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


def least_means(samples: Iterable[Sample]) -> dict[int, float | None]:
    """The mean by which the unit of each sample is chosen, by the sample's `id`.

    It is the least of its benchmark, so that its samples have one unit, unless their means are far apart.
    """
    by_benchmark: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        by_benchmark.setdefault((sample.series.benchmark, sample.metric.unit), []).append(sample)
    found: dict[int, float | None] = {}
    for group in by_benchmark.values():
        means = {id(sample): float(sample.values.mean()) for sample in group if len(sample.values)}
        sizes = [abs(mean) for mean in means.values() if mean]
        together = not sizes or max(sizes) < _FAR_APART * min(sizes)
        for sample in group:
            own = means.get(id(sample))
            found[id(sample)] = min(sizes, default=None) if together or own is None else own
    return found


def metric_text(sample: Sample) -> str:
    """What is measured, and which way is better, where that is not plain."""
    metric = sample.metric
    known = metric.name in ("wall", "cpu", "user", "system", "peak-memory")
    usual = metric.better == "lower" and (known or metric.unit == "s")
    better = "" if usual else f", {metric.better} is better"
    unit = "" if known or metric.unit in ("1", "") else f" in {metric.unit}"
    return f"{printable(metric.name)}{printable(unit)}{better}"


def title_of(judgement: Judgement) -> str:
    """What was judged: two files, one, or the alternatives of a single benchmark."""
    files = [Path(provenance.file).name for provenance in judgement.provenances if provenance.file]
    if len(files) == 2:
        return f"{files[1]} against {files[0]}"
    names = list(dict.fromkeys(summary.sample.series.alternative for summary in judgement.summaries))
    benchmarks = list(dict.fromkeys(summary.sample.series.benchmark for summary in judgement.summaries))
    if len(benchmarks) == 1 and 0 < len(names) <= 3 and all(names):
        what = " against ".join(reversed(names)) if len(names) == 2 else ", ".join(names)
        return f"{benchmarks[0]}: {what}" if benchmarks[0] and benchmarks[0] not in names else what
    return files[0] if files else "benchmarks"


def names_of_sides(comparison: Comparison) -> tuple[str, str]:
    """What both sides are called: of files the names without their folders, where these differ."""
    first, second = comparison.first_name, comparison.second_name
    if " " in first or " " in second:  # commands, whose ends may be paths, too
        return first, second
    ends = PurePath(first).name, PurePath(second).name
    return ends if ends[0] != ends[1] and all(ends) else (first, second)


def comparison_names(judgement: Judgement) -> list[str]:
    """What to call each comparison: the benchmark, and the sides that are not the same in all of them.

    Where two files are compared, the head of the report says which is first and which second.
    """
    comparisons = judgement.comparisons
    is_of_files = len(judgement.provenances) == 2
    one_benchmark = len({each.benchmark for each in comparisons}) == 1 and not is_of_files
    one_first = len({each.first_name for each in comparisons}) == 1
    one_second = len({each.second_name for each in comparisons}) == 1
    return [
        _comparison_name(
            each,
            with_benchmark=not one_benchmark,
            with_second=one_benchmark or not one_second,
            with_first=one_benchmark or not one_first,
        )
        for each in comparisons
    ]


def full_name(comparison: Comparison, judgement: Judgement) -> str:
    """What to call a comparison in a sentence."""
    is_of_files = len(judgement.provenances) == 2
    benchmarks = {each.benchmark for each in judgement.comparisons}
    return _comparison_name(
        comparison,
        with_benchmark=is_of_files or len(benchmarks) > 1,
        with_second=not is_of_files,
        with_first=not is_of_files,
    )


def _comparison_name(comparison: Comparison, *, with_benchmark: bool, with_second: bool, with_first: bool) -> str:
    name = printable(comparison.benchmark) if with_benchmark else ""
    if with_second:
        name = f"{name}{' · ' if name else ''}{printable(comparison.second_name)}"
    return f"{name} against {printable(comparison.first_name)}" if with_first else name
