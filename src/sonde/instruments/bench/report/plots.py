"""Plots of a judgement: how series are spread, their values in order, their distributions and intervals.

Pages have an overview of each benchmark, too, which belongs to the rows that tell of it.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sonde.base.fitted_text import printable
from sonde.base.units import counted
from sonde.instruments.bench.judging import Comparison, Judgement, Summary
from sonde.instruments.bench.judging import Sample as Judged
from sonde.instruments.bench.report.estimates import with_interval
from sonde.instruments.bench.report.names import names_of_sides, series_names
from sonde.instruments.bench.report.pivot_table import LEAST_POINTS, dimensions_of, number_of, numeric_dimension
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
        yield Plot(
            "spread",
            "strips",
            "how invocations are spread",
            samples,
            ("the mean and its interval below",),
            is_detail=True,
        )


def overviews(judgement: Judgement, samples: Sequence[Judged], keys: Mapping[int, str], least: Least) -> Iterator[Plot]:
    """One plot for each benchmark, of all its series and their iterations.

    Args:
        keys: of the plot of each sample, by the sample's `id`: see `overview_keys`.
    """
    summaries = {id(summary.sample): summary for summary in judgement.summaries}
    called = _called(judgement.comparisons)
    of_benchmark: dict[str, list[Judged]] = {}
    for sample in samples:
        of_benchmark.setdefault(keys[id(sample)], []).append(sample)
    is_told = len(samples) <= _MOST
    for key, series in of_benchmark.items():
        drawn = []
        for name, sample in zip(series_names(series), series, strict=True):
            name = called.get(id(sample), name)
            summary = summaries.get(id(sample))
            made = _values(name, sample, least) if summary is None else _sample(name, summary, least)
            drawn.append(replace(made, members=_members(sample, least, is_told=is_told)))
        yield Plot(key, "overview", series[0].series.benchmark, tuple(drawn), is_secondary=True)


def overview_keys(samples: Sequence[Judged]) -> dict[int, str]:
    """Which plot shows each sample, by its `id`: those of a benchmark are in one."""
    numbers: dict[str, int] = {}
    return {
        id(sample): f"overview-{numbers.setdefault(sample.series.benchmark, len(numbers) + 1)}" for sample in samples
    }


def _called(comparisons: Sequence[Comparison]) -> dict[int, str]:
    """What comparisons call their samples: of two files, it is all that tells these apart."""
    names: dict[int, str] = {}
    for comparison in comparisons:
        names[id(comparison.first)], names[id(comparison.second)] = names_of_sides(comparison)
    return names


def _members(sample: Judged, least: Least, *, is_told: bool) -> tuple[Sample, ...]:
    """The iterations of each invocation; none where there are none, or not what was measured.

    Args:
        is_told: whether each says how it became steady; of very many there is no room for it.
    """
    if not sample.has_runs:
        return ()
    made = []
    for number, place in enumerate(sample.counted):
        run = sample.series.invocations[place].values
        steady = sample.steadiness[number] if number < len(sample.steadiness) else None
        told = "" if steady is None else f": {steady.sentence}" if is_told else f", {steady.kind}"
        name = f"iterations of invocation {place + 1:,}{told}"
        counted_ones = (sample.steady_from[number], sample.steady_to[number] if sample.steady_to else len(run))
        values = array("d", run.tobytes())
        made.append(Sample(name, values, sample.metric.unit, least[id(sample)], counted=counted_ones))
    return tuple(made)


def curves(judgement: Judgement, least: Least) -> Iterator[Plot]:
    """Means against a parameter that is a number, a line for each combination of all else; for pages.

    None where no parameter is, or two files are compared.
    """
    summaries = judgement.summaries
    found = dimensions_of([summary.sample for summary in summaries]) if len(summaries) >= LEAST_POINTS else None
    at = None if found is None else numeric_dimension(found)
    if found is None or at is None or len(judgement.provenances) != 1:
        return
    name = found.names[at]
    samples = tuple(
        replace(
            _sample(called, summary, least),
            at=number_of(place[at]),
            group=", ".join(level for number, level in enumerate(place) if number != at),
        )
        for called, summary, place in zip(
            series_names([summary.sample for summary in summaries]), summaries, found.places, strict=True
        )
    )
    metric = summaries[0].sample.metric.name
    yield Plot("curve", "curve", f"{metric} against {name}", samples, axis=name)


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
    drawn = _sample(name, summary, least)
    last = n + len(drawn.gaps)
    legend = f"invocations 1 to {last:,}, in the order of the run" if kind == "sequence" else ""
    yield Plot(key, kind, name, (drawn,), (sample.metric.name,), legend)
    if kind == "sequence" and n and sample.series.mode == "steady" and sample.metric == sample.series.metric:
        yield from _iterations(key, sample, least)


def _iterations(key: str, sample: Judged, least: Least) -> Iterator[Plot]:
    """The iterations of the invocation with the median value, the lower one of two; those that count are marked."""
    place = sample.typical()
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
    mean, outliers = summary.mean, summary.outliers
    return replace(
        _values(name, summary.sample, least),
        mean=None if mean is None else with_interval(mean.value, mean.interval),
        median=None if summary.median is None else float(summary.median.value),
        outliers=() if outliers is None else tuple(sorted({*outliers.mild, *outliers.severe})),
    )


def _values(name: str, sample: Judged, least: Least) -> Sample:
    """The values of the invocations that count, and why others do not."""
    gaps = {
        place: "" if each.outcome == "ok" else printable(f"{each.outcome} {each.detail}".rstrip())
        for place, each in sample.left_out().items()
    }
    unit, group = sample.metric.unit, sample.series.benchmark
    return Sample(name, sample.values.tolist(), unit, least[id(sample)], group=group, gaps=gaps)
