"""What differs most between two runs: one block for each difference, with what led to it."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.report.comparison import Comparison
from sonde.instruments.decisions.report.findings import MOST_PLACES, CodePlace, Finding, finding_shares
from sonde.instruments.decisions.report.options import DiffOptions
from sonde.instruments.decisions.report.places import offset_text
from sonde.instruments.decisions.report.reasoning import Reasons
from sonde.instruments.decisions.report.shares import share_text
from sonde.render.name_text import short_name, whole_name
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_PER_METHOD = 4
"""Differences in the compilations of one method that are told before those of others are, too."""

_WHY_LINES = 4


def print_findings(page: Page, comparison: Comparison, found: Sequence[Finding], options: DiffOptions) -> None:
    """Print the most important differences, and how many others there are."""
    room = max(options.rows // 4, 1)
    shown = _spread(found, room)
    is_known = any(unit.spread for experiment in comparison.experiments() for unit in experiment.run.units)
    page.heading("what differs most", f"by the share of time in its {'code' if is_known else 'units'}")
    has_time = any(share is not None for finding in shown for share in finding_shares(comparison, finding))
    if has_time:
        page.line(page.paint(f"{'A':>6} {'B':>6}", "dim"))
    reasons = Reasons(comparison)
    for finding in shown:
        _print_finding(page, comparison, finding, reasons, options, has_time=has_time)
    if len(found) > len(shown):
        left = len(found) - len(shown)
        page.line(page.paint(f"… {format_count(left)} more {'difference' if left == 1 else 'differences'}", "dim"))


def _spread(found: Sequence[Finding], room: int) -> list[Finding]:
    """The first ones, but not all of one method."""
    shown: list[Finding] = []
    told: dict[int, int] = {}
    for finding in found:
        if len(shown) == room:
            break
        method = finding.pairs[0][0]
        told[method] = told.get(method, 0) + 1
        if told[method] <= _PER_METHOD:
            shown.append(finding)
    return shown or list(found[:room])


def _print_finding(
    page: Page, comparison: Comparison, finding: Finding, reasons: Reasons, options: DiffOptions, *, has_time: bool
) -> None:
    indent = " " * 15 if has_time else ""
    shares = "".join(f"{share_text(share):>6} " for share in finding_shares(comparison, finding)) if has_time else ""
    room = page.width - len(indent)
    if finding.is_call:
        subject = _name(finding.subject, room - 2, wide=options.wide)
    else:
        subject = printable(finding.subject or "")
        subject = subject if options.wide else keep_start(subject, room - 2)
    line = f"{shares}{' ' if has_time else ''}{page.paint(subject, 'bold')}"
    caller = _place_text(comparison, finding.places[0], room, options)
    if display_width(subject + caller) <= room or options.wide:
        page.line(line + page.paint(caller, "dim"))
    else:
        page.line(line)
        page.line(page.paint(indent + caller, "dim"))
    for other in finding.places[1:MOST_PLACES]:
        page.line(page.paint(indent + _place_text(comparison, other, room, options), "dim"))
    left = len(finding.places) - MOST_PLACES
    if left > 0:
        page.line(page.paint(f"{indent}  and {counted(left, 'more place')}", "dim"))
    follows = ""
    if finding.follows:
        noun = "difference follows" if finding.follows == 1 else "differences follow"
        follows = f"; {format_count(finding.follows)} {noun}"
    several = f" (in {format_count(len(finding.pairs))} pairs)" if len(finding.pairs) > 1 else ""
    say(page, f"{finding.what}{follows}{several}", "yellow", indent=indent + "  ")
    if finding.detail:
        say(page, finding.detail, "dim", indent=indent + "  ")
    for reason in reasons.lines(finding)[:_WHY_LINES]:
        say(page, reason, "dim", indent=indent + "  ")


def _place_text(comparison: Comparison, place: CodePlace, room: int, options: DiffOptions) -> str:
    at = offset_text(comparison.first.run, *place)
    where = f"{at} in " if at else "in "
    return f"  {where}{_name(place.caller, max(room - len(where) - 2, 20), wide=options.wide)}"


def _name(method: str | None, room: int, *, wide: bool) -> str:
    return whole_name(method) if wide else short_name(method, room)
