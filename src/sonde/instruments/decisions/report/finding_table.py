"""What differs most between two runs: a row for each difference, with what led to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sonde.base.fitted_text import printable
from sonde.base.units import counted
from sonde.code import Place
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.finding import MOST_PLACES, CodePlace, Finding
from sonde.instruments.decisions.analysis.findings import finding_times
from sonde.instruments.decisions.analysis.places import offset_text
from sonde.instruments.decisions.analysis.reasoning import Reasons
from sonde.instruments.decisions.analysis.shares import SIDES
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import Decision
from sonde.instruments.decisions.options import DiffOptions
from sonde.instruments.decisions.report.cells import method_cell, period_part
from sonde.instruments.decisions.report.node_details import meaning_text
from sonde.render.name_text import bare_name, whole_name
from sonde.report import Column, Record, Row, Table, Values

_WHY_LINES = 4
_NAME = 40
"""Columns of a method's name in a list."""

_COLUMNS = (
    Column("a", SIDES[0], "count", shown="share"),
    Column("b", SIDES[1], "count", shown="share"),
    Column("follow", "follow", "count", priority=1, meaning="further calls and decisions that differ because of it"),
    Column("occurs", "pairs", "count", priority=2, meaning="pairs of compilations it is in, if it is several"),
    Column("subject", "difference", "name"),
    Column("where", ""),
    Column("others", "also at", shown="below", priority=1),
    Column("said", "", shown="below"),
    Column("detail", "", shown="below", priority=1),
    Column("with", "with it", shown="below", priority=1, meaning="what the same cause explains, in the same loop"),
    Column("why", "", shown="below", priority=1),
    Column("line", "line", "place", shown="data"),
    Column("what", "what", shown="data"),
    Column("of", "of", shown="data"),
    Column("places", "places", shown="data"),
    Column("pairs", "pairs", shown="data"),
)
_FOR_PROGRAMS = 4
"""Columns at the end that pages do not have."""


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
        columns = _COLUMNS[:-_FOR_PROGRAMS]
        rows = [
            replace(row, cells=row.cells[:-_FOR_PROGRAMS], leads_to=lines.get(id(finding)))
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
    where, *others = [_place_text(comparison, place, options) for place in finding.places[:MOST_PLACES]]
    if len(finding.places) > MOST_PLACES:
        others.append(f"{counted(len(finding.places) - MOST_PLACES, 'more place')}")
    return Row(
        (
            a,
            b,
            finding.follows or None,
            len(finding.pairs) if len(finding.pairs) > 1 else None,
            method_cell(comparison.first.run, finding.subject) if finding.is_call else finding.subject or "",
            where,
            ", ".join(others) or None,
            None if _is_told_by(why, finding) else finding.what,
            finding.detail or None,
            ", ".join(dict.fromkeys(_name(each) for each in finding.with_it)) or None,
            Values(why) if why else None,
            _line(comparison, finding),
            finding.what,
            "call" if finding.is_call else "optimization",
            Record([{"method": place.caller, "at": place.at, "column": place.column} for place in finding.places]),
            Record([list(pair) for pair in finding.pairs]),
        ),
        tone="strong",
    )


def following_table(comparison: Comparison, told: Sequence[Finding], options: DiffOptions) -> Table | None:
    """What goes with the differences that are told, in full; None: nothing does."""
    rows = [
        Row(
            (
                each.subject or "",
                _place_text(comparison, each.places[0], options),
                f"with {_name(lead)}",
                each.what,
                each.detail or None,
            )
        )
        for lead in told
        for each in lead.with_it
    ]
    columns = (
        Column("with", ""),
        Column("subject", "difference", "name"),
        Column("where", ""),
        Column("what", "", shown="below"),
        Column("detail", "", shown="below", priority=1),
    )
    if not rows:
        return None
    notes = ("in the same loop, or because of the same call",)
    return Table("following", "what goes with these", columns, rows, notes, "difference", is_detail=True)


def _name(finding: Finding) -> str:
    return bare_name(finding.subject, _NAME) if finding.is_call else finding.subject or ""


def _is_told_by(why: Sequence[str], finding: Finding) -> bool:
    """Whether reasons already say what became of a call on either side."""
    call = finding.call
    if call is None or call.left is None or call.right is None or call.left.method != call.right.method:
        return False
    return all(any(line.startswith(f"{side}, ") for line in why) for side in SIDES)


def _place_text(comparison: Comparison, place: CodePlace, options: DiffOptions) -> str:
    at = offset_text(comparison.first.run, *place)
    name = whole_name(place.caller) if options.wide else bare_name(place.caller, _NAME)
    return f"{at} in {name}" if at else f"in {name}"
