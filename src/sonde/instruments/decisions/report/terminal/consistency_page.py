"""What tells fast runs from slow ones on a terminal: ranked, with how sure that is and what cannot be concluded."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TextIO

from sonde.base.fitted_text import keep_both_ends, keep_start, printable
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.groups import Consistency, Finding, GroupReason, Subject
from sonde.instruments.decisions.report.consistency_words import method_text
from sonde.instruments.decisions.report.options import ConsistencyLimits
from sonde.instruments.decisions.report.shares import share_text
from sonde.instruments.decisions.report.subject_words import range_text, subject_texts
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

_HEADER = ("time", "fast", "slow", "p adj.")

_FOLLOWERS = 3
"""Findings that follow from another, by name."""

_LABELS = 3
"""Values of one subject that differ, by name."""

_REASONS = 2
"""Of each group."""

_NAMES = 3
"""Runs of a group that are named."""

_NAME = 60
"""Columns of a method's name in running text."""

_LEAST_TEXT = 16

_INDENT = 9

_UNCUT = 10_000

_Texts = Callable[[Subject, int], tuple[str, str]]
"""What a subject is, and where it is."""


def print_consistency(
    consistency: Consistency,
    stream: TextIO,
    options: ConsistencyLimits | None = None,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print what all fast runs decided one way and all slow ones another.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
    """
    options = options or ConsistencyLimits()
    page = Page(stream, width=width, colour=colour)
    for name, runs in (("fast", consistency.fast), ("slow", consistency.slow)):
        say(page, f"{name}: {counted(len(runs), 'run')} ({_names(runs)})", "dim")
    for remark in consistency.remarks:
        say(page, f"! {remark}", "yellow")
    conclusive = [finding for finding in consistency.findings if consistency.is_conclusive(finding)]
    others = [finding for finding in consistency.findings if not consistency.is_conclusive(finding)]
    if not consistency.findings:
        page.line()
        say(page, "nothing is one way in all fast runs and another in all slow ones", "bold")
    if conclusive:
        _print_heading(page, "what tells fast from slow", "by share of time, times how far apart")
        _print_findings(page, consistency, conclusive, options)
    if others:
        _print_heading(page, "may be chance", "separates the groups, but so would some of so many values")
        _print_findings(page, consistency, others, options if not conclusive else _fewer(options))
    page.line()
    _print_method(page, consistency)


def _print_heading(page: Page, title: str, note: str) -> None:
    page.heading(title, keep_start(note, page.width - len(title) - 2))


def _fewer(options: ConsistencyLimits) -> ConsistencyLimits:
    return ConsistencyLimits(max(options.rows // 4, 1), options.wide)


def _print_findings(
    page: Page, consistency: Consistency, findings: Sequence[Finding], options: ConsistencyLimits
) -> None:
    shown = findings[: options.rows]
    rows = [_cells(finding) for finding in shown]
    widths = column_widths([_HEADER, *rows])
    page.line(page.paint(GAP.join(right_aligned(_HEADER, widths)), "dim"))
    room = page.width - table_width(widths)
    texts = partial(subject_texts, offsets=consistency.offsets, lines_from=consistency.lines_from)
    for finding, row in zip(shown, rows, strict=True):
        _print_finding(page, finding, texts, right_aligned(row, widths), room, options)
    if len(findings) > len(shown):
        page.line(page.paint(f"… {format_count(len(findings) - len(shown))} more", "dim"))


def _cells(finding: Finding) -> tuple[str, ...]:
    first = finding.differences[0]
    return (
        share_text(finding.weight),
        range_text(first, is_fast=True),
        range_text(first, is_fast=False),
        f"{finding.q_value:.2g}",
    )


def _print_finding(
    page: Page, finding: Finding, texts: _Texts, cells: Sequence[str], room: int, options: ConsistencyLimits
) -> None:
    what, where = texts(finding.subject, _UNCUT if options.wide else max(room, _NAME))
    what = page.paint(what if options.wide else keep_both_ends(what, max(room, _LEAST_TEXT)), "bold")
    page.line(GAP.join((*cells, what)))
    indent = " " * _INDENT
    labels = [difference.label for difference in finding.differences[:_LABELS]]
    say(page, f"{', '.join(labels)}{' ' if where else ''}{where}", "yellow", indent=indent)
    for difference in finding.differences[1:_LABELS]:
        fast, slow = range_text(difference, is_fast=True), range_text(difference, is_fast=False)
        say(page, f"{difference.label}: fast {fast}, slow {slow}", "dim", indent=indent)
    for group, reasons in (("fast", finding.fast_reasons), ("slow", finding.slow_reasons)):
        for reason in reasons[:_REASONS]:
            say(page, _reason(group, reason), "dim", indent=indent)
    if finding.followers:
        say(page, _followers(finding.followers, texts), "dim", indent=indent)


def _reason(group: str, reason: GroupReason) -> str:
    return f"{group}: {reason.text} ({format_count(reason.runs)} of {counted(reason.asked, 'run')} asked)"


def _followers(followers: Sequence[Finding], texts: _Texts) -> str:
    """How many follow, and the heaviest of them."""
    named = []
    for follower in sorted(followers, key=lambda one: -one.score)[:_FOLLOWERS]:
        what, where = texts(follower.subject, _NAME)
        named.append(f"{what} {where}".strip())
    more = len(followers) - len(named)
    rest = f"; and {format_count(more)} more" if more else ""
    verb = "follows" if len(followers) == 1 else "follow"
    return f"{counted(len(followers), 'difference')} {verb}: {'; '.join(named)}{rest}"


def _print_method(page: Page, consistency: Consistency) -> None:
    if consistency.left_out:
        left = counted(consistency.left_out, "decision")
        say(page, f"{left} of detailed phases not compared: --no-remove-detailed-phases", "dim")
    say(
        page,
        f"method: {method_text(consistency)} That a decision goes with being fast does not say that it is the cause.",
        "dim",
    )


def _names(runs: Sequence[str]) -> str:
    named = [printable(name) for name in runs[:_NAMES]]
    more = f", … {format_count(len(runs) - _NAMES)} more" if len(runs) > _NAMES else ""
    return ", ".join(named) + more
