"""A report as its page gets it: the shape of the data, what is cut, and what names may hold."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from made_reports import (
    HOSTILE,
    MAIN_FILE,
    SHELL_SORT,
    SORT_FILE,
    SORT_PY,
    bare_report,
    full_report,
    hostile_report,
    large_report,
)
from sonde.base.errors import SondeError
from sonde.render.html import MAX_PAGE_BYTES, report_html, report_page, write_report_page
from sonde.report import Column, Named, Part, Plot, PlotKind, Report, Row, Sample, Table

MADE = {"full": full_report(), "bare": bare_report(), "hostile": hostile_report()}


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def table_of(report: Report, key: str) -> dict[str, Any]:
    return next(block for block in data_of(report_html(report))["blocks"] if block["key"] == key)


def made_table(rows: tuple[Row, ...], *columns: Column) -> Report:
    return Report("toy", "made", (Table("made", "made", columns, rows),))


@pytest.mark.parametrize("report", MADE.values(), ids=MADE)
def test_a_page_is_one_file_of_ascii_that_fetches_nothing(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_report_page(report, path)
    page = path.read_text(encoding="ascii")
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert page.count("</script>") == 2
    assert re.findall(r"\{\{[A-Z_]+\}\}", page) == []
    assert "<img" not in page


def test_the_same_report_gives_the_same_page() -> None:
    assert report_html(full_report()) == report_html(full_report())


def test_a_title_of_ones_own_is_the_heading() -> None:
    assert "<title>a &lt;b&gt;</title>" in report_html(bare_report(), "a <b>")


def test_each_block_is_told_in_its_order() -> None:
    data = data_of(report_html(full_report()))
    assert [block["block"] for block in data["blocks"]] == [
        "facts", "facts", "findings", "notices", *["table"] * 6, "note", *["table"] * 6, *["plot"] * 4, "findings",
    ]  # fmt: skip
    assert [block["secondary"] for block in data["blocks"][:2]] == [False, True]
    assert data["changed"] is True and data["kind"] == "toy"


def test_columns_have_one_form_of_cells() -> None:
    functions = table_of(full_report(), "functions")
    forms = [column["form"] for column in functions["columns"]]
    assert forms == ["name", "number", "part", "part", "number"]
    assert functions["columns"][2]["values"][0] == 50_800_000
    assert functions["columns"][2]["wholes"][0] == 796_000_000
    assert [column.get("shown", "") for column in functions["columns"]] == ["", "share", "", "", "data"]


def test_cells_that_are_not_alike_tell_their_type() -> None:
    ratio = table_of(full_report(), "measurements")["columns"][2]
    assert ratio["form"] == "mixed"
    assert ratio["values"] == [["i", 1.12, 1.05, 1.2, 0.95], 0.87]
    score = table_of(full_report(), "measurements")["columns"][3]
    assert score["values"] == [0.00012, ["x", "inf"]]
    change = table_of(full_report(), "changes")["columns"][1]
    assert change["values"] == [
        ["c", ["p", 120, 1000], ["p", 180, 900]],
        ["c", ["p", 9, 10], None],
        ["c", None, ["p", 5, 0]],
    ]


def test_cells_of_several_numbers_are_whole() -> None:
    data = data_of(report_html(full_report()))
    table = next(block for block in data["blocks"] if block["key"] == "estimates")
    cells = {column["key"]: column["values"] for column in table["columns"]}
    assert cells["margin"] == [
        ["m", 2_990_000_000, 110_000_000, 81_000_000, True],
        ["m", 210_000_000, None, 5_000_000_000, False],
    ]
    letter, value, text, unit = cells["speed"][0]
    assert (letter, value) == ("q", ["i", 0.0422, 0.0409, 0.0449, 0.95])
    assert (data["strings"][text], data["strings"][unit]) == ("42.2 ms [40.9, 44.9]", "s")
    assert cells["speed"][1][1] == 2.5e6
    assert cells["sizes"][0] == ["v", 3, 1, 2, None]
    assert cells["sizes"][1][:4] == ["v", 100, 0, 1] and len(cells["sizes"][1]) == 62
    assert json.loads(cells["raw"][0][1]) == {"why": ["too", "large"], "cost": 7}
    assert (table["rest"], table["left_out"]) == ("0.1% together", 7)


def test_rows_left_out_below_a_row_are_counted() -> None:
    verdicts = table_of(full_report(), "verdicts")
    assert verdicts["left_out_below"] == {"1": 1_234} and verdicts["grouped"]
    assert [column.get("shown") for column in verdicts["columns"]] == [None, None, "below", "below"]


def plot_of(*samples: Sample, kind: PlotKind = "sequence") -> dict[str, Any]:
    plot: dict[str, Any] = data_of(report_html(Report("toy", "t", (Plot("p", kind, "p", samples),))))["blocks"][0]
    return plot


def test_a_plot_has_its_values_in_the_unit_they_are_written_in() -> None:
    spread = table_of(full_report(), "spread")
    assert [sample["name"] for sample in spread["samples"]] == ["fast", "slow", "throughput"]
    assert (spread["without"], spread["left_out"]) == (1, 0)
    fast, slow, throughput = spread["samples"]
    assert fast["scale"] == [0.001, "ms"] and throughput["scale"] == [1_000_000, "M ops/s"]
    assert fast["mean"] == [0.0107, 0.0104, 0.011] and fast["median"] == 0.0106
    assert (fast["outliers"], fast["counted"], len(fast["values"])) == ([40], [5, 41], 41)
    assert slow["mean"] == [0.0129, None, None] and throughput["mean"] == [2.5e6, None, 2.9e6]


def test_values_that_cannot_be_drawn_keep_the_places_of_the_others() -> None:
    sample = plot_of(Sample("a", (1.0, float("inf"), 3.0), "s", mean=float("nan"), outliers=(1, 2)))["samples"][0]
    assert (sample["values"], sample["at"], sample["count"]) == ([1.0, 3.0], [0, 2], 3)
    assert sample["outliers"] == [1] and sample["far"] == 2 and "mean" not in sample


@pytest.mark.parametrize("kind", ["sequence", "distribution"])
def test_of_very_many_values_the_ends_and_the_shape_are_kept(kind: PlotKind) -> None:
    values = [float(i % 1_000) for i in range(300_000)]
    values[123_456] = 5_000.0
    sample = plot_of(Sample("a", values, "s"), kind=kind)["samples"][0]
    assert 50_000 < len(sample["values"]) <= 100_000
    assert sample["values"] == [values[place] for place in sample["at"]]
    assert max(sample["values"]) == 5_000.0 and min(sample["values"]) == 0.0
    low = sum(value < 500 for value in sample["values"]) / len(sample["values"])
    assert 0.45 < low < 0.55


def test_a_page_of_very_many_samples_has_its_bounds() -> None:
    samples = [Sample(f"{i:06}" + "x" * 290, [1.0, 2.0, float(i)], "s") for i in range(30_000)]
    page = report_html(Report("toy", "t", tuple(Plot(f"p{i}", "strips", "p", tuple(samples)) for i in range(3))))
    assert len(page) <= MAX_PAGE_BYTES
    plot = data_of(page)["blocks"][0]
    assert plot["left_out"] + len(plot["samples"]) == 30_000 and plot["samples"]


def test_a_function_is_in_the_page_once_wherever_it_is_named() -> None:
    data = data_of(report_html(full_report()))
    labels = [data["strings"][function[0]] for function in data["functions"]]
    assert labels.count("shell_sort") == 1
    number = labels.index("shell_sort")
    assert data["files"][data["functions"][number][2]] == SORT_FILE
    assert [name for name in data["names"] if name[1] == number] == [[data["strings"].index("shell_sort"), number]]


def test_names_without_a_function_are_joined_by_their_text() -> None:
    data = data_of(report_html(full_report()))
    types, pairs = (next(each for each in data["blocks"] if each["key"] == key) for key in ("types", "line_types"))
    assert types["columns"][0]["values"][0] == pairs["columns"][0]["values"][0]
    report = made_table((Row((Named("f x2", SHELL_SORT),)), Row(("f x2",))), Column("n", "n", "name"))
    assert len(set(table_of(report, "made")["columns"][0]["values"])) == 2


def test_trees_are_rows_with_depths() -> None:
    tree = table_of(full_report(), "contexts")
    assert tree["depth"] == [0, 1, 2, 2, 1, 2, 0]
    assert tree["tone"] == [1, 3, 2, 0, 4, 5, 6]
    assert "depth" not in table_of(full_report(), "functions")


def test_a_listing_is_a_table_of_lines_whose_text_is_in_the_page() -> None:
    data = data_of(report_html(full_report()))
    listing = next(block for block in data["blocks"] if block["key"] == "listing")
    assert data["files"][listing["file"]] == SORT_FILE
    assert [data["places"][place][1] for place in listing["columns"][0]["values"]] == [23, 26]
    assert data["sources"] == {str(data["files"].index(path)): text for path, text in full_report().sources.items()}
    assert data["files"].index(MAIN_FILE) > data["files"].index(SORT_FILE)


def test_sources_that_no_table_names_stay_away() -> None:
    report = Report("toy", "t", full_report().blocks, {**full_report().sources, "/etc/passwd": "secret"})
    assert "secret" not in report_html(report)


def test_long_names_are_cut_and_their_files_have_no_text() -> None:
    data = data_of(report_html(hostile_report()))
    assert max(len(text) for text in data["strings"] + data["files"]) == 300
    assert max(len(text) for text in data["blocks"][1]["sentences"]) == 1_200
    assert list(data["sources"]) == ["0"]


def test_odd_letters_come_through() -> None:
    data = data_of(report_html(hostile_report()))
    assert HOSTILE in data["strings"] and HOSTILE[-1] == "\ud800"


def test_a_table_that_is_too_long_keeps_its_heaviest_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "_MOST_ROWS", 100)
    report = large_report(1_000)
    flat = table_of(report, "flat")
    assert (flat["rows"], flat["cut"]) == (100, 900)
    assert flat["columns"][1]["values"] == [(1_000 - i) * 1_000 for i in range(100)]


def test_what_is_kept_of_a_tree_hangs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "_MOST_ROWS", 3)
    columns = (Column("name", "name"), Column("time", "time", "duration", is_hot=True))
    # The heaviest row is below light ones.
    rows = (Row(("a", 1), (Row(("b", 2)), Row(("c", 3), (Row(("d", 50)),)))), Row(("e", 40)))
    data = data_of(report_html(made_table(rows, *columns)))
    tree = data["blocks"][0]
    assert [data["strings"][i] for i in tree["columns"][0]["values"]] == ["a", "c", "d"]
    assert tree["depth"] == [0, 1, 2] and tree["cut"] == 2


def test_rows_weigh_what_the_table_is_sorted_by() -> None:
    columns = (Column("n", "n"), *(Column(key, key, "count", is_hot=True) for key in ("first", "last")))
    rows = (Row(("a", 1, Part(9, 10))), Row(("b", 5, Part(2, 10))))
    assert table_of(made_table(rows, *columns), "made")["weight"] == 2
    assert table_of(made_table((Row(("a",)),), Column("n", "n")), "made")["weight"] == -1


def test_a_page_has_its_bounds_however_large_the_report() -> None:
    names = [f"{i:06}" + "x" * 290 for i in range(30_000)]
    columns = (Column("n", "n", "name"), Column("c", "c", "count", is_hot=True))
    rows = tuple(Row((name, 30_000 - i)) for i, name in enumerate(names))
    report = Report("toy", "t", (Table("made", "made", columns, rows),), {})
    page = report_html(report)
    assert 0.6 * MAX_PAGE_BYTES < len(page) <= MAX_PAGE_BYTES
    made = data_of(page)["blocks"][0]
    assert made["rows"] + made["cut"] == 30_000
    assert made["columns"][1]["values"][0] == 30_000


def test_sources_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "_MOST_SOURCE_BYTES", len(SORT_PY) * 11 // 10)
    data = data_of(report_html(full_report()))
    assert list(data["sources"].values()) == [SORT_PY]
    assert data["sources_left_out"] == 1


def test_a_report_of_which_nothing_fits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "MAX_PAGE_BYTES", 400_000)
    with pytest.raises(SondeError, match="one row of each table") as caught:
        report_html(large_report(10))
    assert caught.value.slug == "page-too-large"
