"""What reports say about profiles in bounded memory and about samples."""

import re
from array import array
from dataclasses import replace
from typing import Any

import pytest

from made_approximations import BUSY, MAIN, PAIR_OF_BURSTS, PARSE, TOKEN, WRITE, bounded, sampled
from report_json import all_rows, facts, units
from sonde.instruments.contexts.analysis.uncertainty import Uncertainties
from sonde.instruments.contexts.profile import ContextProfile, Loss, Sampling, focus_on
from sonde.instruments.contexts.profile.comparison import diff_contexts
from sonde.instruments.contexts.report import ContextLimits, contexts_report
from sonde.instruments.contexts.report.comparison import difference_report
from sonde.instruments.contexts.report.exactness import doubt_text, exactness, small_share
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from tree_builder import profile_of


def shown(profile: ContextProfile, *, width: int = 80, **limits: Any) -> str:
    return report_text(contexts_report(profile, ContextLimits(**limits)), columns=width, is_verbose=True)


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if re.search(rf"[ ─]{re.escape(name)}", line))


def test_an_exact_profile_says_so() -> None:
    assert "exact: every call in its context\n" in shown(profile_of(BUSY))
    lossy = profile_of(BUSY, losses=(Loss("contexts-not-stored", 7, "the limit was reached"),))
    assert "exact: every call in its context, but for the warnings below\n" in shown(lossy)


def test_bounds_that_nothing_was_left_out_for_say_that_values_are_exact() -> None:
    profile = bounded(phi=1e-4)
    assert not profile.left_something_out
    text = shown(profile)
    assert "hot contexts: from 0.01% of the time on · nothing was left out: values are exact\n" in text
    assert "lower bound" not in text
    assert "not kept" not in text


def test_bounds_are_said_with_their_unit_and_share() -> None:
    assert exactness(bounded(errors={TOKEN: 7}, not_kept_at_top=300)) == [
        "hot contexts: from 10% of the time on",
        "self times at most 7 ns (0.7%) too low",
        "call counts are lower bounds",
        "contexts not kept: at most 7 ns",
    ]
    assert exactness(bounded(errors={TOKEN: 1}, metric="calls", clock="none")) == [
        "hot contexts: from 10% of the calls on",
        "call counts at most 1 (0.1%) too low",
        "contexts not kept: at most 1 call",
    ]


def test_calls_of_contexts_that_were_not_kept_are_told_in_the_short_line() -> None:
    kept = bounded(errors={TOKEN: 7}, not_kept_at_top=300)
    calls = sum(kept.contexts.calls)
    lost = replace(kept, pruned_root_calls=3 * calls)
    assert doubt_text(kept, kept) == "self times up to 7 ns too low; 30.0% of the time was not kept"
    assert doubt_text(lost, lost) == "self times up to 7 ns too low; not kept: 30.0% of the time, 75.0% of calls"
    looked = replace(lost, sampling=Sampling(1_000_000, 0, 1234, 1.0))
    assert (
        doubt_text(looked, looked) == "times from 1,234 samples (±: 95%); not kept: 30.0% of the time, 75.0% of calls"
    )


def test_of_contexts_that_were_not_read_only_the_floor_is_known() -> None:
    profile = bounded(errors={TOKEN: 7})
    assert profile.approximation is not None
    floor_alone = replace(profile, approximation=replace(profile.approximation, floor=9), pruned_contexts=3)
    assert "self times at most 9 ns (1.3%) too low" in exactness(floor_alone)


def test_a_sample_says_how_much_of_the_run_was_looked_at() -> None:
    text = shown(sampled())
    assert "watched 10.1% of the run in 37 bursts of 2 ms · values scaled up\n" in text
    assert "± is a 95% interval" in text
    adaptive = replace(PAIR_OF_BURSTS, bursts=1, burst_ns=1_500, adaptive=0.05)
    said = exactness(replace(sampled(), sampling=adaptive))
    assert said[0] == "watched 10.1% of the run in 1 burst of 1.5 us"
    assert said[1] == "where much was seen before, 1 burst in 20"


