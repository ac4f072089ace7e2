"""A judgement as a report: all of it, what is said first, and what is withheld."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from made_judgements import (
    made_comparison,
    made_judgement,
    made_sample,
    made_steady_sample,
    made_summary,
    many,
    two_alternatives,
    with_group,
    without_anything,
)
from report_json import all_rows, facts, notices
from sonde.base.fitted_text import display_width
from sonde.evidence import Doubt, Interval
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import GroupComparison, Judgement, judge
from sonde.instruments.bench.measurements import Measurements, Metric, Provenance
from sonde.instruments.bench.report import PLOTS, judgement_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import Estimated, Quantity, Table
from sonde.stats.findings import Assumption


def printed(judgement: Judgement, *, width: int = 80, most: int = 40) -> str:
    return report_text(judgement_report(judgement, rows=most), columns=width, is_verbose=True)


def answer(judgement: Judgement) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(report_data(judgement_report(judgement)), allow_nan=False))
    return data


def tables(judgement: Judgement) -> dict[str, Table]:
    return {table.key: table for table in judgement_report(judgement).tables()}


def test_every_value_of_every_sample_is_in_it() -> None:
    old, new = made_sample([1.0, 1.1, 0.9]), made_sample([1.2, 1.3], alternative="new")
    comparison = made_comparison("unclear", 1.25, (0.9, 1.6), first=old, second=new)
    data = answer(made_judgement(summaries=[made_summary(old, (0.8, 1.2))], comparisons=[comparison]))
    assert [series["values"] for series in all_rows(data, "series")] == [[1.0, 1.1, 0.9], [1.2, 1.3]]
    [told] = all_rows(data, "unclear")
    assert (told["first_series"], told["second_series"]) == (0, 1)


@pytest.mark.parametrize(
    ("benchmark", "values", "row"),
    [("commands", [], "python f.py"), ("commands", [1.0], "python f.py"), ("sort", [1.0], "sort")],
)
def test_a_row_that_is_alone_is_called_by_its_command_where_nobody_has_named_it(
    benchmark: str, values: list[float], row: str
) -> None:
    sample = made_sample(values, benchmark=benchmark, alternative="python f.py")
    text = printed(made_judgement(summaries=[made_summary(sample, (0.8, 1.2))]))
    assert text.split("\nseries\n", 1)[1].splitlines()[1].endswith(f"  {row}")


def test_intervals_carry_level_method_and_sizes() -> None:
    data = answer(made_judgement(comparisons=[made_comparison("worse", 1.2, (1.1, 1.3))]))
    [comparison] = all_rows(data, "worse")
    assert comparison["ratio"] == {"value": 1.2, "low": 1.1, "high": 1.3, "confidence": 0.95}
    assert (comparison["ratio_method"], comparison["ratio_sizes"]) == ("by hand", [30, 30])
    told = facts(data, "verdicts")
    assert [told[verdict] for verdict in ("worse", "better", "unclear", "same")] == [1, 0, 0, 0]
    assert data["changed"] is True


def test_an_interval_that_was_withheld_is_not_there_and_says_why() -> None:
    summary = made_summary(made_sample([1.0, 1.2]), None, withheld="2 values say too little")
    judgement = made_judgement(summaries=[summary])
    [series] = all_rows(answer(judgement), "series")
    assert series["mean"] == {"value": 1.1, "unit": "s"}
    assert series["mean_withheld"] == "2 values say too little"
    text = printed(judgement)
    assert "! no interval: 2 values say too little" in text
    assert "[" not in text


def test_what_is_no_finite_number_is_null() -> None:
    comparison = made_comparison("unclear", math.nan, (-math.inf, math.inf))
    [told] = all_rows(answer(made_judgement(comparisons=[comparison])), "unclear")
    assert told["ratio"] == {"value": None, "low": None, "high": None, "confidence": 0.95}


def test_failures_and_steady_states_are_told() -> None:
    failed = made_sample([1.0], failures=["exit code 3: no data"])
    steady = made_steady_sample([[2.0, 1.0, 1.0], [2.0, 1.0, 1.0]], steady_from=1)
    data = answer(made_judgement(summaries=[made_summary(failed), made_summary(steady)]))
    assert all_rows(data, "failures") == [
        {"outcome": "failed", "detail": "exit code 3: no data", "invocation": 1, "name": "old, first", "series": 0}
    ]
    assert all_rows(data, "series")[1]["steady_from"] == [1, 1]
    assert all_rows(data, "series")[1]["steadiness"] == ["warm-up", "warm-up"]


def test_doubts_rules_and_where_it_was_measured_are_in_it() -> None:
    data = answer(made_judgement(doubts=[Doubt("busy", "others ran", hint="stop them")] * 2, unmatched=["x"]))
    [busy] = [notice for notice in notices(data) if notice["kind"] == "busy"]
    assert (busy["text"], busy["hint"], busy["weight"]) == ("others ran", "stop them", "doubt")
    assert all_rows(data, "unmatched") == [{"text": "x"}]
    assert facts(data, "policy")["level"] == 0.95
    assert {"results": 0, "name": "cpu", "value": "none"} in all_rows(data, "environment")
    [method] = [block["text"] for block in data["blocks"] if block["key"] == "method"]
    assert method == "Everything here is made up."


def test_what_was_assumed_is_told_of_each_estimate() -> None:
    unequal = Assumption("equal variances", False, "p = 0.01")
    comparison = made_comparison("worse", 1.2, (1.1, 1.3))
    assert comparison.ratio is not None
    comparison = replace(comparison, ratio=replace(comparison.ratio, assumptions=(unequal,)))
    judgement = made_judgement(comparisons=[comparison])
    assert all_rows(answer(judgement), "assumptions") == [
        {
            "table": "comparisons",
            "row": 0,
            "of": "ratio",
            "subject": "new against old",
            "name": "equal variances",
            "holds": False,
            "finding": "p = 0.01",
        }
    ]
    assert "\nequal variances does not hold: p = 0.01, which the interval allows for\n" in printed(judgement)


@pytest.mark.parametrize("width", [20, 60, 80, 132])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    for judgement in (two_alternatives(), many(30), with_group(), without_anything()):
        for line in printed(judgement, width=width).splitlines():
            assert display_width(line) <= width, line


def test_a_comparison_without_an_interval_has_none_drawn() -> None:
    comparison = made_comparison("unclear", 1.2, None, why="cannot say: too few values")
    text = printed(made_judgement(comparisons=[comparison]))
    assert "\nold and new: cannot say: too few values.\n" in text
    assert "├" not in text
    assert "[" not in text


def test_verdicts_come_before_the_figures() -> None:
    text = printed(two_alternatives())
    said = "python b.py is 2.3% [1.1%, 3.5%] slower than python a.py"
    assert text.index(said) < text.index("42.2 ms [40.9, 44.9]") < text.index("does not hold")


def test_failures_are_counted_and_told_once_each() -> None:
    sample = made_sample([1.0, 1.1], failures=["exit code 3: no data"] * 4 + ["killed by SIGSEGV"])
    text = printed(made_judgement(summaries=[made_summary(sample)]))
    assert text.count("exit code 3: no data") == 1
    assert "! 4 of 7 invocations failed: exit code 3: no data" in text
    assert "! 1 of 7 invocations failed: killed by SIGSEGV" in text


def test_a_series_of_which_nothing_ended_well_says_so() -> None:
    text = printed(made_judgement(summaries=[made_summary(made_sample([], failures=["exit code 1"]))]))
    assert "nothing can be said: not one invocation ended well" in text


def test_names_cannot_steer_the_terminal() -> None:
    sample = made_sample([1.0, 1.1], alternative="a\x1b[2Jb", failures=["\x1b]0;title\x07"])
    text = printed(made_judgement(summaries=[made_summary(sample)]))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_regressions_say_on_which_side_of_the_tolerance_they_are() -> None:
    policy = Policy(tolerance=0.05)
    beyond = made_comparison("worse", 1.2, (1.1, 1.3), is_regression=True)
    within = made_comparison("worse", 1.02, (1.01, 1.03), is_regression=False)
    assert "beyond the tolerance of 5%" in printed(made_judgement(comparisons=[beyond], policy=policy), width=132)
    assert "within the tolerance of 5%" in printed(made_judgement(comparisons=[within], policy=policy), width=132)
    both = answer(made_judgement(comparisons=[beyond, within], policy=policy))
    assert facts(both, "verdicts")["regressions"] == 1


def test_marks_go_up_where_the_value_went_up_also_where_that_is_better() -> None:
    rate = Metric("throughput", "ops/s", "higher")
    first, second = made_sample([1e5, 1.1e5], metric=rate), made_sample([2e5, 2.1e5], metric=rate, alternative="new")
    comparison = made_comparison("better", 2.0, (1.8, 2.2), first=first, second=second, why="2 times higher")
    judgement = made_judgement(summaries=[made_summary(first)], comparisons=[comparison])
    [row] = tables(judgement)["better"].rows
    assert (row.mark, row.tone) == ("▲", "good")
    text = printed(judgement)
    assert "▲ new against old" in text
    assert "higher is better" in text
    assert "k ops/s" in text


def test_means_of_a_benchmark_are_written_in_one_unit() -> None:
    [row] = tables(two_alternatives())["worse"].rows
    first, second = row.cells[1], row.cells[2]
    assert isinstance(first, Quantity) and isinstance(second, Quantity)
    assert first.least == second.least == first.amount
    assert row.cells[0] == Estimated(1.0231, Interval(1.0112, 1.0349, 0.95))


def test_comparisons_are_in_a_table_for_each_verdict_with_the_worst_first() -> None:
    found = tables(many(30))
    assert [(key, len(found[key].rows)) for key in found if key in ("worse", "better", "unclear", "same")] == [
        ("worse", 5),
        ("better", 5),
        ("unclear", 5),
        ("same", 15),
    ]
    worse = [str(row.cells[4]) for row in found["worse"].rows]
    assert (worse[0], worse[-1]) == ("suite.bench_4", "suite.bench_0")
    text = printed(many(30)).replace("\n", " ")
    assert "30 comparisons · 5 worse · 5 better · 15 the same (no difference beyond 1%)" in text
    assert "5 cannot be said" in text


def test_what_is_the_same_among_many_is_only_counted_on_paper() -> None:
    assert tables(many(30))["same"].is_secondary
    assert not tables(many(6))["same"].is_secondary
    assert "suite.same_" not in printed(many(30))


def test_rows_are_limited_but_every_verdict_gets_a_few() -> None:
    found = judgement_report(many(400), rows=10).tables()
    assert {table.key: table.most for table in found if table.key in ("worse", "better", "unclear")} == {
        "worse": 10,
        "better": 5,
        "unclear": 5,
    }
    assert printed(many(400), most=10).count("… ") == 3


def test_the_invocations_that_would_settle_it_have_a_column() -> None:
    text = printed(many(30))
    assert "needed" in text
    assert "1,234" in text


def test_reasons_for_missing_intervals_are_told_once_for_all() -> None:
    comparisons = [
        made_comparison("unclear", 1.0, None, benchmark=f"b{i}", why="cannot say: one process") for i in range(20)
    ]
    text = printed(made_judgement(comparisons=comparisons))
    assert "! 20 without an interval: cannot say: one process" in text
    assert text.count("one process") == 1


def test_many_series_are_doubted_together() -> None:
    summaries = [made_summary(made_sample([1.0, 1.1], benchmark=f"b{i}"), (0.9, 1.2)) for i in range(20)]
    failing = made_summary(made_sample([], benchmark="broken", failures=["exit code 1"]))
    text = printed(made_judgement(summaries=[*summaries, failing]))
    assert "[0.90, 1.20]" in text
    assert "! 1 of 21 series: invocations failed" in text
    assert "! broken" in text
    assert "how invocations are spread" not in text


def test_comparisons_are_named_by_what_differs() -> None:
    comparisons = [
        made_comparison("same", 1.0, (0.99, 1.01), second=made_sample([1.0], alternative=f"alt{i}")) for i in range(8)
    ]
    assert "alt3 against old" in printed(made_judgement(comparisons=comparisons))
    assert "json · alt3" in printed(
        made_judgement(comparisons=[*comparisons[:7], made_comparison("same", 1.0, (0.99, 1.01), benchmark="xml")])
    )


def test_groups_have_their_analysis_and_all_pairs() -> None:
    text = printed(with_group())
    assert "one-way analysis of variance" in text
    assert "residual" in text
    assert "c - a" in text
    assert "0.200 s" in text
    assert "\nequal variances does not hold: p = 0.01\n" in text


def test_a_group_that_cannot_be_analysed_says_why() -> None:
    group = GroupComparison("json", ("a", "b", "c"), None, None, (), "'c' has 1 of at least 2 invocations")
    assert "no analysis of variance: 'c' has 1 of at least 2 invocations" in printed(made_judgement(groups=[group]))


def test_two_files_are_first_and_second_however_long_their_paths_are() -> None:
    provenances = tuple(Provenance("made 1.0", f"/{'folder/' * 30}{name}.sonde") for name in ("old", "new"))
    comparison = made_comparison("worse", 1.2, (1.1, 1.3))
    judgement = replace(made_judgement(comparisons=[comparison]), provenances=provenances)
    text = printed(judgement)
    assert text.startswith("new.sonde against old.sonde\njson became 1.20 times [1.10, 1.30] slower.\nfirst: …")
    assert "/old.sonde" in text
    assert facts(answer(judgement), "second")["file"] == provenances[1].file


def test_doubts_have_their_hints_and_unmatched_benchmarks_are_counted() -> None:
    judgement = made_judgement(
        doubts=[Doubt("busy", "others ran", hint="stop them")] * 2, unmatched=[f"only old has 'b{i}'" for i in range(9)]
    )
    text = printed(judgement)
    assert text.count("! others ran (busy)\n  hint: stop them\n") == 1
    assert "! not compared: only old has 'b0'" in text
    assert "! 4 more were not compared" in text


def test_steady_series_say_how_their_invocations_went() -> None:
    sample = made_steady_sample([[3.0, 1.0, 1.0]] * 4, steady_from=1)
    finding = Assumption("a steady state", True, "4 warm-up of 4 invocations: consistent")
    text = printed(made_judgement(summaries=[made_summary(sample, (0.9, 1.1), assumptions=[finding])]))
    assert "4 invocations, 3 iterations each" in text
    assert "steady state: 4 warm-up of 4 invocations: consistent" in text
    failed = Assumption("a steady state", False, "4 no steady state of 4 invocations: consistent")
    text = printed(made_judgement(summaries=[made_summary(sample, (0.9, 1.1), assumptions=[failed])]))
    assert "! no steady state: 4 no steady state of 4" in text


def test_how_many_invocations_there_were_is_told_once_where_it_is_the_same_of_all() -> None:
    samples = [replace(made_sample([1.0, 1.1], alternative=name), warm_up_rounds=1) for name in ("a", "b")]
    text = printed(made_judgement(summaries=[made_summary(sample) for sample in samples]))
    assert text.count("2 invocations, 1 to warm up") == 1
    other = made_summary(replace(samples[1], warm_up_rounds=2))
    text = printed(made_judgement(summaries=[made_summary(samples[0]), other]))
    assert "\na: 2 invocations, 1 to warm up\n" in text and "\nb: 2 invocations, 2 to warm up\n" in text


def test_an_empty_judgement_has_its_method() -> None:
    text = printed(judge(Measurements((), Provenance("made"))))
    assert "0 benchmarks" in text
    assert "method:" in text


def test_the_plots_asked_for_are_in_it() -> None:
    text = report_text(judgement_report(two_alternatives(), kinds=PLOTS))
    assert "in the order of the run" in text
    assert "where each bin begins" in text
    assert "nothing to draw for sequence" in report_text(judgement_report(made_judgement(), kinds=PLOTS))


def test_the_iterations_of_a_typical_invocation_are_drawn_with_those_that_count() -> None:
    runs = [[3.0, 2.0, *[1.0 + k + i % 3 / 100 for i in range(8)]] for k in (2, 0, 1)]
    judgement = made_judgement(summaries=[made_summary(made_steady_sample(runs, steady_from=2), (0.99, 1.02))])
    report = judgement_report(judgement, kinds=("sequence",))
    [iterations] = [block for block in report.blocks if block.key == "sequence-1-iterations"]
    text = report_text(replace(report, blocks=(iterations,)))
    assert "iterations 1 to 10 of invocation 3 of 3, warm-up" in text
    assert "·" in text and "─" in text


def test_plots_beyond_the_limit_are_counted() -> None:
    summaries = [made_summary(made_sample([1.0, 2.0], benchmark=f"b{i}")) for i in range(15)]
    judgement = made_judgement(summaries=summaries)
    assert "… 3 more series" in report_text(judgement_report(judgement, kinds=("distribution",)))
    assert "… 3 more benchmarks" in report_text(judgement_report(judgement, kinds=("intervals",)))


def test_odd_samples_can_be_plotted_and_fit() -> None:
    samples = [
        made_sample([]),
        made_sample([1.0]),
        made_sample([2.0] * 9),
        made_sample([0.0, 0.0]),
        made_sample([-1.0, 1.0]),
        made_sample([1e-12, 1e12]),
        made_sample([1.0, 2.0], alternative="x" * 300, benchmark="y\x1b" * 200),
    ]
    judgement = made_judgement(summaries=[made_summary(sample) for sample in samples])
    for width in (20, 80):
        text = report_text(judgement_report(judgement, kinds=PLOTS), columns=width)
        assert "\x1b" not in text
        assert max(map(display_width, text.splitlines())) <= width
