"""A report as Markdown (GitHub's), for pull requests and CI: the same words and rows as on a terminal."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import counted
from sonde.evidence import in_words
from sonde.render.cell_text import cell_text, is_left_aligned, sentences_below
from sonde.render.terminal.flow_text import flow_table
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots import print_plot
from sonde.render.terminal.report_text import fact_text
from sonde.render.terminal.source_text import listing_table
from sonde.render.terminal.table_text import rows_below, with_places
from sonde.render.terminal.timeline_text import print_timeline
from sonde.report import Block, Facts, Findings, FlowChart, Listing, Note, Notices, Plot, Report, Row, Table, Timeline

_MOST_ROWS = 200
"""Of one table: a comment in a pull request has 65,536 letters."""

_WIDEST_CELL, _WIDEST_SENTENCE = 120, 400
"""Letters."""

_PLOT_WIDTH = 80
"""Columns of a drawing, which stands in a block of text."""


def report_markdown(report: Report) -> str:
    """The report, ending with a newline. Names cannot become markup."""
    parts = [f"## {escaped(report.title)}", *_headline(report), *("\n".join(_lines(block)) for block in report.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _headline(report: Report) -> Iterator[str]:
    yield from (f"**{escaped(keep_start(sentence, _WIDEST_SENTENCE))}**" for sentence in report.headline)


def escaped(text: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> escaped("a|b <i> `c` _d_")
    'a\\|b \\<i\\> \\`c\\` \\_d\\_'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", printable(text))


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Facts(facts=facts, is_secondary=False):
            yield " · ".join(escaped(fact_text(fact)) for fact in facts)
        case Notices(notices=notices):
            for notice in notices:
                yield f"> {'' if notice.weight == 'remark' else '⚠ '}{escaped(in_words(notice))}"
                if notice.examples:
                    yield f"> {escaped(notice.examples)}"
                if notice.hint:
                    yield f"> hint: {escaped(notice.hint)}"
        case Findings(sentences=sentences, title=title):
            if title:
                yield f"### {escaped(title)}\n"
            yield from (f"- {escaped(text)}" for text in sentences)
        case Note(words=words):
            yield f"*{escaped(words)}*"
        case Listing():
            yield from _table_lines(listing_table(block))
        case FlowChart():
            yield from _table_lines(flow_table(block))
        case Table(is_secondary=False):
            yield from _table_lines(block)
        case Plot(is_secondary=False) | Timeline():
            yield from _drawn_lines(block)


def _drawn_lines(block: Plot | Timeline) -> Iterator[str]:
    """A drawing as on a terminal; a name cannot end the block that it stands in."""
    text = io.StringIO()
    page = Page(text, width=_PLOT_WIDTH, colour=False)
    if isinstance(block, Plot):
        print_plot(page, replace(block, title=""))
    else:
        print_timeline(page, replace(block, title=""))
    if block.title:
        notes = "".join(f" · {escaped(note)}" for note in block.notes if note)
        yield f"### {escaped(block.title)}{notes}\n"
    yield f"```text\n{text.getvalue().strip(chr(10)).replace('`', chr(39))}\n```"


def _table_lines(table: Table) -> Iterator[str]:
    table = with_places(table)
    notes = " · ".join(escaped(note) for note in table.notes if note)
    if table.title:
        yield f"### {escaped(table.title)}\n"
    if notes:
        yield f"{notes}\n"
    if not table.rows:
        yield "nothing"
        return
    most = min(table.most or _MOST_ROWS, _MOST_ROWS)
    drawn = list(_drawn(table, most))
    shown = [
        at
        for at, column in enumerate(table.columns)
        if column.is_printed and column.unit != "bins" and any(row.cells[at] is not None for _, row in drawn)
    ]
    first_name = next((at for at in shown if is_left_aligned(table.columns[at])), -1)
    order = [at for at in shown if at == first_name] + [at for at in shown if at != first_name]
    yield _row_text([escaped(table.columns[at].title) for at in order])
    yield _row_text([":---" if is_left_aligned(table.columns[at]) else "---:" for at in order])
    for depth, row in drawn:
        if row.led_to_by and first_name >= 0:
            led = "&emsp;" * depth + escaped(keep_start(row.led_to_by, _WIDEST_CELL))
            yield _row_text([led, *("" for _ in order[1:])])
        cells = [escaped(keep_start(cell_text(row.cells[at], table.columns[at]), _WIDEST_CELL)) for at in order]
        if first_name >= 0:
            mark = f"{escaped(row.mark)} " if row.mark else ""
            cells[0] = "&emsp;" * depth + mark + cells[0]
        yield _row_text(cells)
        for text, _ in sentences_below(row.cells, table.columns):
            said = "&emsp;" * (depth + 1) + escaped(keep_start(text, _WIDEST_SENTENCE))
            yield _row_text([said, *[""] * (len(cells) - 1)])
    left = len(table.rows) - min(len(table.rows), most) + table.left_out
    if left > 0:
        yield f"\n… {counted(left, f'more {escaped(table.noun)}')}{escaped(f', {table.rest}' if table.rest else '')}"
    for sentence in table.legend.splitlines():
        yield f"\n*{escaped(sentence)}*"


def _row_text(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _drawn(table: Table, most: int) -> Iterator[tuple[int, Row]]:
    """The rows with their depth."""
    pending = [(0, row) for row in reversed(table.rows[:most])]
    while pending:
        depth, row = pending.pop()
        yield depth, row
        below = rows_below(row, table)
        deeper = depth + (len(below) > 1 or depth == 0 or table.is_grouped)
        pending.extend((deeper, each) for each in reversed(below))
