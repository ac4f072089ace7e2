"""Plots on a terminal: every value is somewhere, and what is special is marked."""

import io

import numpy as np
import pytest

from made_judgements import made_estimate, made_judgement, made_sample, made_steady_sample, made_summary
from sonde.base.fitted_text import display_width
from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report import bin_count
from sonde.instruments.bench.report.terminal import PLOTS, PlotKind, print_plots
from sonde.instruments.bench.report.terminal.density_strip import axis_of_values, beyond, density_strip
from sonde.instruments.bench.report.terminal.dot_canvas import DotCanvas
from sonde.instruments.bench.report.terminal.interval_line import Axis, axis_of_ratios, draw_interval, draw_ratio


def plotted(judgement: Judgement, kind: PlotKind, *, width: int = 80, encoding: str = "utf-8", most: int = 12) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_plots(judgement, kind, stream, width=width, most=most)
    stream.flush()
    return raw.getvalue().decode(encoding)


def steady() -> Judgement:
    runs = [[3.0, 2.0, *[1.0 + (i + k) % 3 / 100 for i in range(38)]] for k in range(5)]
    return made_judgement(summaries=[made_summary(made_steady_sample(runs, steady_from=2), (0.99, 1.02))])


def test_the_run_sequence_underlines_the_steady_part_and_names_the_invocation() -> None:
    text = plotted(steady(), "sequence")
    assert "invocations 1 to 5, in the order of the run" in text
    assert "iterations 1 to 40 of invocation" in text
    [ruler] = [line for line in text.splitlines() if "·" in line]
    dotted, solid = ruler.count("·"), ruler.count("─")
    assert 3 <= dotted <= 5  # two iterations of forty on 80 columns
    assert solid > 60


def test_another_invocation_can_be_asked_for() -> None:
    stream = io.StringIO()
    print_plots(steady(), "sequence", stream, width=80, invocation=3)
    assert "of invocation 4 of 5" in stream.getvalue()
    stream = io.StringIO()
    print_plots(steady(), "sequence", stream, width=80, invocation=30)
    assert "invocation 31 is not in the sample" in stream.getvalue()


def test_values_far_out_stand_at_the_edge_and_are_counted() -> None:
    summary = made_summary(made_sample([*(1.0 + i % 5 / 100 for i in range(30)), 500.0]), (0.9, 1.1))
    text = plotted(made_judgement(summaries=[summary]), "sequence")
    assert "▲ 1 higher" in text
    assert text.count("▲") == 2


def test_outliers_have_a_mark_of_their_own() -> None:
    summary = made_summary(made_sample([1.0, 1.01, 1.02, 1.03, 1.1]), (0.9, 1.1), outliers=[4])
    text = plotted(made_judgement(summaries=[summary]), "sequence")
    assert "○ 1 far from the others" in text
    assert text.count("○") == 2


