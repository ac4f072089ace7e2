"""Comparisons as tables, one for each verdict: what got worse first, worst first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Remark, Reservation
from sonde.instruments.bench.judging import Comparison, Judgement, Ranked, Sample, Verdict, ranked
from sonde.instruments.bench.report.estimates import Cells, data_columns, how_found, measured, row_of, with_interval
from sonde.instruments.bench.report.names import comparison_names, full_name, series_names
from sonde.instruments.bench.report.series_words import failed_in_words
from sonde.report import Column, Quantity, Row, Table, Tone, Values

FEW = 8
"""Up to so many comparisons, and series, are told one by one; of more the most important are listed."""

_LEAST_SHOWN = 5
"""Rows that a verdict gets even where a worse one has taken all of them."""

_REASONS = 3
"""Different reasons for withheld intervals that are told; the tables have all."""

_TITLES: dict[Verdict, str] = {"worse": "worse", "better": "better", "unclear": "cannot say", "same": "same"}
_MARKS: dict[Verdict, str] = {"worse": "▲", "better": "▼", "unclear": "?", "same": "="}
_TONES: dict[Verdict, Tone] = {"worse": "bad", "better": "good", "unclear": "", "same": ""}

_DATA = (
    Column("why", "why", shown="details"),
    *data_columns("text", "benchmark"),
    *(
        Column(key, title, shown="data", is_category=True)
        for key, title in (("verdict", "verdict"), ("first_name", "first"), ("second_name", "second"))
    ),
    *data_columns("text", "is_regression paired"),
    *data_columns("count", "number first_series second_series"),
    *data_columns("name", "first_series_name second_series_name"),
    *data_columns("measured", "difference"),
    *data_columns("p-value", "p_value adjusted_p"),
    *data_columns("number", "statistic degrees_of_freedom"),
    *data_columns("text", "hypothesis"),
    *(
        column
        for of in ("ratio", "difference", "test")
        for column in (*data_columns("text", f"{of}_method {of}_withheld"), *data_columns("count", f"{of}_sizes"))
    ),
)


def verdict_mark(comparison: Comparison) -> str:
    """One sign for a verdict, so that colour is not the only one to tell: up where the value goes up."""
    if comparison.verdict in ("worse", "better"):
        if comparison.ratio is not None and comparison.ratio.value > 0.0:
            return "▲" if comparison.ratio.value > 1.0 else "▼"
        if comparison.difference is not None:  # a mean is 0
            return "▲" if comparison.difference.value > 0.0 else "▼"
    return _MARKS[comparison.verdict]


def comparison_tables(
    judgement: Judgement,
    samples: Sequence[Sample],
    least: Mapping[int, float | None],
    plots: Mapping[int, str],
    *,
    rows: int,
    is_detail: bool,
) -> Iterator[Table]:
    """A table for each verdict, the worst first.

    Args:
        plots: the key of the plot of each sample, by its `id`.
        is_detail: whether paper tells of them elsewhere.
        rows: about how many are for paper; every verdict gets a few, but what is the same among many is only counted.
    """
    comparisons = judgement.comparisons
    names = {id(each): name for each, name in zip(comparisons, comparison_names(judgement), strict=True)}
    number = {id(each): i for i, each in enumerate((*samples, *comparisons))}
    series = dict(zip(map(id, samples), series_names(samples), strict=True))
    columns = _columns(comparisons)
    for group in ranked(comparisons):
        made = []
        for each in group.comparisons:
            cells = {
                "name": names[id(each)],
                "number": number[id(each)] - len(samples),
                "first_series": number[id(each.first)],
                "second_series": number[id(each.second)],
                "first_series_name": series[id(each.first)],
                "second_series_name": series[id(each.second)],
                **_cells(each, least),
            }
            plot = plots.get(id(each.first), "")
            made.append(row_of(columns, cells, tone=_TONES[each.verdict], mark=verdict_mark(each), plot=plot))
        yield _table(group, columns, made, judgement, most=max(rows, _LEAST_SHOWN), is_detail=is_detail)
        rows -= min(rows, len(made))


def comparison_notices(judgement: Judgement) -> Iterator[Reservation]:
    """What speaks against comparisons: of a few one by one, of many why they have no interval."""
    comparisons = judgement.comparisons
    if len(comparisons) <= FEW:
        for each in comparisons:
            if each.ratio is None:
                continue
            before = f"{full_name(each, judgement)}: " if len(comparisons) > 1 else ""
            for assumption in each.ratio.failed:
                yield Remark("", f"{before}{failed_in_words(assumption)}, which the interval allows for")
            if each.paired:
                pairs = each.ratio.sizes[0] if each.ratio.sizes else 0
                text = f"{before}{counted(pairs, 'round')}, in each of which both ran: compared in pairs"
                yield Remark("", text)
        return
    reasons = Counter(each.why for each in comparisons if each.ratio is None or each.ratio.withheld)
    for reason, count in reasons.most_common(_REASONS):
        yield Doubt("", f"{format_count(count)} without an interval: {reason}")
    if len(reasons) > _REASONS:
        rest = sum(count for _, count in reasons.most_common()[_REASONS:])
        yield Doubt("", f"{format_count(rest)} without an interval for other reasons")


def _table(
    group: Ranked, columns: tuple[Column, ...], rows: list[Row], judgement: Judgement, *, most: int, is_detail: bool
) -> Table:
    policy = judgement.policy
    note = ""
    if group.verdict == "worse" and policy.tolerance:
        regressions = sum(comparison.is_regression for comparison in group.comparisons)
        note = f"{format_count(regressions)} by more than the tolerance of {100.0 * policy.tolerance:g}%"
    elif group.verdict == "same":
        note = f"no difference beyond {100.0 * policy.equivalent:g}%"
    elif group.verdict == "unclear":
        note = "neither a difference nor that there is none"
    return Table(
        group.verdict,
        _TITLES[group.verdict],
        columns,
        rows,
        (format_count(len(rows)), note),
        noun="comparison",
        most=most,
        is_secondary=group.verdict == "same" and len(judgement.comparisons) > FEW,
        is_detail=is_detail,
        part_of="comparisons",
    )


def _columns(comparisons: Sequence[Comparison]) -> tuple[Column, ...]:
    first, second = _sides(comparisons)
    needed = "invocations of each that would probably tell"
    return (
        Column("ratio", "ratio", "ratio", axis="log", meaning="of means, second to first"),
        Column("first", first, "measured", priority=2),
        Column("second", second, "measured", priority=2),
        Column("needed", "needed", "count", priority=1, meaning=needed),
        Column("name", "benchmark", "name"),
        *_DATA,
    )


def _sides(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    """What to write over the two means: the names, where all comparisons have the same short ones."""
    names = {(comparison.first_name, comparison.second_name) for comparison in comparisons}
    if len(names) == 1:
        first, second = next(iter(names))
        if first != second and max(len(first), len(second)) <= 10:
            return first, second
    return "first", "second"


def _cells(comparison: Comparison, least: Mapping[int, float | None]) -> Cells:
    ratio, difference, test = comparison.ratio, comparison.difference, comparison.test
    cells: Cells = {
        "ratio": None if ratio is None else with_interval(ratio.value, ratio.interval),
        "first": _mean(comparison.first, least),
        "second": _mean(comparison.second, least),
        "needed": comparison.needed,
        "benchmark": comparison.benchmark,
        "first_name": comparison.first_name,
        "second_name": comparison.second_name,
        "verdict": comparison.verdict,
        "is_regression": comparison.is_regression,
        "why": comparison.why,
        "paired": comparison.paired,
        "difference": measured(difference, comparison.first.metric.unit, least[id(comparison.first)]),
        "adjusted_p": comparison.adjusted_p,
        **how_found("ratio", ratio),
        **how_found("difference", difference),
        **how_found("test", test),
    }
    if test is not None:
        cells |= {"hypothesis": test.hypothesis, "statistic": test.statistic, "p_value": test.p_value}
        cells["degrees_of_freedom"] = Values(test.degrees_of_freedom)
    return cells


def _mean(sample: Sample, least: Mapping[int, float | None]) -> Quantity | None:
    if not len(sample.values):
        return None
    return Quantity(float(sample.values.mean()), sample.metric.unit, least[id(sample)])
