"""What tells fast runs from slow ones: ranked, with how sure that is and what cannot be concluded."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Remark
from sonde.instruments.decisions.glossary import Glossary, glossary_of
from sonde.instruments.decisions.groups import (
    Consistency,
    DecisionSubject,
    Difference,
    Finding,
    GroupReason,
    PhaseSubject,
)
from sonde.instruments.decisions.model import CompilerKind, Decision
from sonde.instruments.decisions.options import ConsistencyLimits
from sonde.instruments.decisions.report.consistency_words import method_text
from sonde.instruments.decisions.report.headline_words import reason_words
from sonde.instruments.decisions.report.node_details import meaning_text
from sonde.instruments.decisions.report.run_facts import notices_last
from sonde.instruments.decisions.report.subject_words import range_text, subject_kind, subject_texts
from sonde.report import (
    Block,
    Column,
    Fact,
    Facts,
    Note,
    Notices,
    Record,
    Report,
    Row,
    Table,
    Values,
)

_FOLLOWERS = 3
"""Findings that follow from another, by name."""

_LABELS = 3
"""Values of one subject that differ, by name."""

_REASONS = 2
"""Of each group."""

_NAMES = 3
"""Runs of a group that are named."""

_NAME, _NAME_IN_HEADLINE, _UNCUT = 60, 36, 10_000
"""Columns of a method's name in running text."""

_COLUMNS = (
    Column("weight", "time", "share", meaning="share of the time in the code that it is about"),
    Column("fast", "fast", "number", meaning="least and greatest value in fast runs"),
    Column("slow", "slow", "number", meaning="least and greatest value in slow runs"),
    Column("adjusted_p_value", "p adj.", "p-value"),
    Column("what", "difference", "name"),
    Column("where", "", shown="below"),
    Column("told", "", shown="below", priority=1),
    Column("follow", "", shown="below", priority=1),
    Column("about", "about", shown="data"),
    Column("subject", "subject", shown="data"),
    Column("conclusive", "conclusive", "number", shown="data"),
    Column("score", "score", "number", shown="data"),
    Column("p_value", "p", "p-value", shown="data"),
    Column("differences", "differences", shown="data"),
    Column("fast_reasons", "fast runs say", shown="data"),
    Column("slow_reasons", "slow runs say", shown="data"),
    Column("meaning", "what it means", shown="data"),
    Column("fast_values", "fast runs", "number", shown="data", meaning="of each run the value that differs first"),
    Column("slow_values", "slow runs", "number", shown="data", meaning="of each run the value that differs first"),
)


