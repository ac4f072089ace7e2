"""What can be said of each series, as tables: figures for everybody, and all values for programs."""

from collections.abc import Iterator, Mapping, Sequence

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.instruments.bench.judging import Judgement, Sample, Summary
from sonde.instruments.bench.report.comparison_tables import verdict_mark
from sonde.instruments.bench.report.estimates import (
    Cells,
    data_columns,
    data_table,
    how_found,
    measured,
    row_of,
    with_interval,
)
from sonde.instruments.bench.report.names import series_names
from sonde.instruments.bench.report.series_words import sample_size, split_in_words
from sonde.report import Column, Quantity, Table, Values

_COLUMNS = (
    Column("mean", "mean", "measured", meaning="of the invocations, with its interval"),
    Column("ratio", "ratio", "ratio", priority=1, meaning="of means, to the baseline"),
    Column("median", "median", "measured", priority=4),
    Column("deviation", "deviation", "measured", priority=8, meaning="standard deviation between invocations"),
    Column("variation", "spread", "share", priority=3, meaning="the deviation as a share of the mean"),
    Column("least", "least", "measured", priority=7),
    Column("greatest", "greatest", "measured", priority=7),
    Column("n", "n", "count", priority=2, meaning="invocations that count"),
    Column("name", "series", "name"),
    Column("size", "size", shown="details"),
    Column("remarks", "remarks", shown="details"),
    *data_columns("text", "benchmark"),
    Column("alternative", "alternative", shown="data", is_category=True),
    Column("verdict", "verdict", shown="data", is_category=True),
    *data_columns("text", "levels mode metric unit better steadiness unsupported outliers"),
    *data_columns("number", "values"),
    *data_columns("count", "invocations rounds steady_from steady_to failed warm_up_rounds unsettled"),
    *data_columns("count", "outliers_mild outliers_severe outliers_far mean_sizes median_sizes"),
    *data_columns("text", "mean_method mean_withheld median_method median_withheld"),
)
_LONGEST_NAME = 40
"""Columns for the name of the baseline."""
_NAMED = (Column("name", "series", "name"), Column("series", "row", "count", shown="data"))
_FAILURES = (
    Column("outcome", "outcome", is_category=True),
    Column("detail", "detail"),
    Column("invocation", "invocation, from 0", "count"),
    *_NAMED,
)
_SPLITS = (
    Column("between", "between invocations", "number", meaning="variance"),
    Column("within_variance", "between iterations", "number", meaning="variance"),
    Column("invocations", "invocations", "count"),
    Column("iterations", "iterations", "count"),
    *_NAMED,
    *data_columns("number", "mean standard_error iterations_per_invocation"),
    *data_columns("text", "is_truncated between_method between_withheld"),
    *data_columns("count", "between_sizes"),
)
_DESIGNS = (
    Column("invocations", "invocations", "count"),
    Column("iterations", "iterations", "count"),
    Column("half_width_relative", "half width", "share"),
    Column("cost_s", "cost in s", "number"),
    Column("reason", "reason"),
    *_NAMED,
    *data_columns("number", "level"),
)


def series_table(
    judgement: Judgement,
    samples: Sequence[Sample],
    least: Mapping[int, float | None],
    plots: Mapping[int, str],
    *,
    rows: int,
    is_shown: bool,
    is_detail: bool = False,
) -> Table:
    """One row for each series, in the order of the measurements; a `!` marks those that a notice tells of.

    Args:
        plots: the key of the plot of each sample, by its `id`.
        is_detail: whether paper tells of them elsewhere.
    """
    summaries = {id(summary.sample): summary for summary in judgement.summaries}
    # Where two files are compared, each comparison is a row of another table.
    against = {id(each.second): each for each in judgement.comparisons} if len(judgement.provenances) == 1 else {}
    made = []
    for name, sample in zip(series_names(samples), samples, strict=True):
        summary = summaries.get(id(sample))
        cells = {"name": name, **_sample_cells(sample)}
        if summary is not None:
            cells |= _summary_cells(summary, least[id(sample)])
        mark = "!" if summary is not None and summary.objections() else ""
        if (comparison := against.get(id(sample))) is not None:
            ratio = comparison.ratio
            cells |= {"verdict": comparison.verdict}
            cells |= {"ratio": None if ratio is None else with_interval(ratio.value, ratio.interval)}
            mark = verdict_mark(comparison) + mark
        made.append(row_of(_COLUMNS, cells, mark=mark, plot=plots.get(id(sample), "")))
    baselines = {each.first_name for each in against.values()}
    notes = (f"ratio: to {keep_both_ends(printable(*baselines), _LONGEST_NAME)}",) if len(baselines) == 1 else ()
    return Table(
        "series", "series", _COLUMNS, made, notes, "series", rows, is_secondary=not is_shown, is_detail=is_detail
    )


