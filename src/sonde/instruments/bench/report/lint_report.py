"""What usual practices would have said, as a report, beside what is established."""

from collections import Counter
from collections.abc import Iterator

from sonde.base.units import counted, format_count
from sonde.instruments.bench.practices import Claim, Kind, Lint, LintedComparison, LintedSeries
from sonde.instruments.bench.report.estimates import Cells, data_columns, data_table, measured, row_of, with_interval
from sonde.instruments.bench.report.names import least_means
from sonde.render.quantity import ratio_text
from sonde.report import Block, Column, Fact, Facts, Findings, Note, Quantity, Report, Row, Table, Tone

_FEW = 4
"""Up to so many comparisons, or series, are told practice by practice; more are counted."""

_NAMED = 3
"""Practices that a sentence names."""

_KINDS: tuple[Kind, ...] = ("right", "indicative", "misleading", "incorrect")
_TONES: dict[Kind, Tone] = {"right": "good", "indicative": "", "misleading": "", "incorrect": "bad"}
_EXPLAINED = {
    "right": "it says what is established",
    "indicative": "nothing established contradicts it, but it is not established itself, in size or at all",
    "misleading": "it claims a difference that is not established, or misses one that is",
    "incorrect": "the opposite is established",
}
_COUNTS = (
    *(Column(kind, kind, "count") for kind in _KINDS),
    Column("changes", "changes", "share", priority=1),
    Column("practice", "practice", "name"),
)
_COMPARISONS = (*data_columns("text", "benchmark first second verdict why"), *data_columns("ratio", "ratio"))
_REPORTS = (
    Column("value", "reports", "measured"),
    Column("low", "again from", "measured", priority=1),
    Column("high", "to", "measured", priority=1),
    Column("name", "practice", "name"),
    Column("place", "of the interval", "text", meaning="whether it is in the interval of the mean"),
    *data_columns("text", "benchmark alternative about"),
)


def lint_report(lint: Lint) -> Report:
    """All claims about comparisons; and what is reported of series, where there is nothing to compare.

    A ratio is missing where the mean of the first is 0; `why` and what each practice says hold all the same.
    """
    title = "usual practices, beside what is established"
    facts = Facts(
        (
            Fact("resamples", lint.resamples, "count", "{} repetitions"),
            Fact("ignore_below", lint.ignore_below, "share", "differences below {} ignored"),
        ),
        is_secondary=True,
    )
    blocks = _on_comparisons(lint) if lint.comparisons else _on_series(lint)
    headline = tuple(_misled(lint) if lint.comparisons else _outside(lint))
    return Report("bench-lint", title, (facts, *blocks), headline=headline)


def _misled(lint: Lint) -> Iterator[str]:
    """How many practices claim what is not established, or miss what is; and which does so most often."""
    tallies = lint.tallies(above=False)
    wrong = {each.practice: each.kinds["misleading"] + each.kinds["incorrect"] for each in tallies}
    misled = [name for name, count in wrong.items() if count]
    if not tallies:
        return
    if not misled:
        yield f"None of {counted(len(tallies), 'practice')} would have misled."
        return
    worst = max(misled, key=lambda name: wrong[name])
    times = counted(len(lint.comparisons), "comparison")
    most = f"most often '{worst}', in {format_count(wrong[worst])} of {times}"
    if len(lint.comparisons) == 1:
        most = f"{', '.join(misled[:_NAMED])}{', ...' if len(misled) > _NAMED else ''}"
    yield f"{format_count(len(misled))} of {counted(len(tallies), 'practice')} would have misled: {most}."


def _outside(lint: Lint) -> Iterator[str]:
    """How many of the figures that practices report are none that the mean may have."""
    judged = [report for each in lint.series for report in each.reports if report.inside is not None]
    outside = sum(report.inside is False for report in judged)
    if judged:
        of = counted(len(judged), "figure")
        yield f"{format_count(outside)} of {of} that practices report lie outside the interval of the mean."


def _on_comparisons(lint: Lint) -> Iterator[Block]:
    is_few = len(lint.comparisons) <= _FEW
    if is_few:
        yield Findings(tuple(map(_established, lint.comparisons)), "established", "established")
    else:
        verdicts = Counter(each.comparison.verdict for each in lint.comparisons)
        told = ", ".join(f"{format_count(number)} {verdict}" for verdict, number in verdicts.most_common())
        heading = f"{format_count(len(lint.comparisons))} comparisons"
        yield _count_table("counts", heading, f"established: {told}", lint, above=False)
        ignored = f"differences below {100.0 * lint.ignore_below:g}% ignored"
        yield _count_table("counts-ignoring-small", "the same", ignored, lint, above=True)
    columns = _claim_columns(lint)
    for number, linted in enumerate(lint.comparisons, 1):
        comparison = linted.comparison
        yield Table(
            f"claims-{number}",
            comparison.benchmark,
            columns,
            [_claim_row(columns, *claims) for claims in zip(linted.claims, linted.claims_above, strict=True)],
            (f"{comparison.second_name} against {comparison.first_name}",),
            is_secondary=not is_few or not linted.claims,
        )
    yield data_table("comparisons", _COMPARISONS, map(_comparison_cells, lint.comparisons))
    shown = {claim.kind for each in lint.comparisons for claim in (*each.claims, *each.claims_above)}
    told = "; ".join(f"{kind}: {_EXPLAINED[kind]}" for kind in _KINDS if kind in shown)
    if told:
        yield Note(told, "kinds")
    yield Note(
        f"changes, flips: in how many of {format_count(lint.resamples)} repetitions of the experiment, with invocations"
        " drawn anew from these, the same practice says something else, or the opposite"
    )