def test_what_was_not_kept_has_lines_of_its_own_so_that_children_add_up() -> None:
    text = shown(bounded(not_kept={PARSE: 100, MAIN: 50}, not_kept_at_top=150, errors={TOKEN: 3}))
    assert re.search(r"850 ns +85\.0% +10 ns +1 +├ main", text)
    assert re.search(r"620 ns +62\.0% +20 ns +1 +│ ├ parse", text)
    assert re.search(r"500 ns +50\.0% +500 ns +1,000 +│ │ ├ token", text)
    assert re.search(r"100 ns +10\.0% +│ │ └ \(contexts not kept\)", text)
    assert re.search(r" 50 ns +5\.0% +│ └ \(contexts not kept\)", text)
    assert re.search(r"150 ns +15\.0% +└ \(contexts not kept\)", text)
    assert "contexts not kept: at most 3 ns, together 30.0% of the time" in text


def test_what_was_not_kept_is_shown_below_a_leaf_of_the_picture_too() -> None:
    text = shown(bounded(not_kept={WRITE: 130}, errors={TOKEN: 3}))
    assert re.search(r"130 ns +15\.7% +│? *\(contexts not kept\)", text)


def test_small_remainders_of_both_kinds_are_one_line() -> None:
    outline = "main 0\n  big @1 900\n" + "\n".join(f"  small{i} @{i + 2} 2" for i in range(4))
    text = shown(bounded(outline, not_kept={MAIN: 6}, errors={1: 1}))
    assert re.search(r" 14 ns +1\.5% +└ … 4 more contexts, others not kept", text)
    assert "not listed: 4 contexts, which hold 0.9% of the time" in text


def test_when_not_all_was_read_both_kinds_are_counted_together() -> None:
    profile = bounded(not_kept={MAIN: 300}, errors={TOKEN: 3})
    text = shown(replace(profile, pruned_contexts=12))
    assert "(contexts not kept or not read)" in text
    assert "not listed: 12 contexts, and those not kept, which hold 30.0% of the time" in text


def test_errors_are_marked_where_they_matter() -> None:
    text = shown(bounded(errors={MAIN: 40, PARSE: 70, TOKEN: 4, WRITE: 14}))
    assert re.search(r"170 ns +\+9% +3 +└ write", text)
    assert re.search(r"20 ns +\+350%\? +1 +├ parse", text)  # may reach 70 ns, a tenth of the whole
    assert re.search(r"500 ns +1,000 +│ token", text)  # hot, and off by less than a hundredth
    assert re.search(r"10 ns +1 +main", text)  # cold, whatever is missing
    assert "up to: an own value may be so much larger · ? possibly hot: hot if it is\n" in text


def test_errors_of_calls_stand_beside_the_calls() -> None:
    text = shown(bounded(errors={WRITE: 200}, metric="calls", clock="tsc"))
    assert re.search(r"self +calls +up to +context", text)
    assert re.search(r"170 ns +3 +\+>999%\? +└ write", text)
    untimed = shown(bounded(errors={TOKEN: 80}, metric="calls", clock="none"))
    assert re.search(r"1,000 +99\.5% +1,000 +\+8% .*token", untimed)


def test_recursion_is_as_hot_as_its_hottest_level_and_its_errors_add_up() -> None:
    uncertainties = Uncertainties(bounded("f 10\n  f @1 60\n    f @1 30", errors={0: 1, 1: 2, 2: 3}, phi=0.5))
    assert uncertainties.of([0, 1, 2]).heat == "hot"
    assert uncertainties.of([0, 2]).heat == "cold"
    assert uncertainties.of([0, 1, 2]).error == 6


