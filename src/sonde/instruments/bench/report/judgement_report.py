"""A judgement as a report: verdicts first, then figures, doubts, and how all of it was computed."""

import dataclasses
from collections.abc import Iterator, Sequence

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.base.units import format_count
from sonde.evidence import Doubt, Loss, Remark, Reservation
from sonde.instruments.bench.judging import Judgement, Sample, Summary
from sonde.instruments.bench.report.comparison_tables import (
    FEW,
    comparison_notices,
    comparison_tables,
    verdict_sentences,
)
from sonde.instruments.bench.report.estimates import Cells, assumption_table, data_columns, data_table
from sonde.instruments.bench.report.group_tables import group_notices, group_tables
from sonde.instruments.bench.report.names import (
    comparison_names,
    least_means,
    metric_text,
    series_names,
    title_of,
)
from sonde.instruments.bench.report.plots import overview_keys, overviews, plots, strips
from sonde.instruments.bench.report.series_table import series_details, series_table
from sonde.instruments.bench.report.series_words import STEADY_STATE, failed_in_words, sample_size, split_in_words
from sonde.report import Block, Fact, Facts, Findings, Note, Notices, PlotKind, Report
from sonde.stats import Assumption

_EXAMPLES = 3
"""Failures of a series that are told one by one; the table of failures has all."""

_LONGEST_NAME = 40
"""Columns for the name of a series in sentences."""

_MOST_UNMATCHED = 5
"""Benchmarks without a partner that are told one by one; the table of them has all."""


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
    return Report("bench", title_of(judgement), blocks, changed=changed, outcome=outcome)


def _blocks(judgement: Judgement, rows: int, kinds: Sequence[PlotKind], of_rows: bool) -> Iterator[Block]:
    samples = judgement.samples()
    least = least_means(samples)
    summaries = judgement.summaries
    is_few = len(summaries) <= FEW
    yield from _head(judgement, samples)
    if 0 < len(judgement.comparisons) <= FEW:
        yield Findings(tuple(verdict_sentences(judgement)))
    keys = overview_keys(samples) if of_rows else {}
    yield from comparison_tables(judgement, samples, least, keys, rows=rows)
    is_shown = bool(summaries) and (is_few or not judgement.comparisons)
    yield series_table(judgement, samples, least, keys, rows=rows, is_shown=is_shown)
    if is_few:
        yield from strips(summaries, least)
    for kind in kinds:
        yield from plots(judgement, kind, least)
    if of_rows:
        yield from overviews(judgement, samples, keys, least)
    units = {sample.series.benchmark: (sample.metric.unit, least[id(sample)]) for sample in samples}
    yield from group_tables(judgement, units)
    yield Notices(tuple(_notices(judgement, is_shown=is_shown)))
    if judgement.method:
        yield Note(" ".join(judgement.method), "method", "method")
    yield from series_details(judgement, samples)
    yield assumption_table(_looked_at(judgement, samples))
    yield from _background(judgement)


def _head(judgement: Judgement, samples: Sequence[Sample]) -> Iterator[Facts]:
    sides = ("first", "second") if len(judgement.provenances) == 2 else ("",) * len(judgement.provenances)
    for side, provenance in zip(sides, judgement.provenances, strict=True):
        told = (
            Fact("file", provenance.file, "place", f"{side}: {{}}" if side else "{}"),
            Fact("tool", provenance.tool),
            Fact("measured_at", provenance.measured_at),
        )
        yield Facts(tuple(fact for fact in told if fact.value), f"{side or 'results'}")
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
    yield Facts(tuple(verdicts), "verdicts", is_secondary=len(judgement.comparisons) < 2)


def _notices(judgement: Judgement, *, is_shown: bool) -> Iterator[Reservation]:
    yield from dict.fromkeys(judgement.doubts)
    for text in judgement.unmatched[:_MOST_UNMATCHED]:
        yield Loss("", 0, f"not compared: {text}")
    if len(judgement.unmatched) > _MOST_UNMATCHED:
        yield Loss("", 0, f"{format_count(len(judgement.unmatched) - _MOST_UNMATCHED)} more were not compared")
    if is_shown:
        yield from _series_notices(judgement.summaries)
    yield from comparison_notices(judgement)
    yield from group_notices(judgement)


def _series_notices(summaries: Sequence[Summary]) -> Iterator[Reservation]:
    """What to know before believing a series: of a few one by one, of many how many have which doubt."""
    if len(summaries) > FEW:
        found: dict[str, int] = {}
        for summary in summaries:
            for text in summary.objections():
                found[text] = found.get(text, 0) + 1
        for text, count in found.items():
            yield Doubt("", f"{format_count(count)} of {format_count(len(summaries))} series: {text}")
        return
    names = series_names([summary.sample for summary in summaries])
    sizes = [_size(summary.sample) for summary in summaries]
    is_alike = len(summaries) > 1 and len(set(sizes)) == 1
    if is_alike and sizes[0]:
        yield Remark("", f"each series: {sizes[0]}")
    for summary, name, size in zip(summaries, names, sizes, strict=True):
        before = f"{keep_both_ends(name, _LONGEST_NAME)}: " if len(summaries) > 1 else ""
        if size and not is_alike:
            yield Remark("", f"{before}{size}")
        for notice in (*_failures(summary.sample), *_doubts(summary), *_remarks(summary)):
            yield dataclasses.replace(notice, detail=f"{before}{notice.detail}")


def _size(sample: Sample) -> str:
    """How many invocations there were, where that is more than the number that counts."""
    says_more = sample.series.mode == "steady" or not sample.series.separate or sample.warm_up_rounds
    return sample_size(sample) if says_more else ""


def _failures(sample: Sample) -> Iterator[Reservation]:
    details: dict[str, int] = {}
    for invocation in sample.series.invocations:
        if invocation.outcome != "ok":
            text = printable(invocation.detail) or invocation.outcome
            details[text] = details.get(text, 0) + 1
    total = format_count(len(sample.series.invocations))
    for text, count in list(details.items())[:_EXAMPLES]:
        yield Loss("", 0, f"{format_count(count)} of {total} invocations failed: {text}")
    if len(details) > _EXAMPLES:
        rest = format_count(sum(list(details.values())[_EXAMPLES:]))
        yield Loss("", 0, f"{rest} more failed in {len(details) - _EXAMPLES:,} other ways")


def _doubts(summary: Summary) -> Iterator[Reservation]:
    if summary.mean is None:
        yield Loss("", 0, "nothing can be said: not one invocation ended well")
        return
    if summary.mean.withheld:
        yield Doubt("", f"no interval: {summary.mean.withheld}")
    for assumption in summary.assumptions:
        if assumption.failed:
            yield Doubt("", failed_in_words(assumption))


def _remarks(summary: Summary) -> Iterator[Reservation]:
    if summary.outliers is not None and summary.outliers.count:
        yield Remark("", f"outliers: {summary.outliers.finding}; none was removed")
    for assumption in summary.assumptions:
        if assumption.name == STEADY_STATE and not assumption.failed:
            yield Remark("", f"steady state: {assumption.finding}")
    if summary.split is not None:
        yield Remark("", split_in_words(summary.split))
    if summary.design is not None:
        yield Remark("", f"cheapest repetition: {summary.design}")


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