def _established(linted: LintedComparison) -> str:
    comparison = linted.comparison
    name = f"{comparison.benchmark}, {comparison.second_name} against {comparison.first_name}: {comparison.why}"
    if comparison.ratio is None or comparison.ratio.interval is None:
        return name
    return f"{name}, ratio of means {ratio_text(with_interval(comparison.ratio.value, comparison.ratio.interval))}"


def _claim_columns(lint: Lint) -> tuple[Column, ...]:
    return (
        Column("ratio", "ratio", "ratio", priority=2),
        Column("changes", "changes", "share", priority=1),
        Column("flips", "flips", "share", priority=3),
        Column("practice", "practice", "name"),
        Column("says", "says", "text"),
        Column("is", "which is", "text"),
        Column("is_ignoring_small", f"beyond {100.0 * lint.ignore_below:g}%", "text"),
        *data_columns("text", "about says_ignoring_small"),
        *data_columns("share", "changes_ignoring_small flips_ignoring_small"),
    )


def _comparison_cells(linted: LintedComparison) -> Cells:
    comparison = linted.comparison
    ratio = comparison.ratio
    return {
        "ratio": None if ratio is None else with_interval(ratio.value, ratio.interval),
        "verdict": comparison.verdict,
        "why": comparison.why,
        "benchmark": comparison.benchmark,
        "first": comparison.first_name,
        "second": comparison.second_name,
    }


def _claim_row(columns: tuple[Column, ...], claim: Claim, above: Claim) -> Row:
    cells: Cells = {
        "ratio": claim.ratio,
        "changes": claim.otherwise,
        "flips": claim.opposite,
        "practice": claim.practice.name,
        "says": claim.says,
        "is": claim.kind,
        "is_ignoring_small": above.kind,
        "about": claim.practice.about,
        "says_ignoring_small": above.says,
        "changes_ignoring_small": above.otherwise,
        "flips_ignoring_small": above.opposite,
    }
    return row_of(columns, cells, tone=_TONES[claim.kind])


def _count_table(key: str, title: str, note: str, lint: Lint, *, above: bool) -> Table:
    """How often each practice is right, over all comparisons."""
    tallies = lint.tallies(above=above)
    rows = [Row((*(each.kinds[kind] for kind in _KINDS), each.changes, each.practice)) for each in tallies]
    return Table(key, title, _COUNTS, rows, (note,))


def _on_series(lint: Lint) -> Iterator[Block]:
    for number, linted in enumerate(lint.series, 1):
        yield _series_table(f"reports-{number}", linted, is_shown=number <= _FEW)
    if len(lint.series) > _FEW:
        yield Note(f"and {format_count(len(lint.series) - _FEW)} more: --json has all of them", "more")
    yield Note(
        f"'again' is what 95% of {format_count(lint.resamples)} repetitions of the experiment would report, with"
        " invocations drawn anew from these."
    )


def _series_table(key: str, linted: LintedSeries, *, is_shown: bool) -> Table:
    summary = linted.summary
    sample, mean = summary.sample, summary.mean
    series, unit = sample.series, sample.metric.unit
    values = [report.value for report in linted.reports]
    least = min((abs(value) for value in values if value), default=None)
    common: Cells = {"benchmark": series.benchmark, "alternative": series.alternative}
    rows = []
    if mean is not None:
        cells: Cells = {"value": measured(mean, unit, least_means([sample])[id(sample)]), "name": "mean, established"}
        rows.append(row_of(_REPORTS, {**common, **cells, "about": mean.withheld or mean.method}, tone="strong"))
    for report in linted.reports:
        cells = {
            "value": Quantity(report.value, unit, least),
            "low": Quantity(report.low, unit, least),
            "high": Quantity(report.high, unit, least),
            "name": report.practice.name,
            "place": {True: "inside", False: "outside", None: None}[report.inside],
            "about": report.practice.about,
        }
        rows.append(row_of(_REPORTS, common | cells))
    told = "nothing is established: no invocation ended well" if mean is None else ""
    if mean is not None and mean.withheld:
        told = f"no interval: {mean.withheld}"
    return Table(key, series.benchmark, _REPORTS, rows, (series.alternative,), legend=told, is_secondary=not is_shown)