def test_a_line_says_how_far_values_may_be_wrong_and_what_was_not_kept() -> None:
    report = contexts_report(bounded(not_kept={MAIN: 300}, errors={TOKEN: 3}))
    lines = report_text(report, columns=80).splitlines()
    assert lines[-1] == "self times up to 3 ns too low; 30.0% of the time was not kept"


def test_a_sample_has_intervals_beside_its_values() -> None:
    text = shown(sampled(token=25, write=170))
    assert re.search(r"500 ns +±10% +1,000 +±5% +│ token", text)
    assert re.search(r"170 ns +±200% +3 +±[^ ]+ +└ write", text)
    table = text.split("hottest functions")[1]
    assert re.search(r"500 ns +71\.4% +±10%", table)
    wide = shown(sampled(token=25), width=120)
    assert re.search(r"500 ns +±10% +1,000 +±5%", wide)


@pytest.mark.parametrize("width", [80, 100])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    profile = bounded(not_kept={PARSE: 100}, not_kept_at_top=150, errors={TOKEN: 70, WRITE: 5})
    both = replace(profile, contexts=replace(profile.contexts, ns_deviation=array("q", [9] * 4)))
    text = shown(replace(both, sampling=PAIR_OF_BURSTS), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "±" in text
    assert "(contexts not kept)" in text


def test_the_data_tell_bounds_classes_and_what_was_not_kept() -> None:
    profile = bounded(errors={PARSE: 60, TOKEN: 4}, not_kept={PARSE: 30}, not_kept_at_top=20)
    data = report_data(contexts_report(profile))
    assert facts(data, "approximation") == {
        "metric": "time",
        "phi": 0.1,
        "epsilon": 0.02,
        "floor": 60,
        "counters": 50,
        "whole": None,
        "hot_threshold": 75,
        "largest_error": 60,
        "not_kept_calls": 0,
        "not_kept_time": 50,
    }
    listed = all_rows(data, "unfolded_contexts")
    assert [each["class"] for each in listed] == ["cold", "possibly hot", "hot", "hot"]
    assert [each["error"] for each in listed] == [0, 60, 4, 0]
    assert [each["not_kept_time"] for each in listed] == [0, 30, 0, 0]
    assert not facts(data, "sampling")


def test_the_data_tell_deviations() -> None:
    data = report_data(contexts_report(sampled(token=25)))
    assert facts(data, "sampling")["fraction"] == 0.101
    assert [each["self_deviation"] for each in all_rows(data, "unfolded_contexts")] == [0, 0, 25, 0]
    assert not facts(data, "approximation")


def test_the_data_of_an_exact_profile_have_no_doubts() -> None:
    data = report_data(contexts_report(profile_of(BUSY)))
    assert not facts(data, "approximation") | facts(data, "sampling")
    assert units(data, "unfolded_contexts").keys() == {"function", "call_line", "calls", "total_calls", "self", "total"}


def test_differences_say_which_side_is_not_exact() -> None:
    diff = diff_contexts(profile_of(BUSY), bounded(errors={TOKEN: 7}))
    text = " ".join(report_text(difference_report(diff), is_verbose=True).split())
    assert "! second profile: hot contexts: from 10% of the time on, self times at most 7 ns" in text
    assert "first profile" not in text
    assert "call counts are exact" not in text


def test_the_bounds_of_a_part_are_shares_of_the_run() -> None:
    part = focus_on(bounded(errors={TOKEN: 14, WRITE: 14}, phi=0.3), "write")

    said = exactness(part)

    assert (part.total_ns, part.hot_threshold) == (170, 210)
    assert said[:2] == [
        "hot contexts: from 30% of the run's time on",
        "self times at most 14 ns (2% of the run) too low",
    ]


@pytest.mark.parametrize(("share", "text"), [(1.0, "100%"), (0.996, "100%"), (0.12, "12%"), (0.0001, "0.01%")])
def test_shares_have_no_exponents_but_where_they_are_tiny(share: float, text: str) -> None:
    assert small_share(share) == text