def consistency_report(
    consistency: Consistency, options: ConsistencyLimits | None = None, *, kind: CompilerKind | None = None
) -> Report:
    """What all fast runs decided one way and all slow ones another.

    Args:
        kind: the compiler of the runs, whose words are explained; None: nothing is explained.
    """
    glossary = None if kind is None else glossary_of(kind)
    options = options or ConsistencyLimits()
    conclusive = [finding for finding in consistency.findings if consistency.is_conclusive(finding)]
    others = [finding for finding in consistency.findings if not consistency.is_conclusive(finding)]
    blocks: list[Block] = [*_groups(consistency)]
    if words := consistency.options.code.words():
        blocks.append(Facts((Fact("selection", words),), "selection"))
    if consistency.remarks:
        blocks.append(Notices(tuple(Doubt("", remark) for remark in consistency.remarks)))
    if conclusive:
        note = "by share of time, times how far apart"
        blocks.append(_table("findings", "what tells fast from slow", note, consistency, conclusive, options, glossary))
    if others:
        limits = replace(options, rows=max(options.rows // 4, 1)) if conclusive else options
        note = "separates the groups, but so would some of so many values"
        blocks.append(_table("chance", "may be chance", note, consistency, others, limits, glossary))
    if leaders := [finding for finding in consistency.findings if finding.followers]:
        rows = [_row(consistency, finding, options, glossary, with_followers=True) for finding in leaders]
        blocks.append(Table("followers", "what follows from others", _COLUMNS, rows, is_secondary=True))
    if consistency.left_out:
        left = counted(consistency.left_out, "decision")
        words = f"{left} of detailed phases not compared: --no-remove-detailed-phases"
        blocks.append(Notices((Remark("", words),)))
    blocks.append(Note("that a decision goes with being fast does not say that it is the cause", "caution"))
    blocks.append(Note(method_text(consistency), "method", "method", is_detail=True))
    blocks.append(_runs(consistency))
    blocks.append(Facts(tuple(_limits(consistency)), "limits", is_secondary=True))
    title = f"{counted(len(consistency.fast), 'fast run')} against {counted(len(consistency.slow), 'slow run')}"
    return Report("decisions-consistent", title, notices_last(blocks), headline=_headline(consistency, conclusive))


def _headline(consistency: Consistency, conclusive: Sequence[Finding]) -> tuple[str, ...]:
    """What tells the groups apart most, why, and how much more does; or that nothing does."""
    if not consistency.findings:
        words = consistency.options.code.words()
        where = f" ({words})" if words else ""
        return (f"nothing is one way in all fast runs and another in all slow ones{where}.",)
    if not conclusive:
        return (f"nothing can be told from chance: {counted(len(consistency.findings), 'difference')} may be.",)
    first = conclusive[0]
    difference = first.differences[0]
    what, where = _texts(consistency, first, _NAME_IN_HEADLINE)
    fast, slow = (range_text(difference, is_fast=is_fast) for is_fast in (True, False))
    said = next((f": {reason_words([one.text])}" for one in (*first.slow_reasons, *first.fast_reasons)), "")
    words = f"{what} {where}".strip()
    headline = [f"{words}: {difference.label} {fast} in fast runs, {slow} in slow ones{said}."]
    if more := len(conclusive) - 1:
        verb = "tells" if more == 1 else "tell"
        headline.append(f"{counted(more, 'more difference')} {verb} the groups apart.")
    return tuple(headline)


def _groups(consistency: Consistency) -> Iterator[Facts]:
    for key, runs in (("fast", consistency.fast), ("slow", consistency.slow)):
        named = ", ".join(runs[:_NAMES])
        more = f", … {format_count(len(runs) - _NAMES)} more" if len(runs) > _NAMES else ""
        fact = Fact("runs", len(runs), "count", f"{key}: {{}} runs ({named}{more})", f"{key}: {{}} run ({named})")
        yield Facts((fact,), key)


def _runs(consistency: Consistency) -> Table:
    sides = [("fast", name) for name in consistency.fast] + [("slow", name) for name in consistency.slow]
    columns = (Column("run", "run"), Column("group", "group"))
    return Table("runs", "runs", columns, [Row((name, side)) for side, name in sides], is_secondary=True)


def _table(
    key: str,
    title: str,
    note: str,
    consistency: Consistency,
    found: Sequence[Finding],
    options: ConsistencyLimits,
    glossary: Glossary | None,
) -> Table:
    rows = [_row(consistency, finding, options, glossary) for finding in found]
    return Table(key, title, _COLUMNS, rows, (note,), "difference", options.rows)


def _row(
    consistency: Consistency,
    finding: Finding,
    options: ConsistencyLimits,
    glossary: Glossary | None,
    *,
    with_followers: bool = False,
) -> Row:
    followers = finding.followers if with_followers else ()
    first, *others = finding.differences
    what, where = _texts(consistency, finding, _UNCUT if options.wide else _NAME)
    labels = ", ".join(difference.label for difference in finding.differences[:_LABELS])
    told = [
        f"{each.label}: fast {range_text(each, is_fast=True)}, slow {range_text(each, is_fast=False)}"
        for each in others[: _LABELS - 1]
    ]
    for group, reasons in (("fast", finding.fast_reasons), ("slow", finding.slow_reasons)):
        told += [_reason(group, reason) for reason in reasons[:_REASONS]]
    return Row(
        (
            finding.weight,
            range_text(first, is_fast=True),
            range_text(first, is_fast=False),
            finding.q_value,
            what,
            f"{labels} {where}".strip(),
            Values(told) if told else None,
            _followers(consistency, finding.followers) if finding.followers else None,
            *_data(consistency, finding),
            None if glossary is None else _meaning(finding, glossary) or None,
            Values(first.fast),
            Values(first.slow),
        ),
        tuple(_row(consistency, follower, options, glossary, with_followers=True) for follower in followers),
        tone="strong",
    )


def _texts(consistency: Consistency, finding: Finding, width: int) -> tuple[str, str]:
    """What it is about, and where that is."""
    return subject_texts(finding.subject, width, offsets=consistency.offsets, lines_from=consistency.lines_from)


def _reason(group: str, reason: GroupReason) -> str:
    return f"{group}: {reason.text} ({format_count(reason.runs)} of {counted(reason.asked, 'run')} asked)"


def _followers(consistency: Consistency, followers: Sequence[Finding]) -> str:
    """How many follow, and the heaviest of them."""
    heaviest = sorted(followers, key=lambda one: -one.score)[:_FOLLOWERS]
    named = [" ".join(_texts(consistency, follower, _NAME)).strip() for follower in heaviest]
    more = len(followers) - len(named)
    rest = f"; and {format_count(more)} more" if more else ""
    verb = "follows" if len(followers) == 1 else "follow"
    return f"{counted(len(followers), 'difference')} {verb}: {'; '.join(named)}{rest}"


def _limits(consistency: Consistency) -> Iterator[Fact]:
    yield Fact("offsets", consistency.offsets)
    yield Fact("lines_from", consistency.lines_from)
    yield Fact("values", consistency.features, "count")
    yield Fact("tested", consistency.tested, "count")
    yield Fact("units_read", consistency.units_read, "count")
    yield Fact("left_out", consistency.left_out, "count")
    yield Fact("smallest_p_value", consistency.smallest_p_value, "p-value")
    yield Fact("false_discovery_rate", consistency.options.false_discovery_rate, "p-value")
    yield Fact("adjustment", consistency.options.adjustment)
    yield Fact("allowed_exceptions", consistency.options.allow, "count")


def _data(consistency: Consistency, finding: Finding) -> tuple[Any, ...]:
    """What only programs read of a finding, and what follows from it."""
    subject: dict[str, Any] = finding.subject._asdict()
    if "path" in subject:
        subject["path"] = [{"method": step.method, "at": step.at} for step in subject["path"]]
    if "properties" in subject:
        subject["properties"] = dict(subject["properties"])
    return (
        subject_kind(finding.subject),
        Record(subject),
        consistency.is_conclusive(finding),
        finding.score,
        finding.p_value,
        Record([_difference(difference) for difference in finding.differences]),
        Record([reason._asdict() for reason in finding.fast_reasons]),
        Record([reason._asdict() for reason in finding.slow_reasons]),
    )


def _meaning(finding: Finding, glossary: Glossary) -> str:
    """What the words of a finding mean, and what the inliner said in either group."""
    subject = finding.subject
    own = None
    if isinstance(subject, DecisionSubject):
        own = glossary.of_decision(Decision(subject.name, subject.event))
    elif isinstance(subject, PhaseSubject):
        own = glossary.of_phase(subject.phase)
    reasons = (*finding.fast_reasons, *finding.slow_reasons)
    said = {reason.text: glossary.of_reason(reason.text) for reason in reasons}
    explained = [f"{text}: {meaning_text(meaning)}" for text, meaning in said.items() if meaning is not None]
    return "\n".join([*([] if own is None else [meaning_text(own)]), *explained])


def _difference(difference: Difference) -> dict[str, Any]:
    data = difference._asdict()
    return data | {
        "fast": list(difference.fast),
        "slow": list(difference.slow),
        "adjusted_p_value": data.pop("q_value"),
        "gap": difference.gap,
    }
