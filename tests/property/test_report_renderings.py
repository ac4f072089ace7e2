"""All renderings of reports: nothing is wider than the page, nothing is lost, nothing becomes markup."""

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from report_strategies import reports, sides, tables
from sonde.base.fitted_text import display_width
from sonde.render.html import report_html
from sonde.render.html.page_data import TONES, ReportData
from sonde.render.html.ranked_rows import RankedRows
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import report_text
from sonde.report import Column, Plot, Report, Row, SideBySide, Table, Timeline

WIDTHS = st.integers(20, 200)


@given(reports(), WIDTHS)
def test_no_line_is_wider_than_the_page(report: Report, width: int) -> None:
    assert max(map(display_width, report_text(report, columns=width).splitlines()), default=0) <= width


@given(reports(), WIDTHS)
def test_nothing_steers_the_terminal(report: Report, width: int) -> None:
    assert "\x1b" not in report_text(report, columns=width) + report_markdown(report)


@given(tables(), WIDTHS)
def test_every_row_within_the_limit_has_its_line(table: Table, width: int) -> None:
    lines = report_text(Report("toy", "title", (table,)), columns=width).splitlines()
    shown = table.rows[: table.most] if table.most else table.rows
    rows = list(Table(table.key, "", table.columns, shown).all_rows())
    least = len(rows) + sum(bool(row.led_to_by) + bool(row.left_out) for row in rows)
    assert len(lines) >= 1 + least
    left = len(table.rows) - len(shown) + (table.left_out if table.rows else 0)
    assert any(line.startswith("…") for line in lines) or not left


@given(tables(), WIDTHS)
def test_sentences_below_rows_are_never_cut_between_words(table: Table, width: int) -> None:
    column = Column("said", "said", "text", shown="below")
    rows = [replace(row, cells=(*row.cells, "one two three four five six seven")) for row in table.all_rows()]
    whole = replace(
        table, columns=(*table.columns, column), rows=[replace(row, below=(), left_out=0) for row in rows], most=0
    )
    words = " ".join(report_text(Report("toy", "title", (whole,)), columns=width).split())
    assert words.count("said: one two three four five six seven") == len(rows)


@given(tables(), WIDTHS)
def test_amounts_are_aligned(table: Table, width: int) -> None:
    told = [at for at, c in enumerate(table.columns) if c.unit == "count" and c.shown != "below"]
    # What is drawn behind amounts is as long as it is.
    plain = Table("t", "", tuple(replace(table.columns[at], axis="") for at in told), ())
    rows = [Row(tuple(row.cells[at] for at in told)) for row in table.rows]
    if not plain.columns or not rows or any(row.cells == (None,) * len(row.cells) for row in rows):
        return
    text = report_text(Report("toy", "", (Table("t", "", plain.columns, rows),)), columns=max(width, 120))
    body = [line for line in text.splitlines()[1:] if line and not line.startswith("…")]
    full = [line for line, row in zip(body[-len(rows) :], rows, strict=False) if row.cells[-1] is not None]
    if len(body) >= len(rows) and plain.columns[-1].shown != "data":
        assert len({display_width(line) for line in full}) <= 1


@given(reports())
def test_json_has_every_cell_that_is_not_empty(report: Report) -> None:
    data = json.loads(json.dumps(report_data(report), allow_nan=False))
    assert data["schema"] == "sonde.report/1"
    for block, told in zip(report.blocks, data["blocks"], strict=True):
        if isinstance(block, Table):
            cells = sum(cell is not None for row in block.all_rows() for cell in row.cells)
            assert _cells(told["rows"], {column.key for column in block.columns}) == cells


@given(sides())
def test_both_sides_are_in_json_and_in_the_page_line_by_line(block: SideBySide) -> None:
    data = json.loads(json.dumps(report_data(Report("toy", "title", (block,)))))["blocks"][0]
    keys = {column.key for column in block.left.columns}
    for side, table in (("left", block.left), ("right", block.right)):
        cells = sum(cell is not None for row in table.all_rows() for cell in row.cells)
        assert _cells(data[side]["rows"], keys) == cells
    page = ReportData(Report("toy", "title", (block,))).page_data(title="title", most_rows=1000)
    (drawn,) = page["blocks"]
    tones = [TONES[tone] for tone in drawn.get("tone", [0] * drawn["rows"])]
    depths = {
        id(row): depth for side in (block.left, block.right) for row, depth in zip(*RankedRows(side).all, strict=True)
    }
    expected = [(change, depths[id(left or right)]) for change, left, right in block.lines()]
    assert list(zip(tones, drawn.get("depth", [0] * drawn["rows"]), strict=True)) == expected
    assert len(drawn["columns"]) == 2 * len(block.left.columns)


@given(reports())
def test_markdown_tables_have_as_many_cells_in_each_row(report: Report) -> None:
    text, drawings = re.subn(r"(?ms)^```text$.*?^```$", "", report_markdown(report))
    assert drawings == sum(
        isinstance(block, Timeline) or (isinstance(block, Plot) and not block.is_secondary) for block in report.blocks
    )
    for part in re.split(r"\n(?!\|)", text):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in part.splitlines() if line.startswith("|")}
        assert len(widths) <= 1
    assert not re.search(r"(?<!\\)<", text)


@given(reports())
def test_a_page_has_every_block_and_every_row(report: Report) -> None:
    page = report_html(report)
    assert page.isascii() and page.count("</script>") == 2
    told = re.search(r'(?s)<script type="application/json" id="report">(.*?)</script>', page)
    assert told is not None
    for block, written in zip(report.blocks, json.loads(told[1])["blocks"], strict=True):
        if isinstance(block, Table):
            assert written["rows"] == sum(1 for _ in block.all_rows())
            assert {len(column["values"]) for column in written["columns"]} <= {0, written["rows"]}
        if isinstance(block, Plot):
            assert len(written["samples"]) + written["without"] == len(block.samples)


def _cells(rows: list[dict[str, object]], keys: set[str]) -> int:
    count, pending = 0, list(rows)
    while pending:
        row = pending.pop()
        count += sum(key in row for key in keys)
        pending.extend(row.get("below", ()))  # type: ignore[arg-type]  # JSON
    return count
