"""Plots of a judgement: how series are spread, their values in order, their distributions and intervals."""

from collections.abc import Iterator, Mapping, Sequence

from sonde.base.units import counted
from sonde.instruments.bench.judging import Judgement, Summary
from sonde.instruments.bench.judging import Sample as Judged
from sonde.instruments.bench.report.estimates import with_interval
from sonde.instruments.bench.report.names import series_names
from sonde.report import Note, Plot, PlotKind, Sample

PLOTS: tuple[PlotKind, ...] = ("sequence", "distribution", "intervals")
"""What can be asked for."""

_MOST = 12
"""Plots of a kind; the rest is counted."""

Least = Mapping[int, float | None]
"""The mean by which the unit of a sample is chosen, by the sample's `id`."""


def strips(summaries: Sequence[Summary], least: Least) -> Iterator[Plot]:
    """How each of a few series is spread, those of a benchmark on one axis; none where all have a single value."""
    names = series_names([summary.sample for summary in summaries])
    samples = tuple(
        _sample(name, summary, least)
        for name, summary in zip(names, summaries, strict=True)
        if len(summary.sample.values) > 1
    )
    if samples:
        yield Plot("spread", "strips", "how invocations are spread", samples, ("the mean and its interval below",))


def plots(judgement: Judgement, kind: PlotKind, least: Least) -> Iterator[Plot | Note]:
    """One plot for each series, or for `intervals` one for each benchmark."""
    summaries = judgement.summaries
    if not summaries:
        yield Note(f"nothing to draw for {kind}: no series was summarised", f"{kind}-none")
        return
    if kind == "intervals":
        groups: dict[tuple[str, str], list[Summary]] = {}
        for summary in summaries:
            groups.setdefault((summary.sample.series.benchmark, summary.sample.metric.name), []).append(summary)
        for number, group in enumerate(list(groups.values())[:_MOST], 1):
            yield _intervals(f"intervals-{number}", group, least)
        left, noun, plural = len(groups) - _MOST, "more benchmark", "more benchmarks"
    else:
        names = series_names([summary.sample for summary in summaries])
        for number, (name, summary) in enumerate(list(zip(names, summaries, strict=True))[:_MOST], 1):
            yield from _of_series(f"{kind}-{number}", kind, name, summary, least)
        left, noun, plural = len(summaries) - _MOST, "more series", "more series"
    if left > 0:
        yield Note(f"… {counted(left, noun, plural)}", f"{kind}-more")


def _of_series(key: str, kind: PlotKind, name: str, summary: Summary, least: Least) -> Iterator[Plot]:
    sample = summary.sample
    n = len(sample.values)
    legend = f"invocations 1 to {n:,}, in the order of the run" if kind == "sequence" else ""
    yield Plot(key, kind, name, (_sample(name, summary, least),), (sample.metric.name,), legend)
    if kind == "sequence" and n and sample.series.mode == "steady" and sample.metric == sample.series.metric:
        yield from _iterations(key, sample, least)


def _iterations(key: str, sample: Judged, least: Least) -> Iterator[Plot]:
    """The iterations of the invocation with the median value, the lower one of two; those that count are marked."""
    place = sorted(range(len(sample.values)), key=lambda at: float(sample.values[at]))[(len(sample.values) - 1) // 2]
    invocation = sample.counted[place]
    values = sample.series.invocations[invocation].values
    if len(values) < 2:
        return
    stop = sample.steady_to[place] if sample.steady_to else len(values)
    told = f", {sample.steadiness[place].kind}" if place < len(sample.steadiness) else ""
    number = f"{invocation + 1} of {len(sample.series.invocations)}"
    legend = f"iterations 1 to {len(values):,} of invocation {number}{told}"
    drawn = Sample(
        f"invocation {number}",
        values.tolist(),
        sample.metric.unit,
        least[id(sample)],
        counted=(sample.steady_from[place], stop),
    )
    yield Plot(f"{key}-iterations", "sequence", "", (drawn,), legend=legend)


def _intervals(key: str, group: Sequence[Summary], least: Least) -> Plot:
    names = series_names([summary.sample for summary in group])
    series = group[0].sample.series
    why = sorted({summary.mean.withheld for summary in group if summary.mean is not None and summary.mean.withheld})
    return Plot(
        key,
        "intervals",
        series.benchmark or "means",
        tuple(_sample(name, summary, least) for name, summary in zip(names, group, strict=True)),
        (group[0].sample.metric.name,),
        f"● without an interval: {'; '.join(why)}" if why else "",
    )


def _sample(name: str, summary: Summary, least: Least) -> Sample:
    sample, mean, outliers = summary.sample, summary.mean, summary.outliers
    return Sample(
        name,
        sample.values.tolist(),
        sample.metric.unit,
        least[id(sample)],
        None if mean is None else with_interval(mean.value, mean.interval),
        None if summary.median is None else float(summary.median.value),
        () if outliers is None else tuple(sorted({*outliers.mild, *outliers.severe})),
        group=sample.series.benchmark,
    )
