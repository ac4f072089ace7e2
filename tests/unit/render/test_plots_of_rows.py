"""Plots that belong to rows, tables that are told in parts, texts that are quoted: in each rendering."""

import json
import re
from typing import Any

import pytest

from made_plots import measured_report, samples
from sonde.render.html import report_html, report_page
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import report_text
from sonde.report import Column, Plot, Report, Row, Sample, Table, Values


def data_of(report: Report) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', report_html(report), re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def blocks(data: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for block in data["blocks"] if block["block"] == kind]


def test_paper_has_the_parts_of_a_table_and_no_plots_of_rows() -> None:
    for text in (report_text(measured_report()), report_markdown(measured_report())):
        assert "worse is told" in text and "same is told" in text
        assert "overview" not in text and "benchmark 1" not in text and "because worse" not in text
        assert "method: Each invocation counts as one value." in text


def test_a_page_has_the_whole_of_a_table_told_in_parts() -> None:
    whole, series = blocks(data_of(measured_report()), "table")
    assert (whole["key"], whole["title"], whole["rows"]) == ("worse", "comparisons", 2)
    assert whole["legend"] == "worse: worse is told\nsame: same is told"
    assert [column["key"] for column in whole["columns"] if column.get("category")] == ["verdict"]
    assert series["title"] == "series"


def test_parts_with_other_columns_or_others_between_stay_apart() -> None:
    one, other = Column("a", "a"), Column("b", "b")
    parts = [
        Table(str(i), str(i), (column,), (Row((str(i),)),), part_of="all") for i, column in enumerate((one, one, other))
    ]
    told = blocks(data_of(Report("toy", "t", tuple(parts))), "table")
    assert [(table["key"], table["rows"]) for table in told] == [("0", 2), ("2", 1)]
    apart = Report("toy", "t", (parts[0], Table("x", "x", (one,), ()), parts[1]))
    assert [table["key"] for table in blocks(data_of(apart), "table")] == ["0", "x", "1"]


def test_rows_name_their_plots() -> None:
    data = data_of(measured_report())
    whole = blocks(data, "table")[0]
    assert [data["strings"][number] for number in whole["plot"]] == ["overview-1", "overview-2"]
    assert [(plot["key"], plot["secondary"]) for plot in blocks(data, "plot")] == [
        ("overview-1", True),
        ("overview-2", True),
    ]


def test_values_stand_between_gaps_which_say_why() -> None:
    data = data_of(measured_report())
    old, new = blocks(data, "plot")[0]["samples"]
    assert old["at"] == [0, 1, 2, 4, 5, 6, 7, 9, 10, 11] and old["count"] == 12 and old["missing"] == 2
    assert [(place, data["strings"][why]) for place, why in old["gaps"]] == [(3, "failed exit code 3")]
    assert old["gaps_left_out"] == 0
    assert data["strings"][old["members"]["names"][9]] == "iterations of invocation 10"
    assert (old["members"]["from"], old["members"]["lengths"]) == (2, 22) and "to" not in old["members"]
    assert "gaps" not in new and "members" not in new


def test_data_have_gaps_members_and_titles() -> None:
    data = report_data(measured_report())
    [plot] = [block for block in data["blocks"] if block["key"] == "overview-1"]
    old, new = plot["samples"]
    assert old["gaps"][0] == {"place": 3, "why": "failed exit code 3"}
    assert len(old["members"]) == 10 and old["members"][0]["counted"] == [2, 22]
    assert "gaps" not in new and "members" not in new
    [method] = [block for block in data["blocks"] if block["key"] == "method"]
    assert method == {
        "type": "note",
        "key": "method",
        "text": "Each invocation counts as one value.",
        "title": "method",
    }


def test_a_sequence_on_paper_marks_its_gaps() -> None:
    text = report_text(Report("toy", "t", (Plot("p", "sequence", "p", samples()[:1], legend="twelve"),)))
    assert "twelve; ○ 1 far from the others; × 1 without a value" in text
    assert sum(line.count("×") for line in text.splitlines() if "│" in line) == 1
    alone = Sample("a", (1.0,), "s", gaps={0: "failed"})
    assert "a single value: 1.00 s; × 1 without a value" in report_text(
        Report("toy", "t", (Plot("p", "sequence", "p", (alone,)),))
    )


def test_an_overview_on_paper_has_the_spread_and_the_order() -> None:
    text = report_text(Report("toy", "t", (Plot("p", "overview", "p", samples()),)))
    assert "at the left, where each bin begins" in text and "without a value" in text


def test_columns_for_programs_go_before_rows_do(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (
        Column("name", "name", "name"),
        Column("kind", "kind", shown="data", is_category=True),
        Column("values", "values", "number", shown="data"),
    )
    rows = [Row((f"row {i}", "odd" if i % 2 else "even", Values(list(range(i, i + 50))))) for i in range(2_000)]
    report = Report("toy", "t", (Table("t", "t", columns, rows),))
    assert [len(table["columns"]) for table in blocks(data_of(report), "table")] == [3]
    monkeypatch.setattr(report_page, "MAX_PAGE_BYTES", 680_000)
    [table] = blocks(data_of(report), "table")
    assert [column["key"] for column in table["columns"]] == ["name", "kind"]
    assert (table["rows"], table["cut"], table["weight"]) == (2_000, 0, -1)


def test_a_page_has_the_plots_of_the_first_rows_and_counts_the_others() -> None:
    plots = [
        Plot(f"p{i}", "overview", "", (Sample("a", [1.0, 2.0] * 15, "s"),), is_secondary=True) for i in range(2_003)
    ]
    data = data_of(Report("toy", "t", tuple(plots)))
    assert len(blocks(data, "plot")) == 2_000 and data["plots_left_out"] == 3
    assert "plots_left_out" not in data_of(measured_report())
