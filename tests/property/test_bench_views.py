"""Laws of the views of a judgement, for any values: everything fits, and nothing is lost."""

import json

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_judgements import made_comparison, made_judgement, made_sample, made_summary
from report_json import all_rows
from sonde.base.fitted_text import display_width
from sonde.instruments.bench.report import PLOTS, judgement_report
from sonde.render.quantity import scale_for
from sonde.render.report_json import report_data
from sonde.render.report_markdown import report_markdown
from sonde.render.terminal.plots.axis import Axis, draw_interval
from sonde.render.terminal.plots.bins import bin_count, bins_of
from sonde.render.terminal.report_text import report_text

VALUES = st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=30)
TEXT = st.text(max_size=40)
ANY = st.floats(allow_nan=False)


@examples(0.6)
@given(first=VALUES, second=VALUES, name=TEXT, width=st.integers(20, 140))
def test_any_judgement_fits_its_page_and_steers_nothing(
    first: list[float], second: list[float], name: str, width: int
) -> None:
    old, new = made_sample(first, benchmark=name), made_sample(second, benchmark=name, alternative=name + "2")
    ends = (min(first), max(first))
    judgement = made_judgement(
        summaries=[made_summary(old, ends), made_summary(new)],
        comparisons=[made_comparison("unclear", 1.5, (0.5, 2.5), first=old, second=new, why=f"cannot say: {name}")],
    )
    report = judgement_report(judgement, kinds=PLOTS)
    text = report_text(report, columns=width)
    assert all(display_width(line) <= width for line in text.split("\n"))
    assert "\x1b" not in text + report_markdown(report)


@examples(1)
@given(values=VALUES, ratio=st.floats(), low=ANY, high=ANY)
def test_json_has_a_word_for_all_of_it(values: list[float], ratio: float, low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    sample = made_sample(values)
    judgement = made_judgement(
        summaries=[made_summary(sample)],
        comparisons=[made_comparison("unclear", ratio, (low, high), first=sample, second=sample)],
    )
    answer = json.loads(json.dumps(report_data(judgement_report(judgement)), allow_nan=False))
    assert all_rows(answer, "series")[0]["values"] == values


@given(values=VALUES, count=st.integers(1, 60))
def test_every_value_is_in_one_bin(values: list[float], count: int) -> None:
    bins = bins_of(values, count)
    assert sum(bins.counts) == len(values)
    assert 1 <= bin_count(values, count) <= max(count, 5)
    assert all(bins.counts[bins.place(value)] > 0 for value in (min(values), max(values)))


@given(ends=st.tuples(ANY, ANY, ANY), axis_ends=st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), mark=ANY)
def test_a_drawn_interval_is_as_wide_as_its_axis(
    ends: tuple[float, float, float], axis_ends: tuple[float, float], mark: float
) -> None:
    low, value, high = sorted(ends)
    drawn = draw_interval(Axis(min(axis_ends), max(axis_ends), 30), value, low, high, mark=mark)
    assert len(drawn) == 30


@given(values=st.lists(st.floats(1e-15, 1e15), min_size=1), unit=st.sampled_from(["s", "B", "1", "ops/s"]))
def test_a_scale_is_one_in_which_no_value_is_below_one_needlessly(values: list[float], unit: str) -> None:
    scale = scale_for(unit, values)
    finest = {"s": 1e-9}.get(unit, 1.0)
    assert scale.size == finest or min(values) >= scale.size * (1.0 - 1e-12)
