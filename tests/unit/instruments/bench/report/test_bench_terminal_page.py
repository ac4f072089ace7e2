"""A judgement on a terminal: what is said, what is withheld, and that it fits."""

import io
from dataclasses import replace

import pytest

from golden_text import GoldenText
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
from sonde.base.fitted_text import display_width
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import GroupComparison, Judgement, judge
from sonde.instruments.bench.measurements import Doubt, Measurements, Metric, Provenance
from sonde.instruments.bench.report.terminal import PLOTS, print_judgement
from sonde.stats.findings import Assumption


def printed(
    judgement: Judgement,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    rows: int = 40,
    show_same: bool = False,
    colour: bool | None = None,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_judgement(judgement, stream, width=width, rows=rows, show_same=show_same, colour=colour)
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_two_alternatives_look_as_they_did(golden: GoldenText) -> None:
    golden(printed(two_alternatives()), "bench/two-alternatives.txt")


@pytest.mark.parametrize("width", [60, 80, 132])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_line_is_wider_than_the_page(width: int, encoding: str) -> None:
    for judgement in (two_alternatives(), many(30), with_group(), without_anything()):
        for line in printed(judgement, width=width, encoding=encoding).splitlines():
            assert display_width(line) <= width, line


def test_plain_encodings_get_stand_ins_instead_of_question_marks() -> None:
    assert "?" not in printed(two_alternatives(), encoding="ascii")


def test_nothing_is_coloured_when_nobody_wants_colours() -> None:
    assert "\x1b" not in printed(two_alternatives())
    assert "\x1b[31m" in printed(two_alternatives(), colour=True)


def test_an_interval_that_was_withheld_is_not_printed_and_the_reason_is() -> None:
    summary = made_summary(made_sample([1.0, 1.2]), None, withheld="2 values say too little")
    text = printed(made_judgement(summaries=[summary]))
    assert "no interval: 2 values say too little" in text
    assert "[" not in text


def test_a_comparison_without_an_interval_has_none_drawn() -> None:
    comparison = made_comparison("unclear", 1.2, None, why="cannot say: too few values")
    text = printed(made_judgement(comparisons=[comparison]))
    assert "? cannot say: too few values" in text
    assert "├" not in text
    assert "[" not in text


def test_failures_are_counted_and_told_once_each() -> None:
    sample = made_sample([1.0, 1.1], failures=["exit code 3: no data"] * 4 + ["killed by SIGSEGV"])
    text = printed(made_judgement(summaries=[made_summary(sample)]))
    assert "2 invocations, 5 failed" in text
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
    assert "beyond the tolerance of 5%" in printed(made_judgement(comparisons=[beyond], policy=policy))
    assert "within the tolerance of 5%" in printed(made_judgement(comparisons=[within], policy=policy))


def test_marks_go_up_where_the_value_went_up_also_where_that_is_better() -> None:
    rate = Metric("throughput", "ops/s", "higher")
    first, second = made_sample([1e5, 1.1e5], metric=rate), made_sample([2e5, 2.1e5], metric=rate, alternative="new")
    comparison = made_comparison("better", 2.0, (1.8, 2.2), first=first, second=second, why="2 times higher")
    text = printed(made_judgement(summaries=[made_summary(first)], comparisons=[comparison]))
    assert "▲ 2 times higher" in text
    assert "higher is better" in text
    assert "k ops/s" in text


def test_many_comparisons_become_a_table_with_the_worst_first() -> None:
    text = printed(many(30))
    worse = [line for line in text.splitlines() if line.startswith("▲")]
    assert len(worse) == 5
    assert "bench_4" in worse[0]
    assert "bench_0" in worse[-1]
    assert text.index("worse: 5") < text.index("better: 5") < text.index("cannot say: 5") < text.index("same: 15")
    assert "no difference beyond 1%" in text
    assert "30 comparisons: 5 worse, 5 better, 15 the same, 5 cannot be said" in text


def test_what_is_the_same_is_counted_unless_asked_for() -> None:
    assert "= " not in printed(many(30))
    assert len([line for line in printed(many(30), show_same=True).splitlines() if line.startswith("=")]) == 15


def test_rows_are_limited_but_every_verdict_gets_a_few() -> None:
    text = printed(many(400), rows=10)
    rows = [line for line in text.splitlines() if line.startswith(("▲", "▼", "?"))]
    assert len(rows) == 20
    assert text.count("… ") == 3


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


def test_many_series_without_comparisons_become_a_table() -> None:
    summaries = [made_summary(made_sample([1.0, 1.1], benchmark=f"b{i}"), (0.9, 1.2)) for i in range(20)]
    failing = made_summary(made_sample([], benchmark="broken", failures=["exit code 1"]))
    text = printed(made_judgement(summaries=[*summaries, failing]))
    assert "[0.90, 1.20]" in text
    assert "! 1 of 21 series: invocations failed" in text
    assert "broken" in text


def test_benchmarks_with_many_comparisons_are_named_with_the_alternative() -> None:
    comparisons = [
        made_comparison("same", 1.0, (0.99, 1.01), second=made_sample([1.0], alternative=f"alt{i}")) for i in range(10)
    ]
    text = printed(made_judgement(comparisons=comparisons), show_same=True)
    assert "json · alt3" in text


def test_groups_print_their_analysis_and_all_pairs() -> None:
    text = printed(with_group())
    assert "one-way analysis of variance" in text
    assert "residual" in text
    assert "c - a" in text
    assert "0.200 s" in text
    assert "! equal variances does not hold: p = 0.01" in text


def test_a_group_that_cannot_be_analysed_says_why() -> None:
    group = GroupComparison("json", ("a", "b", "c"), None, None, (), "'c' has 1 of at least 2 invocations")
    assert "no analysis of variance: 'c' has 1 of at least 2 invocations" in printed(made_judgement(groups=[group]))


def test_two_files_are_first_and_second_however_long_their_paths_are() -> None:
    provenances = tuple(Provenance("made 1.0", f"/{'folder/' * 30}{name}.sonde") for name in ("old", "new"))
    comparison = made_comparison("worse", 1.2, (1.1, 1.3))
    text = printed(replace(made_judgement(comparisons=[comparison]), provenances=provenances))
    assert "json: second against first" in text
    assert "/old.sonde" in text
    assert max(map(display_width, text.splitlines())) <= 80


def test_doubts_have_their_hints_and_unmatched_benchmarks_are_counted() -> None:
    judgement = made_judgement(
        doubts=[Doubt("busy", "others ran", "stop them")] * 2, unmatched=[f"only old has 'b{i}'" for i in range(9)]
    )
    text = printed(judgement)
    assert text.count("! busy: others ran\n  hint: stop them\n") == 1
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


def test_an_empty_judgement_prints_its_method() -> None:
    text = printed(judge(Measurements((), Provenance("made"))))
    assert "0 benchmarks" in text
    assert "method:" in text


def test_the_plots_asked_for_are_printed_with_it() -> None:
    stream = io.StringIO()
    print_judgement(two_alternatives(), stream, plots=PLOTS, width=80)
    text = stream.getvalue()
    assert "in the order of the run" in text
    assert "where each bin begins" in text
