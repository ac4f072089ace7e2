"""Reports as text and as Markdown."""

import pytest

from sonde.evidence import Doubt, Loss, Remark
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.report_text import report_text
from sonde.report import Column, Fact, Facts, Margin, Notices, Report, Row, Table


def _functions(**more: object) -> Table:
    columns = (
        Column("self", "self", "duration", 1000, "both"),
        Column("margin", "±", "margin"),
        Column("name", "function", "name"),
    )
    rows = [Row((700, Margin(700, 7), "parse")), Row((20, None, "write"))]
    return Table("functions", "functions", columns, rows, noun="function", **more)  # type: ignore[arg-type]


def test_a_column_of_amounts_with_shares_says_so_above_them() -> None:
    assert report_text(Report("toy", "app", (_functions(),))).splitlines()[3:] == [
        "  self  share    ±  function",
        "700 ns  70.0%  ±1%  parse",
        " 20 ns   2.0%       write",
    ]


def test_where_names_would_not_fit_only_shares_are_written() -> None:
    lines = report_text(Report("toy", "app", (_functions(),)), columns=20).splitlines()
    assert lines[4:] == ["70.0%  ±1%  parse", " 2.0%       write"]


def test_what_rows_that_are_not_printed_hold_stands_beside_their_number() -> None:
    report = Report("toy", "app", (_functions(most=1, rest="2.0%"),))
    assert report_text(report).splitlines()[-1] == "… 1 more function, 2.0%"
    assert "\n… 1 more function, 2.0%\n" in report_markdown(report)


def test_each_sentence_of_a_legend_has_its_line() -> None:
    report = Report("toy", "app", (_functions(legend="one\ntwo"),))
    assert report_text(report).splitlines()[-2:] == ["one", "two"]
    assert report_markdown(report).endswith("\n\n*one*\n\n*two*\n")


def test_what_leads_to_a_row_stands_above_it() -> None:
    columns = (Column("name", "context", "name"), Column("calls", "calls", "count"))
    rows = (Row(("leaf", 3), led_to_by="⋮ 3 frames: a → b → c"),)
    report = Report("toy", "app", (Table("contexts", "", columns, (Row(("main", 1), rows),)),))
    assert "⋮ 3 frames: a → b → c\n" in report_text(report)
    assert "| &emsp;⋮ 3 frames: a → b → c |  |\n| &emsp;leaf | 3 |" in report_markdown(report)


def test_notices_below_a_table_are_set_apart_from_it() -> None:
    notices = Notices((Loss("lost", 3, "there was no room"),))
    assert report_text(Report("toy", "app", (_functions(), notices))).splitlines()[-2:] == [
        "",
        "! there was no room (lost: 3)",
    ]
    assert report_text(Report("toy", "app", (notices,))).splitlines() == ["app", "! there was no room (lost: 3)"]


def test_facts_that_paper_has_no_room_for_are_data_alone() -> None:
    report = Report("toy", "app", (Facts((Fact("machine", "x86-64"),), "details", is_secondary=True),))
    assert "x86-64" not in report_text(report) + report_markdown(report)
    assert report_data(report)["blocks"][0]["facts"] == [{"key": "machine", "value": "x86-64", "unit": "text"}]


def test_a_headline_is_told_first_everywhere() -> None:
    report = Report("toy", "app", (_functions(),), headline=("parse takes 70.0% | 700 ns.", "Nothing waits."))
    assert report_text(report).splitlines()[:3] == ["app", "parse takes 70.0% | 700 ns.", "Nothing waits."]
    assert report_markdown(report).startswith("## app\n\n**parse takes 70.0% \\| 700 ns.**\n\n**Nothing waits.**\n")
    assert report_data(report)["headline"] == ["parse takes 70.0% | 700 ns.", "Nothing waits."]


def test_a_headline_that_names_something_long_has_two_lines() -> None:
    report = Report("toy", "app", (), headline=(f"{'name ' * 2000}takes all.",))
    lines = report_text(report, columns=80).splitlines()
    assert len(lines) <= 4 and lines[-1].endswith("…")


@pytest.mark.parametrize("columns", [40, 60, 72, 80])
def test_a_narrow_page_tells_as_much_of_a_headline_as_one_of_80_columns(columns: int) -> None:
    sentence = f"The loop was held 12.3% of the time, longest 4.56 ms by {'name ' * 13}; tasks waited 250 ms for it."
    lines = report_text(Report("toy", "app", (), headline=(sentence,)), columns=columns).splitlines()
    assert " ".join(map(str.strip, lines[1:])) == sentence
    assert max(map(len, lines)) <= columns


def test_how_it_was_measured_is_told_to_who_asks() -> None:
    report = Report("toy", "app", (Facts((Fact("clock", "tsc"),), "means", is_detail=True), _functions()))
    assert "tsc" not in report_text(report)
    assert report_text(report, is_verbose=True).splitlines()[1] == "tsc"
    assert "tsc" in report_markdown(report)


def test_losses_are_always_told_whole_and_of_doubts_the_first() -> None:
    said = (
        Remark("", "caches are simulated"),
        Doubt("few", "3 runs"),
        Doubt("busy", "others ran"),
        Loss("lost", 3, "no room"),
    )
    report = Report("toy", "app", (Notices(said), _functions()))
    assert report_text(report).splitlines()[-4:] == [
        "",
        "! no room (lost: 3)",
        "! 3 runs (few)",
        "-v: 1 more doubt, 1 remark",
    ]
    assert report_text(report, is_verbose=True).splitlines()[-4:] == [
        "caches are simulated",
        "! 3 runs (few)",
        "! others ran (busy)",
        "! no room (lost: 3)",
    ]


def test_remarks_are_counted() -> None:
    report = Report("toy", "app", (Notices((Remark("", "caches are simulated"),)),))
    assert report_text(report).splitlines()[-1] == "-v: 1 remark"


def test_what_is_told_on_request_is_named_once_in_a_line() -> None:
    tables = tuple(_functions(is_detail=True) for _ in range(3))
    report = Report("toy", "app", (Notices((Doubt("few", "3 runs", hint="run more"),)), *tables))
    assert report_text(report).splitlines() == ["app", "! 3 runs (few)", "-v: more of this doubt, functions"]
    assert report_text(report, is_verbose=True).count("parse") == 3
