"""Plots on a terminal: every value is somewhere, and what is special is marked."""

import io
import math
import random

from sonde.base.fitted_text import display_width
from sonde.evidence import Interval
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.page import Page
from sonde.render.terminal.plots import print_plot
from sonde.render.terminal.plots.axis import Axis, axis_around, draw_around, draw_interval
from sonde.render.terminal.plots.bins import bin_count
from sonde.render.terminal.plots.dot_canvas import DotCanvas
from sonde.render.terminal.plots.strips import axis_of, beyond, density_strip
from sonde.render.terminal.report_text import report_text
from sonde.report import Column, Estimated, Plot, PlotKind, Report, Row, Sample, Table


def drawn(kind: PlotKind, *samples: Sample, width: int = 80, encoding: str = "utf-8", legend: str = "") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_plot(Page(stream, width=width, narrowest=20), Plot("plot", kind, "plot", samples, legend=legend))
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_the_run_sequence_underlines_the_values_that_count() -> None:
    values = [3.0, 2.0, *[1.0 + i % 3 / 100 for i in range(38)]]
    text = drawn("sequence", Sample("a", values, "s", counted=(2, 40)))
    [ruler] = [line for line in text.splitlines() if "·" in line]
    dotted, solid = ruler.count("·"), ruler.count("─")
    assert 3 <= dotted <= 5  # two values of forty on 80 columns
    assert solid > 60


def test_values_far_out_stand_at_the_edge_and_are_counted() -> None:
    text = drawn("sequence", Sample("a", [*(1.0 + i % 5 / 100 for i in range(30)), 500.0], "s"))
    assert "▲ 1 higher" in text
    assert text.count("▲") == 2


def test_outliers_have_a_mark_of_their_own() -> None:
    text = drawn("sequence", Sample("a", [1.0, 1.01, 1.02, 1.03, 1.1], "s", outliers=(4,)))
    assert "○ 1 far from the others" in text
    assert text.count("○") == 2


