"""A judgement as a report: verdicts first, then figures, doubts, and how all of it was computed."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from sonde.instruments.bench.judging import Judgement, Sample
from sonde.instruments.bench.report.comparison_tables import FEW, comparison_tables
from sonde.instruments.bench.report.estimates import Cells, assumption_table, data_columns, data_table
from sonde.instruments.bench.report.group_tables import group_tables
from sonde.instruments.bench.report.headline import headline
from sonde.instruments.bench.report.judgement_notices import judgement_notices
from sonde.instruments.bench.report.names import (
    comparison_names,
    least_means,
    metric_text,
    series_names,
    title_of,
)
from sonde.instruments.bench.report.pivot_table import grid_of, pivot_table
from sonde.instruments.bench.report.plots import curves, overview_keys, overviews, plots, strips
from sonde.instruments.bench.report.series_table import series_details, series_table
from sonde.report import Block, Fact, Facts, Note, Notices, PlotKind, Report
from sonde.stats import Assumption


def judgement_report(
    judgement: Judgement, *, rows: int = 40, kinds: Sequence[PlotKind] = (), of_rows: bool = False
) -> Report:
    """All that can be said of a set of measurements, and what cannot.

    Args:
        rows: lines of a table of many benchmarks on paper, about.
        kinds: what to draw besides.
        of_rows: whether rows have plots of their own, with all iterations: pages show them. JSON does without; the
            results file keeps iterations.
    Cost: O(n log n) for n comparisons, O(n) for n values, with plots of rows those of iterations, too.
    """
    changed = judgement.has_regression if judgement.comparisons else None
    outcome = "" if changed is None else "regression" if changed else "no regression"
    blocks = tuple(_blocks(judgement, rows, kinds, of_rows))
    return Report("bench", title_of(judgement), blocks, changed=changed, outcome=outcome, headline=headline(judgement))


def _blocks(judgement: Judgement, rows: int, kinds: Sequence[PlotKind], of_rows: bool) -> Iterator[Block]:
    samples = judgement.samples()
    least = least_means(samples)
    summaries = judgement.summaries
    is_few = len(summaries) <= FEW
    yield from _head(judgement, samples)
    keys = overview_keys(samples) if of_rows else {}
    # A few alternatives are told of in one table.
    is_joined = is_few and bool(summaries) and len(judgement.provenances) == 1
    grid = grid_of(judgement)
    if grid is not None:
        yield pivot_table(judgement, grid, least)
    if of_rows:
        yield from curves(judgement, least)
    # Of a scan of parameters it tells all that matters.
    is_scan = grid is not None and any(sample.series.levels for sample in samples)
    yield from comparison_tables(judgement, samples, least, keys, rows=rows, is_detail=is_joined or is_scan)
    is_shown = bool(summaries) and (is_few or not judgement.comparisons)
    yield series_table(judgement, samples, least, keys, rows=rows, is_shown=is_shown, is_detail=is_scan)
    if is_few:
        yield from strips(summaries, least)
    for kind in kinds:
        yield from plots(judgement, kind, least)
    if of_rows:
        yield from overviews(judgement, samples, keys, least)
    units = {sample.series.benchmark: (sample.metric.unit, least[id(sample)]) for sample in samples}
    yield from group_tables(judgement, units)
    yield Notices(tuple(judgement_notices(judgement, is_shown=is_shown)))
    if judgement.method:
        yield Note(" ".join(judgement.method), "method", "method", is_detail=True)
    yield from series_details(judgement, samples)
    yield assumption_table(_looked_at(judgement, samples))
    yield from _background(judgement)


def _head(judgement: Judgement, samples: Sequence[Sample]) -> Iterator[Facts]:
    names = {PurePath(provenance.file).name for provenance in judgement.provenances}
    is_told = len(names) == len(judgement.provenances)  # by the title: which is first, and which second
    sides = ("first", "second") if len(judgement.provenances) == 2 else ("",) * len(judgement.provenances)
    for side, provenance in zip(sides, judgement.provenances, strict=True):
        told = (
            Fact("file", provenance.file, "place", f"{side}: {{}}" if side else "{}"),
            Fact("tool", provenance.tool),
            Fact("measured_at", provenance.measured_at),
        )
        yield Facts(tuple(fact for fact in told if fact.value), side or "results", is_detail=is_told)
    metrics = list(dict.fromkeys(metric_text(sample) for sample in samples))
    measured = [
        Fact(
            "benchmarks", len({sample.series.benchmark for sample in samples}), "count", "{} benchmarks", "{} benchmark"
        ),
        Fact("series", len(samples), "count", "{} series"),
        Fact("metrics", ", ".join(metrics[:3]) + (", ..." if len(metrics) > 3 else "")),
        Fact("level", 100.0 * judgement.policy.level, "number", "{}% intervals"),
    ]
    yield Facts(tuple(fact for fact in measured if fact.value != ""), "measured")
    counts = judgement.counts()
    regressions = sum(comparison.is_regression for comparison in judgement.comparisons)
    margin = 100.0 * judgement.policy.equivalent
    verdicts = [
        Fact("comparisons", len(judgement.comparisons), "count", "{} comparisons", "{} comparison"),
        Fact("worse", counts["worse"], "count", "{} worse"),
        Fact("better", counts["better"], "count", "{} better"),
        Fact("same", counts["same"], "count", f"{{}} the same (no difference beyond {margin:g}%)"),
        Fact("unclear", counts["unclear"], "count", "{} cannot be said"),
    ]
    if regressions != counts["worse"]:
        verdicts.insert(2, Fact("regressions", regressions, "count", "{} of them beyond the tolerance"))
    if judgement.geometric_mean is not None:
        verdicts.append(Fact("geometric_mean", judgement.geometric_mean, "ratio", "geometric mean of ratios {}"))
    yield Facts(tuple(verdicts), "verdicts", is_secondary=len(judgement.comparisons) < 2, is_detail=True)


def _looked_at(
    judgement: Judgement, samples: Sequence[Sample]
) -> Iterator[tuple[str, int, str, str, tuple[Assumption, ...]]]:
    number = {id(sample): i for i, sample in enumerate(samples)}
    names = series_names(samples)
    for summary in judgement.summaries:
        at = number[id(summary.sample)]
        yield "series", at, names[at], "", summary.assumptions
        for key, estimate in (("mean", summary.mean), ("median", summary.median)):
            if estimate is not None:
                yield "series", at, names[at], key, estimate.assumptions
        if summary.split is not None:
            yield "splits", at, names[at], "within_variance", (summary.split.independence,)
            yield "splits", at, names[at], "between", summary.split.between.assumptions
    for i, (name, comparison) in enumerate(zip(comparison_names(judgement), judgement.comparisons, strict=True)):
        for key, found in (
            ("ratio", comparison.ratio),
            ("difference", comparison.difference),
            ("test", comparison.test),
        ):
            if found is not None:
                yield "comparisons", i, name, key, found.assumptions
    for i, group in enumerate(judgement.groups):
        for key, table in (("variance", group.variance), ("factors", group.factors)):
            if table is not None:
                yield "groups", i, group.benchmark, key, table.assumptions
        if group.pairs:
            yield "groups", i, group.benchmark, "pairs", group.pairs[0].assumptions


def _background(judgement: Judgement) -> Iterator[Block]:
    """For programs: by which rules it was judged, on what it was measured, and what had no partner."""
    policy = judgement.policy
    yield Facts(
        tuple(Fact(field.name, getattr(policy, field.name)) for field in dataclasses.fields(policy)),
        "policy",
        is_secondary=True,
    )
    environment: list[Cells] = [
        {"results": i, "name": name, "value": value}
        for i, provenance in enumerate(judgement.provenances)
        for name, value in provenance.environment.items()
    ]
    columns = (*data_columns("count", "results"), *data_columns("text", "name value"))
    yield data_table("environment", columns, environment)
    yield data_table("unmatched", data_columns("text", "text"), ({"text": text} for text in judgement.unmatched))