def series_details(judgement: Judgement, samples: Sequence[Sample]) -> Iterator[Table]:
    """For pages and programs: failures, variances and designs; `series` counts rows of the table of series."""
    number = {id(sample): i for i, sample in enumerate(samples)}
    names = series_names(samples)
    failures: list[Cells] = [
        {"series": at, "name": names[at], "invocation": i, "outcome": each.outcome, "detail": each.detail}
        for at, sample in enumerate(samples)
        for i, each in enumerate(sample.series.invocations)
        if each.outcome != "ok"
    ]
    yield data_table("failures", _FAILURES, failures)
    splits: list[Cells] = []
    designs: list[Cells] = []
    for summary in judgement.summaries:
        split, design, at = summary.split, summary.design, number[id(summary.sample)]
        if split is not None:
            told = {key.key: getattr(split, key.key, None) for key in _SPLITS}
            between: Cells = {"between": split.between.value, **how_found("between", split.between)}
            splits.append({**told, **between, "series": at, "name": names[at]})
        if design is not None:
            designs.append(
                {**{key.key: getattr(design, key.key, None) for key in _DESIGNS}, "series": at, "name": names[at]}
            )
    yield data_table("splits", _SPLITS, splits)
    yield data_table("designs", _DESIGNS, designs)


def _sample_cells(sample: Sample) -> Cells:
    series = sample.series
    return {
        "size": sample_size(sample),
        "benchmark": series.benchmark,
        "alternative": series.alternative,
        "levels": Values([f"{factor}={level}" for factor, level in series.levels.items()]),
        "mode": series.mode,
        "metric": sample.metric.name,
        "better": sample.metric.better,
        "n": len(sample.values),
        "values": Values(sample.values.tolist()),
        "unit": sample.metric.unit,
        "invocations": Values(sample.counted),
        "rounds": Values(sample.rounds),
        "steady_from": Values(sample.steady_from),
        "steady_to": Values(sample.steady_to),
        "steadiness": Values([each.kind for each in sample.steadiness]),
        "failed": sample.failed,
        "warm_up_rounds": sample.warm_up_rounds,
        "unsettled": sample.unsettled,
        "unsupported": sample.unsupported,
    }


def _summary_cells(summary: Summary, least: float | None) -> Cells:
    unit, mean, deviation, outliers = summary.sample.metric.unit, summary.mean, summary.deviation, summary.outliers
    cells: Cells = {
        "mean": measured(mean, unit, least),
        "median": measured(summary.median, unit, least),
        **how_found("mean", mean),
        **how_found("median", summary.median),
    }
    for key, value in (("deviation", deviation), ("least", summary.least), ("greatest", summary.greatest)):
        if value is not None:
            cells[key] = Quantity(float(value), unit, least)
    if mean is not None and mean.value and deviation is not None:
        cells["variation"] = deviation / abs(mean.value)
    remarks = [f"no interval: {mean.withheld}"] if mean is not None and mean.withheld else []
    if outliers is not None and outliers.count:
        remarks.append(f"outliers: {outliers.finding}; none was removed")
    if summary.split is not None:
        remarks.append(split_in_words(summary.split))
    if summary.design is not None:
        remarks.append(f"cheapest repetition: {summary.design}")
    if remarks:
        cells["remarks"] = Values(remarks)
    if outliers is not None:
        cells |= {
            "outliers": outliers.finding,
            "outliers_mild": Values(outliers.mild),
            "outliers_severe": Values(outliers.severe),
            "outliers_far": Values(outliers.far),
        }
    return cells
