"""A report on a terminal or in a text file, 20 to 200 columns wide."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

from sonde.base.fitted_text import display_width, keep_end, keep_start, printable
from sonde.base.units import counted
from sonde.evidence import Reservation, in_words
from sonde.render.cell_text import cell_text
from sonde.render.terminal.flow_text import flow_table
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots import print_plot
from sonde.render.terminal.sentences import say
from sonde.render.terminal.source_text import print_listing
from sonde.render.terminal.table_text import print_table
from sonde.render.terminal.timeline_text import print_timeline
from sonde.report import (
    Block,
    Column,
    Fact,
    Facts,
    Findings,
    FlowChart,
    Listing,
    Note,
    Notices,
    Plot,
    Report,
    Table,
    Timeline,
)

_LINES_OF_A_NOTICE = 3

_LEAST_OF_A_NOTICE = 400
"""Columns, over however many lines."""

_NARROWEST = 20
"""Columns: a table has one column of amounts and a name then."""

_LINES_OF_A_HEADLINE = 2
"""Of each of its sentences."""

_LEAST_OF_A_HEADLINE = 160
"""Columns of a sentence, over however many lines: a narrow page does not lose what one of 80 columns tells."""


def print_report(
    report: Report, stream: TextIO, *, width: int | None = None, colour: bool | None = None, is_verbose: bool = False
) -> None:
    """Print a report for reading.

    Args:
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
        is_verbose: whether to tell how it was measured, and all that is doubtful, each in full.
    """
    page = Page(stream, width=width, colour=colour, narrowest=_NARROWEST)
    page.line(page.paint(keep_start(printable(report.title), page.width), "bold"))
    longest = max(_LINES_OF_A_HEADLINE * page.width, _LEAST_OF_A_HEADLINE)
    for sentence in report.headline:
        say(page, keep_start(printable(sentence), longest))
    before: Block | None = None
    for block in _in_order(report.blocks):
        if not _is_told(block, is_verbose=is_verbose):
            continue
        if isinstance(block, Notices) and isinstance(before, Table | Listing | Findings | Note | Plot | Timeline):
            page.line()
        _print_block(page, block, is_verbose=is_verbose)
        before = block
    more = [] if is_verbose else _told_on_request(report, page.width)
    if more:
        if not isinstance(before, Notices):
            page.line()
        page.line(page.paint(keep_start(printable(f"-v: {', '.join(more)}"), page.width), "dim"))


def report_text(report: Report, *, columns: int = 80, is_verbose: bool = False) -> str:
    """The report as a text of so many columns, without colours."""
    text = io.StringIO()
    print_report(report, text, width=columns, colour=False, is_verbose=is_verbose)
    return text.getvalue()


def fact_text(fact: Fact, *, is_narrow: bool = False) -> str:
    """A fact in words.

    >>> fact_text(Fact("calls", 1200, "count", "{} calls", "{} call"))
    '1,200 calls'
    """
    words = fact.one if fact.one and fact.value == 1 else fact.words
    column = Column(fact.key, "", fact.unit, shown="share" if fact.unit == "share" else "amount")
    return printable(words.replace("{}", cell_text(fact.value, column, is_narrow=is_narrow)))


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    """The answer before what speaks against all of it."""
    doubtful = [block for block in blocks if isinstance(block, Notices) and block.key == "notices"]
    return [*(block for block in blocks if block not in doubtful), *doubtful]


def _is_told(block: Block, *, is_verbose: bool) -> bool:
    match block:
        case Notices(notices=notices):
            return any(is_verbose or notice.weight != "remark" for notice in notices)
        case Facts() | Table() | Plot():
            return not block.is_secondary and (is_verbose or not block.is_detail)
        case Note() | FlowChart():
            return is_verbose or not block.is_detail
        case _:
            return True


def _print_block(page: Page, block: Block, *, is_verbose: bool) -> None:
    match block:
        case Facts(facts=facts):
            page.flow([_fitted_fact(fact, page.width) for fact in facts], "dim")
        case Notices(notices=notices):
            _print_notices(page, notices, is_verbose=is_verbose)
        case Findings(sentences=sentences, title=title):
            if title:
                page.heading(title)
            elif sentences:
                page.line()
            for text in sentences:
                say(page, text)
        case Note(words=words):
            page.line()
            say(page, words, "dim")
        case Table():
            print_table(page, block)
        case Listing():
            print_listing(page, block)
        case FlowChart():
            print_table(page, flow_table(block))
        case Plot():
            print_plot(page, block)
        case Timeline():
            print_timeline(page, block)


def _fitted_fact(fact: Fact, width: int) -> str:
    """Of a file its end is kept."""
    if fact.unit == "place" and isinstance(fact.value, str):
        around = display_width(fact_text(replace(fact, value="")))
        fact = replace(fact, value=keep_end(printable(fact.value), max(width - around, 0)))
    return fact_text(fact)


def _print_notices(page: Page, notices: Sequence[Reservation], *, is_verbose: bool) -> None:
    """What is lost is always told; of what is doubtful, the first in a line, unless all is asked for."""
    if is_verbose:
        _tell(page, notices)
        return
    _tell(page, [notice for notice in notices if notice.weight == "loss"])
    doubts = [notice for notice in notices if notice.weight == "doubt"]
    if doubts:
        page.line(page.paint(keep_start(_doubt_text(doubts[0]), page.width), "yellow"))


def _doubt_text(doubt: Reservation) -> str:
    return f"! {printable(in_words(doubt))}"


def _told_on_request(report: Report, width: int) -> list[str]:
    """What `-v` adds, in a few words each."""
    said = [one for block in report.blocks if isinstance(block, Notices) for one in block.notices]
    doubts = [one for one in said if one.weight == "doubt"]
    remarks = [one for one in said if one.weight == "remark"]
    more = [counted(len(doubts) - 1, "more doubt")] if len(doubts) > 1 else []
    if doubts and not more and (doubts[0].hint or doubts[0].examples or display_width(_doubt_text(doubts[0])) > width):
        more = ["more of this doubt"]
    if remarks:
        more.append(counted(len(remarks), "remark"))
    details = (Table, Plot, Note, FlowChart)
    left_out = [block.title for block in report.blocks if isinstance(block, details) and block.is_detail]
    return more + [title for title in dict.fromkeys(left_out) if title]


def _tell(page: Page, notices: Sequence[Reservation]) -> None:
    for notice in notices:
        text = keep_start(printable(in_words(notice)), max(_LINES_OF_A_NOTICE * page.width, _LEAST_OF_A_NOTICE))
        is_remark = notice.weight == "remark"
        say(page, text if is_remark else f"! {text}", "dim" if is_remark else "yellow")
        if notice.examples:
            page.line(page.paint(keep_start(f"  {printable(notice.examples)}", page.width), "dim"))
        if notice.hint:
            say(page, f"hint: {notice.hint}", "dim", indent="  ")
