"""What differs most between two runs: a row for each difference, with what led to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sonde.base.fitted_text import printable
from sonde.base.units import counted
from sonde.code import Place
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.findings import MOST_PLACES, CodePlace, Finding, finding_times
from sonde.instruments.decisions.analysis.places import offset_text
from sonde.instruments.decisions.analysis.reasoning import Reasons
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import Decision
from sonde.instruments.decisions.options import DiffOptions
from sonde.instruments.decisions.report.cells import method_cell, period_part
from sonde.instruments.decisions.report.node_details import meaning_text
from sonde.instruments.decisions.report.run_report import title_name
from sonde.report import Column, Record, Row, Table, Values

_WHY_LINES = 4

_COLUMNS = (
    Column("a", SIDES[0], "count", shown="share"),
    Column("b", SIDES[1], "count", shown="share"),
    Column("follow", "follow", "count", priority=1, meaning="further calls and decisions that differ because of it"),
    Column("occurs", "pairs", "count", priority=2, meaning="pairs of compilations it is in, if it is several"),
    Column("subject", "difference", "name"),
    Column("where", "", shown="below", priority=1),
    Column("what", "", shown="below"),
    Column("detail", "", shown="below", priority=1),
    Column("why", "", shown="below", priority=1),
    Column("of", "of", shown="data"),
    Column("places", "places", shown="data"),
    Column("pairs", "pairs", shown="data"),
)
_FOR_PROGRAMS = 3
"""Columns at the end that pages do not have."""

_LINE = Column("line", "line", "place", shown="data")


def told_findings(options: DiffOptions) -> int:
    """How many differences are told, if not all."""
    return max(options.rows // 3, 1)


def finding_table(
    comparison: Comparison,
    told: Sequence[Finding],
    known: int,
    options: DiffOptions,
    *,
    whole: bool,
    lines: Mapping[int, tuple[str, int]] | None = None,
) -> Table:
    """Differences, most important first.

    Args:
        told: some of them, or all.
        known: how many there are.
        whole: with everything that led to them, not only what is most telling.
        lines: for pages: by the `id` of differences, which line of which trees tells of them.
    Cost: with `DiffOptions.why`, for each difference of decisions that is told, of reading its trees again.
    """
    is_known = any(unit.spread for experiment in comparison.experiments() for unit in experiment.run.units)
    reasons = Reasons(comparison)
    most_why = None if whole else _WHY_LINES
    rows = []
    for finding in told:
        why = reasons.lines(finding)[:most_why]
        rows.append(
            _row(comparison, finding, [*why, *(_meanings(comparison, finding) if options.why else [])], options)
        )
    columns: tuple[Column, ...] = _COLUMNS
    if lines is not None:
        columns = (*_COLUMNS[:-_FOR_PROGRAMS], _LINE)
        rows = [
            replace(
                row, cells=(*row.cells[:-_FOR_PROGRAMS], _line(comparison, finding)), leads_to=lines.get(id(finding))
            )
            for row, finding in zip(rows, told, strict=True)
        ]
    return Table(
        "findings",
        "what differs most",
        columns,
        rows,
        (f"by the share of time in its {'code' if is_known else 'units'}",),
        "difference",
        told_findings(options),
        known - len(told),
    )


def _meanings(comparison: Comparison, finding: Finding) -> list[str]:
    """What the words of a decision mean, each once, and what one can do."""
    if finding.decisions is None:
        return []
    glossary = glossary_of(comparison.first.run.kind)
    said = dict.fromkeys((each.name, each.event) for each in (*finding.decisions.left, *finding.decisions.right))
    known = ((event or name, glossary.of_decision(Decision(name, event))) for name, event in said)
    return [printable(f"{word}: {meaning_text(meaning)}") for word, meaning in known if meaning is not None]


def _line(comparison: Comparison, finding: Finding) -> Place | None:
    """Where the first place is in the source."""
    run = comparison.first.run
    found = None if finding.caller is None or finding.at < 0 else run.source_line(finding.caller, finding.at)
    return None if found is None else Place(*found)


def _row(comparison: Comparison, finding: Finding, why: Sequence[str], options: DiffOptions) -> Row:
    times = finding_times(finding)
    a, b = (period_part(experiment.run, time) for experiment, time in zip(comparison.experiments(), times, strict=True))
    where = [_place_text(comparison, place, options) for place in finding.places[:MOST_PLACES]]
    if len(finding.places) > MOST_PLACES:
        where.append(f"and {counted(len(finding.places) - MOST_PLACES, 'more place')}")
    return Row(
        (
            a,
            b,
            finding.follows or None,
            len(finding.pairs) if len(finding.pairs) > 1 else None,
            method_cell(comparison.first.run, finding.subject) if finding.is_call else finding.subject or "",
            Values(where),
            finding.what,
            finding.detail or None,
            Values(why) if why else None,
            "call" if finding.is_call else "optimization",
            Record([{"method": place.caller, "at": place.at, "column": place.column} for place in finding.places]),
            Record([list(pair) for pair in finding.pairs]),
        ),
        tone="strong",
    )


def _place_text(comparison: Comparison, place: CodePlace, options: DiffOptions) -> str:
    at = offset_text(comparison.first.run, *place)
    name = title_name(place.caller, wide=options.wide)
    return f"{at} in {name}" if at else f"in {name}"