def test_higher_values_are_drawn_higher() -> None:
    text = drawn("sequence", Sample("a", [1.0, 3.0, 2.0], "s"), encoding="ascii")
    rows = [line.partition("|")[2] for line in text.splitlines() if "|" in line]
    dots = sorted((row.index(dot), at) for at, row in enumerate(rows) for dot in set(row.strip()))
    assert [at for _, at in dots] == [len(rows) - 1, 0, len(rows) // 2]


def test_the_histogram_counts_every_value() -> None:
    source = random.Random(1)
    values = [source.gauss(1.0, 0.01) for _ in range(200)]
    text = drawn("distribution", Sample("a", values, "s", mean=Estimated(1.0, Interval(0.99, 1.01, 0.95))))
    counts = [int(line.split("█")[-1].split()[0]) for line in text.splitlines() if "█" in line]
    assert sum(counts) == 200
    assert text.count("●") == 2  # at its bin, and in the note


def test_a_mean_of_which_nothing_is_known_is_drawn_over_all_bins() -> None:
    text = drawn("distribution", Sample("a", [0.0, 1.0], "s", mean=Estimated(0.0, Interval(-math.inf, math.inf, 0.95))))
    assert [line[-1] for line in text.splitlines() if "█" in line] == ["●", "│"]


def test_bins_are_as_many_as_freedman_and_diaconis_have() -> None:
    # The middle half of 0, 1, ..., 599 is 299.5 wide; two of it by the cube root of 600, 8.43, go 8.43 times into 599.
    assert bin_count([float(i) for i in range(600)], 60) == 9
    assert bin_count([float(i) for i in range(600)], 7) == 7
    assert bin_count([0.0, 1.0, 2.0], 60) == 3


def test_one_value_is_always_seen_beside_many() -> None:
    text = drawn("distribution", Sample("a", [1.0] * 5000 + [2.0], "s"))
    assert len([line for line in text.splitlines() if "█" in line]) == 2


def test_samples_are_drawn_on_one_axis_and_in_the_unit_they_share() -> None:
    low = Sample("a", [0.010, 0.012], "s", 0.011, Estimated(0.011, Interval(0.009, 0.013, 0.95)))
    high = Sample("b", [0.020, 0.022], "s", 0.011, Estimated(0.021, Interval(0.019, 0.023, 0.95)))
    lines = drawn("intervals", low, high).splitlines()
    [first] = [line for line in lines if line.startswith("a ")]
    [second] = [line for line in lines if line.startswith("b ")]
    assert first.index("┤") < second.index("├")
    assert "11.0 ms [9.0, 13.0]" in first


def test_a_mean_without_an_interval_is_a_dot() -> None:
    text = drawn("intervals", Sample("a", [1.0], "s", mean=1.0), legend="one value")
    assert "├" not in text
    assert "●" in text and "one value" in text


def test_samples_without_values_are_counted() -> None:
    assert "nothing to draw" in drawn("sequence", Sample("a", [], "s"))
    assert "1 sample without values" in drawn("strips", Sample("a", [], "s"), Sample("b", [1.0, 2.0], "s"))


def test_strips_of_a_group_share_an_axis_unless_one_would_be_a_single_column() -> None:
    near = drawn("strips", Sample("a", [1.0, 2.0], "s"), Sample("b", [2.0, 3.0], "s"))
    assert near.count("1.00") == 2 and near.count("3.00 s") == 2
    far = drawn("strips", Sample("a", [1.0, 2.0], "s"), Sample("b", [1e6, 1.1e6], "s"))
    assert "2.00 s" in far


def test_names_that_leave_no_room_have_lines_of_their_own() -> None:
    text = drawn("strips", Sample("a name of thirty-five letters, or so", [1.0, 2.0], "s"), width=60)
    assert "\na name of thirty-five letters, or so\n" in text


def test_a_drawn_interval_covers_its_columns() -> None:
    axis = Axis(0.0, 10.0, 11)
    assert draw_interval(axis, 5.0, 3.0, 7.0) == "   ├─●─┤   "
    assert draw_interval(axis, 5.0, 3.0, 7.0, mark=4.0) == "   ├┼●─┤   "
    assert draw_interval(axis, 5.0, 3.0, 7.0, mark=3.0) == "   ┼─●─┤   "
    assert draw_interval(axis, 5.0, -5.0, 50.0) == "<────●────>"
    assert draw_interval(axis, 50.0, 40.0, 60.0, mark=0.0) == "│         >"
    assert draw_interval(axis, 5.0, 5.0, 5.0) == "     ●     "


def test_ratios_are_drawn_on_logarithms_so_that_twice_and_half_are_as_far() -> None:
    axis = axis_around([0.5, 2.0], "log", 41)
    left, right = draw_around(axis, 0.5, "log"), draw_around(axis, 2.0, "log")
    assert left.index("│") - left.index("●") == right.index("●") - right.index("│")


def test_the_strip_shows_outliers_by_number_only() -> None:
    values = [1.0, 1.1, 1.2, 1.3, 1.4, 90.0]
    axis = axis_of([Sample("a", values, "s")], 20)
    assert axis.high == 1.4
    assert beyond(values, axis) == "1 above"
    assert len(density_strip(values, axis)) == 20


def test_dots_have_stand_ins_where_there_is_no_braille() -> None:
    canvas = DotCanvas(3, 1, is_plain=True)
    for x, y in ((0, 0), (2, 3), (4, 0), (4, 3)):
        canvas.dot(x, y)
    assert canvas.lines() == ["'.:"]


def test_dots_outside_of_a_canvas_are_at_its_edge() -> None:
    canvas = DotCanvas(1, 1)
    canvas.dot(-5, -5)
    canvas.dot(50, 50)
    assert canvas.lines() == ["⢁"]


def test_intervals_of_a_table_stand_below_one_another_and_are_drawn_where_there_is_room() -> None:
    columns = (Column("ratio", "ratio", "ratio", axis="log"), Column("name", "name", "name"))
    rows = [Row((Estimated(1.5, Interval(1.25, 2.0, 0.95)), "a")), Row((12.0, "b")), Row((None, "c"))]
    report = Report("toy", "toy", (Table("t", "", columns, rows),))
    wide = report_text(report, columns=60).splitlines()
    assert [line[:24].rstrip() for line in wide[2:]] == [
        "1.500x [1.250, 2.000]  a",
        "12.00x                 b",
        " " * 23 + "c",
    ]
    assert ["●" in line for line in wide[2:]] == [True, True, False]
    assert max(map(display_width, wide)) <= 60
    assert not any("●" in line for line in report_text(report, columns=34).splitlines())
    assert "1.500x  a" in report_text(report, columns=20)


def test_a_plot_in_markdown_is_a_block_of_text_that_no_name_can_end() -> None:
    text = report_markdown(
        Report("toy", "toy", (Plot("p", "intervals", "a|b", (Sample("```", [1.0], "s", mean=1.0),)),))
    )
    assert "### a\\|b" in text
    assert text.count("```") == 2


def test_a_unit_of_wide_letters_leaves_the_page_as_wide_as_it_is() -> None:
    text = drawn("sequence", Sample("a", [0, 1], "記憶/s"), width=20)
    assert max(map(display_width, text.splitlines())) <= 20
