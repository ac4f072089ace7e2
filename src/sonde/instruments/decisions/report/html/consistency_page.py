"""The page of what tells two groups of runs apart, as a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.instruments.decisions.analysis.words import COMPILERS
from sonde.instruments.decisions.glossary import Meaning, glossary_of
from sonde.instruments.decisions.groups import (
    Consistency,
    DecisionSubject,
    Difference,
    Finding,
    GroupReason,
    PhaseSubject,
)
from sonde.instruments.decisions.model import CompilerKind, Decision
from sonde.instruments.decisions.report.consistency_words import method_text
from sonde.instruments.decisions.report.html.tables import MAX_SAID, MAX_TEXT, shorten
from sonde.instruments.decisions.report.subject_words import range_text, subject_kind, subject_texts
from sonde.render.html.document import SHARED_PARTS, self_contained, write_page

MAX_FINDINGS = 1_000
MAX_FOLLOWERS = 100
"""Of one finding; those with the highest score."""

_PARTS = Path(__file__).with_name("consistency")
_STYLES = (SHARED_PARTS / "paper.css", SHARED_PARTS / "cards.css", _PARTS / "page.css")
_SCRIPTS = (
    SHARED_PARTS / "text.js",
    SHARED_PARTS / "notices.js",
    SHARED_PARTS / "search_field.js",
    SHARED_PARTS / "svg.js",
    _PARTS / "finding.js",
    _PARTS / "main.js",
)
"""In order of dependence; they share one scope."""

Data = dict[str, Any]


def write_consistency(consistency: Consistency, path: Path, kind: CompilerKind, *, title: str = "") -> None:
    """Write what tells two groups of runs apart as one self-contained page, which opens from disk.

    Args:
        path: overwritten; gets its name when the page is whole.
        kind: the compiler of the runs, whose words are explained.
        title: heading; what was compared if not given.
    Raises:
        SondeError: `cannot-write`.
    Cost: O(n) for n findings; at most `MAX_FINDINGS` are in the page, which says how many it leaves out.
    """
    heading = title or f"{len(consistency.fast)} fast against {len(consistency.slow)} slow runs"
    data = _page_data(consistency, kind)
    write_page(self_contained(_PARTS / "page.html", _STYLES, _SCRIPTS, data, title=heading), path)


def _page_data(consistency: Consistency, kind: CompilerKind) -> Data:
    shown = consistency.findings[:MAX_FINDINGS]
    return {
        "fast": [shorten(name) for name in consistency.fast],
        "slow": [shorten(name) for name in consistency.slow],
        "remarks": [shorten(remark, MAX_SAID) for remark in consistency.remarks],
        "findings": [_finding(consistency, finding, kind) for finding in shown],
        "more_findings": len(consistency.findings) - len(shown),
        "method": f"{COMPILERS[kind]}: {method_text(consistency)}",
        "left_out": consistency.left_out,
        "allowed": consistency.options.allow,
    }


def _finding(consistency: Consistency, finding: Finding, kind: CompilerKind) -> Data:
    followers = sorted(finding.followers, key=lambda follower: -follower.score)
    return {
        **_subject(consistency, finding),
        "conclusive": consistency.is_conclusive(finding),
        "weight": finding.weight,
        "p": f"{finding.p_value:.2g}",
        "q": f"{finding.q_value:.2g}",
        "differences": [_difference(difference) for difference in finding.differences],
        "fast_reasons": _reasons(finding.fast_reasons, kind),
        "slow_reasons": _reasons(finding.slow_reasons, kind),
        "means": _told(_meaning(finding, kind)),
        "followers": [
            {**_subject(consistency, follower), "differences": [_difference(each) for each in follower.differences]}
            for follower in followers[:MAX_FOLLOWERS]
        ],
        "more_followers": max(len(followers) - MAX_FOLLOWERS, 0),
    }


def _subject(consistency: Consistency, finding: Finding) -> Data:
    what, where = subject_texts(
        finding.subject, MAX_TEXT, offsets=consistency.offsets, lines_from=consistency.lines_from
    )
    return {"about": subject_kind(finding.subject), "what": shorten(what, MAX_SAID), "where": shorten(where, MAX_SAID)}


def _difference(difference: Difference) -> Data:
    return {
        "label": shorten(difference.label),
        "fast": list(difference.fast),
        "slow": list(difference.slow),
        "fast_text": range_text(difference, is_fast=True),
        "slow_text": range_text(difference, is_fast=False),
        "exceptions": difference.exceptions,
    }


def _reasons(reasons: Sequence[GroupReason], kind: CompilerKind) -> list[list[Any]]:
    """Text, in how many runs of how many that were asked, and what it means."""
    glossary = glossary_of(kind)
    return [
        [shorten(reason.text, MAX_SAID), reason.runs, reason.asked, _told(glossary.of_reason(reason.text))]
        for reason in reasons
    ]


def _meaning(finding: Finding, kind: CompilerKind) -> Meaning | None:
    subject, glossary = finding.subject, glossary_of(kind)
    if isinstance(subject, DecisionSubject):
        return glossary.of_decision(Decision(subject.name, subject.event))
    return glossary.of_phase(subject.phase) if isinstance(subject, PhaseSubject) else None


def _told(meaning: Meaning | None) -> list[str] | None:
    return None if meaning is None else [meaning.says, meaning.remedy]