def test_higher_values_are_drawn_higher() -> None:
    summary = made_summary(made_sample([1.0, 3.0, 2.0]), (0.9, 1.1))
    text = plotted(made_judgement(summaries=[summary]), "sequence", encoding="ascii")
    rows = [line.partition("|")[2] for line in text.splitlines() if "|" in line]
    drawn = sorted((row.index(dot), at) for at, row in enumerate(rows) for dot in set(row.strip()))
    assert [at for _, at in drawn] == [len(rows) - 1, 0, len(rows) // 2]


def test_the_histogram_counts_every_value() -> None:
    values = np.random.default_rng(1).normal(1.0, 0.01, 200).tolist()
    text = plotted(made_judgement(summaries=[made_summary(made_sample(values), (0.99, 1.01))]), "distribution")
    counts = [int(line.split("█")[-1].split()[0]) for line in text.splitlines() if "█" in line]
    assert sum(counts) == 200
    assert text.count("●") == 2  # at its bin, and in the note


def test_bins_are_as_many_as_freedman_and_diaconis_have() -> None:
    # The middle half of 0, 1, ..., 599 is 299.5 wide; two of it by the cube root of 600, 8.43, go 8.43 times into 599.
    assert bin_count(np.arange(600.0), 60) == 9
    assert bin_count(np.arange(600.0), 7) == 7
    assert bin_count(np.arange(3.0), 60) == 3


def test_one_value_is_always_seen_beside_many() -> None:
    values = [1.0] * 5000 + [2.0]
    text = plotted(made_judgement(summaries=[made_summary(made_sample(values))]), "distribution")
    assert len([line for line in text.splitlines() if "█" in line]) == 2


def test_alternatives_are_drawn_on_one_axis_and_in_the_unit_they_share() -> None:
    low = made_summary(made_sample([0.010, 0.012], alternative="a"), (0.009, 0.013))
    high = made_summary(made_sample([0.020, 0.022], alternative="b"), (0.019, 0.023))
    text = plotted(made_judgement(summaries=[low, high]), "intervals")
    [first] = [line for line in text.splitlines() if line.startswith("a ")]
    [second] = [line for line in text.splitlines() if line.startswith("b ")]
    assert first.index("┤") < second.index("├")
    assert "11.0 ms [9.0, 13.0]" in first


def test_an_interval_that_was_withheld_is_a_dot_with_its_reason() -> None:
    summary = made_summary(made_sample([1.0]), withheld="one value")
    text = plotted(made_judgement(summaries=[summary]), "intervals")
    assert "├" not in text
    assert "● without an interval: one value" in text


def test_nothing_to_draw_is_said() -> None:
    assert "nothing to draw for sequence" in plotted(made_judgement(), "sequence")


def test_series_beyond_the_limit_are_counted() -> None:
    summaries = [made_summary(made_sample([1.0, 2.0], benchmark=f"b{i}")) for i in range(5)]
    assert "… 3 more series" in plotted(made_judgement(summaries=summaries), "distribution", most=2)
    assert "… 3 more benchmarks" in plotted(made_judgement(summaries=summaries), "intervals", most=2)


@pytest.mark.parametrize("kind", PLOTS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_odd_samples_can_be_plotted_and_fit(kind: PlotKind, encoding: str) -> None:
    samples = [
        made_sample([]),
        made_sample([1.0]),
        made_sample([2.0] * 9),
        made_sample([0.0, 0.0]),
        made_sample([-1.0, 1.0]),
        made_sample([1e-12, 1e12]),
        made_sample([1.0, 2.0], alternative="x" * 300, benchmark="y\x1b" * 200),
    ]
    text = plotted(made_judgement(summaries=[made_summary(sample) for sample in samples]), kind, encoding=encoding)
    assert "\x1b" not in text
    assert max(map(display_width, text.splitlines())) <= 80


def test_a_drawn_interval_covers_its_columns() -> None:
    axis = Axis(0.0, 10.0, 11)
    assert draw_interval(axis, 5.0, 3.0, 7.0) == "   ├─●─┤   "
    assert draw_interval(axis, 5.0, 3.0, 7.0, mark=4.0) == "   ├┼●─┤   "
    assert draw_interval(axis, 5.0, 3.0, 7.0, mark=3.0) == "   ┼─●─┤   "
    assert draw_interval(axis, 5.0, -5.0, 50.0) == "<────●────>"
    assert draw_interval(axis, 50.0, 40.0, 60.0, mark=0.0) == "│         >"
    assert draw_interval(axis, 5.0, 5.0, 5.0) == "     ●     "


def test_ratios_are_drawn_on_logarithms_so_that_twice_and_half_are_as_far() -> None:
    half, twice = made_estimate("ratio", 0.5, None), made_estimate("ratio", 2.0, None)
    axis = axis_of_ratios([half, twice], 41)
    left, right = draw_ratio(axis, half), draw_ratio(axis, twice)
    assert left.index("│") - left.index("●") == right.index("●") - right.index("│")


def test_the_strip_shows_outliers_by_number_only() -> None:
    values = np.array([1.0, 1.1, 1.2, 1.3, 1.4, 90.0])
    axis = axis_of_values([values], 20)
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
