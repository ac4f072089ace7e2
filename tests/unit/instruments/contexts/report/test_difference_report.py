"""The report of a comparison, as text and as data."""

import re
from dataclasses import replace

import pytest

from golden_text import GoldenText
from report_json import all_rows, facts, units
from sonde.base.fitted_text import display_width
from sonde.code import CodeSelection
from sonde.instruments.contexts.profile import ContextProfile, Function, Metric
from sonde.instruments.contexts.profile.comparison import select_changes
from sonde.instruments.contexts.profile.comparison.context_diff import diff_contexts
from sonde.instruments.contexts.profile.comparison.yardstick import Normalise
from sonde.instruments.contexts.report.comparison import DiffLimits, difference_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import FlameGraph
from tree_builder import chain_of, profile_of

BASE = "main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3"
HOTTER = BASE.replace("500 x1000", "900 x2000")


def shown(
    one: ContextProfile,
    two: ContextProfile,
    *,
    normalise: Normalise = "none",
    width: int = 100,
    most: int = 40,
    names: tuple[str, str] = ("a.sonde", "b.sonde"),
) -> str:
    diff = diff_contexts(one, two, normalise=normalise)
    return report_text(difference_report(diff, DiffLimits(rows=most), names=names), columns=width)


@pytest.mark.parametrize("width", [80, 120])
def test_a_difference_looks_as_it_did(width: int, golden: GoldenText) -> None:
    golden(shown(profile_of(BASE), profile_of(HOTTER), width=width), f"contexts/views/difference-{width}.txt")


def test_a_change_is_shown_with_its_sign_both_values_and_both_call_counts() -> None:
    text = shown(profile_of(BASE), profile_of(HOTTER))
    assert re.search(r"\+400 ns +\+28\.6% +500 ns +900 ns +1,000→2,000 +▲ token", text)
    assert "write" not in text


def test_a_choice_of_functions_is_told_and_what_it_does_not_choose() -> None:
    diff = select_changes(diff_contexts(profile_of(BASE), profile_of(HOTTER)), CodeSelection(exclude=("token",)))
    text = report_text(difference_report(diff, of_what="all but 'token'"), columns=80)

    assert text.splitlines()[1:3] == [
        "calling contexts changed, but no function (all but 'token') by 0.5% of the",
        "  heavier run or more; total +40%.",
    ]
    assert "changes of all but 'token'; totals are of all code" in text
    tree = text.split("calling contexts that changed")[1].split("\n\n")[0]
    assert "parse" in tree
    assert "token" not in tree


def test_shares_are_compared_in_percentage_points() -> None:
    text = shown(profile_of(BASE), profile_of(HOTTER), normalise="total")
    assert re.search(r"−13\.4 pp +−28\.6% +47\.0% +33\.6% +3 +.*▼ write", text)


def test_values_per_call_are_compared_per_call() -> None:
    text = shown(profile_of(BASE), profile_of(BASE.replace("470 x3", "940 x4")), normalise="calls")
    assert re.search(r"157 ns +235 ns +3→4 +▲ write", text)


def test_appeared_and_vanished_contexts_are_marked_and_not_unfolded() -> None:
    new = {"fetch": Function("fetch", "net", "net.py", 1), "read": Function("read", "net", "net.py", 50)}
    text = shown(profile_of(BASE), profile_of(BASE + "\n  fetch @103 0\n    read @2 300", functions=new))
    assert "+ fetch … 1 below" in text
    assert "+ read" in text.split("functions that changed")[1]
    assert "functions only in the second profile (functions-only-after: 2)" in text


def headline(one: ContextProfile, two: ContextProfile, *, metric: Metric | None = None) -> str:
    return " ".join(difference_report(diff_contexts(one, two, metric=metric)).headline)


def test_no_change_is_said_in_words() -> None:
    same = headline(profile_of(BASE), profile_of(BASE))
    assert same == "nothing changed by 0.5% of the heavier run or more; total as before."


def test_the_headline_tells_what_changed_most_and_the_total() -> None:
    assert headline(profile_of(BASE), profile_of(HOTTER)).startswith(
        "token got slower: +400 ns (1.8 times); total +40%."
    )
    assert headline(profile_of(HOTTER), profile_of(BASE), metric="calls") == (
        "token is called less often: −1,000 (2 times); total −50%."
    )
    assert headline(profile_of(BASE), profile_of(BASE + "\n  fetch @103 300")).startswith("fetch is new: +300 ns")


def test_times_come_with_a_word_on_noise_and_calls_without() -> None:
    assert "Noise of single runs could explain it" in headline(profile_of(BASE), profile_of(HOTTER))
    assert "Noise" not in headline(profile_of(BASE), profile_of(HOTTER), metric="calls")


def test_times_of_two_single_runs_establish_nothing_and_counts_do() -> None:
    one, two = profile_of(BASE), profile_of(HOTTER)
    times, counts, same = (
        difference_report(diff)
        for diff in (diff_contexts(one, two), diff_contexts(one, two, metric="calls"), diff_contexts(one, one))
    )
    assert [(each.changed, each.is_undecided) for each in (times, counts, same)] == [
        (None, True),
        (True, False),
        (False, False),
    ]


def test_what_there_is_no_room_for_is_counted() -> None:
    outline = "main 0\n" + "\n".join(f"  f{i} @{i + 1} 100" for i in range(30))
    text = shown(profile_of(outline), profile_of(outline.replace(" 100", " 200")), most=5)
    assert re.search(r"… 26 more changed contexts", text)


def test_deep_recursion_and_deep_chains_fit_the_page() -> None:
    text = shown(chain_of(20_000), chain_of(20_000, self_ns=2))
    assert "▲ down ×20,000 levels" in text
    outline = "\n".join(f"{'  ' * depth}f{depth} @1 0" for depth in range(300)) + f"\n{'  ' * 300}leaf @1 "
    text = shown(profile_of(f"{outline}100"), profile_of(f"{outline}200"), most=3)
    assert "⋮ 299 frames" in text
    assert "▲ leaf" in text


@pytest.mark.parametrize("width", [20, 60, 80, 200])
def test_every_line_stays_within_the_page(width: int) -> None:
    long = {"token": Function("Outer.<locals>." * 20 + "token", "app", "/very/long" * 30 + "/app.py", 200)}
    profiles = [
        replace(one, run=replace(one.run, command=("python3", "/very/long" * 8 + "/app.py")))
        for one in (profile_of(BASE, functions=long), profile_of(HOTTER, functions=long))
    ]
    for names in (("a.sonde", "b.sonde"), ("/home/somebody" * 9 + "/a.sonde", "b.sonde")):
        text = shown(*profiles, width=width, names=names)
        assert [line for line in text.splitlines() if display_width(line) > width] == []
        assert width == 20 or "a.so" in text


def test_the_data_holds_changed_contexts_below_their_callers() -> None:
    data = report_data(difference_report(diff_contexts(profile_of(BASE), profile_of(HOTTER))))
    listed = all_rows(data, "changed_contexts")
    assert [(each["function"]["label"], each["status"]) for each in listed] == [
        ("main", "hotter"),
        ("parse", "hotter"),
        ("token", "hotter"),
    ]
    assert listed[2]["self"] == {"before": 500, "after": 900}
    assert listed[2]["change"] == 400
    assert (units(data, "changed_contexts")["change"], facts(data, "measure")["metric"]) == ("duration", "time")


def test_the_data_tells_what_is_on_one_side_alone_and_which_call_sites_were_guessed() -> None:
    one = profile_of("main 0\n  work @101 10\n  work @103 20\n  gone @104 90")
    two = profile_of("main 0\n  work @102 30\n  work @105 40\n  work @106 50")
    data = report_data(difference_report(diff_contexts(one, two)))
    assert [(each["function"]["label"], each["how"]) for each in all_rows(data, "unaligned_functions")] == [
        ("gone", "only before")
    ]
    vanished = [each for each in all_rows(data, "changed_contexts") if each["status"] == "vanished"]
    assert [each["calls"] for each in vanished] == [{"before": 1, "after": None}]
    lines = [each["line"] for each in all_rows(data, "guessed_call_sites")]
    assert lines == [{"before": 101, "after": 102}, {"before": 103, "after": 105}, {"before": None, "after": 106}]


def test_a_report_for_people_does_without_the_tables_for_programs() -> None:
    report = difference_report(diff_contexts(profile_of(BASE), profile_of(HOTTER)), with_data=False)
    assert [each.key for each in report.tables()] == ["contexts", "functions", "profiles"]


def test_the_data_tells_both_runs() -> None:
    data = report_data(difference_report(diff_contexts(profile_of(BASE), profile_of(HOTTER))))
    assert [facts(data, f"{side}_run")["in_threads"] for side in ("before", "after")] == [1000, 1400]
    assert facts(data, "after_details")["complete"] is True


def test_the_page_has_both_trees_as_one_graph_coloured_by_changes() -> None:
    diff = diff_contexts(profile_of(BASE), profile_of(HOTTER.replace("write @102 470 x3", "send @103 90")))
    report = difference_report(diff)
    graph = next(block for block in report.blocks if isinstance(block, FlameGraph))
    names = [graph.functions[number].label for number in graph.function]
    after, before = graph.weights
    assert dict(zip(names, zip(before.own, after.own, graph.change, strict=True), strict=True)) == {
        "main": (10, 10, 20),
        "parse": (20, 20, 400),
        "token": (500, 900, 400),
        "write": (470, 0, -470),
        "send": (0, 90, 90),
    }
    assert (before.whole, after.whole, graph.change_unit) == (1000, 1020, "duration")
    same = diff_contexts(profile_of(BASE), profile_of(BASE))
    assert not any(isinstance(block, FlameGraph) for block in difference_report(same).blocks)
    assert not any(isinstance(block, FlameGraph) for block in difference_report(diff, with_data=False).blocks)
