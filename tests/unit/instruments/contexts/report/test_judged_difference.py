"""What is said of two sampled profiles: verdicts with intervals, and what one run of each does not show."""

from dataclasses import replace

import pytest

from golden_text import GoldenText
from made_approximations import looked_at
from report_json import all_rows, notices
from sonde.code import CodeSelection
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge
from sonde.instruments.contexts.profile import Approximation, ContextProfile
from sonde.instruments.contexts.profile.comparison import Normalise, diff_contexts, select_changes
from sonde.instruments.contexts.report.comparison import difference_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import Report
from tree_builder import profile_of

BEFORE = {"parse": (3000, 40), "token": (2000, 35), "write": (800, 25), "flush": (300, 15)}
AFTER = {"parse": (3600, 45), "token": (2020, 35), "write": (760, 25), "fetch": (200, 12), "flush": (280, 15)}


def compared(
    one: ContextProfile,
    two: ContextProfile,
    *,
    run_noise: float = 0.03,
    normalise: Normalise = "none",
    min_change: float = 0.005,
) -> Report:
    diff = diff_contexts(one, two, normalise=normalise, min_change=min_change)
    return difference_report(diff, names=("a.sonde", "b.sonde"), judge=ChangeJudge(diff, run_noise=run_noise))


def verdicts(report: Report) -> dict[str, str]:
    return {row["function"]["name"]: row["judged"] for row in all_rows(report_data(report), "functions")}


@pytest.mark.parametrize("width", [80, 120])
def test_what_is_slower_for_certain_comes_first(width: int, golden: GoldenText) -> None:
    report = compared(looked_at(BEFORE), looked_at(AFTER))
    golden(report_text(report, columns=width), f"contexts/views/judged-difference-{width}.txt")
    assert (report.changed, report.is_undecided) == (True, False)


def test_each_line_is_judged() -> None:
    found = verdicts(compared(looked_at(BEFORE), looked_at(AFTER)))
    assert found["parse"] == "slower by 20% [7.6, 34]"
    assert found["token"].startswith("not changed beyond ")
    assert found["write"].startswith("not changed beyond ")
    assert found["flush"].startswith("cannot say [")
    assert found["fetch"].startswith("new, at least ")
    assert verdicts(compared(looked_at(AFTER), looked_at(BEFORE)))["fetch"].startswith("gone, at least ")


def test_data_has_the_verdict_in_a_word_the_interval_and_the_p_value() -> None:
    rows = {
        row["function"]["name"]: row
        for row in all_rows(report_data(compared(looked_at(BEFORE), looked_at(AFTER))), "functions")
    }
    parse, token, flush = rows["parse"], rows["token"], rows["flush"]
    assert [each["verdict"] for each in (parse, token, flush)] == ["slower", "not changed", "cannot say"]
    assert parse["change"]["low"] > 0
    assert parse["ratio"]["value"] == pytest.approx(1.2)
    assert parse["p_value"] < 0.001
    assert "beyond" not in {*parse, *flush}
    assert 0 < token["beyond"] < 0.2
    # What is not called a change has no change in its interval.
    assert all(row["change"]["low"] <= 0 <= row["change"]["high"] for row in (token, flush))


def test_noise_of_runs_that_is_not_allowed_for_makes_changes_of_chance() -> None:
    nearly = AFTER | {"token": (2200, 35)}
    alone = verdicts(compared(looked_at(BEFORE), looked_at(nearly), run_noise=0.0))
    allowed = verdicts(compared(looked_at(BEFORE), looked_at(nearly), run_noise=0.05))
    assert alone["token"].startswith("slower by 10% [")
    assert not allowed["token"].startswith("slower")


def test_where_most_functions_differ_by_more_than_is_allowed_for_that_is_allowed_for() -> None:
    names = [f"f{number}" for number in range(8)]
    one = dict.fromkeys(names, (1000, 10))
    noisy = {name: (ms, 10) for name, ms in zip(names, (1200, 850, 1100, 900, 1000, 1150, 820, 1010), strict=True)}
    report = compared(looked_at(one), looked_at(noisy))
    assert report.changed is not True
    said = next(note["text"] for note in notices(report_data(report)) if note["kind"] == "one-run-each")
    assert "most functions differ by " in said

    alone = compared(looked_at(one), looked_at(one | {"f0": (1400, 12), "f1": (600, 9)}))
    assert {name for name, words in verdicts(alone).items() if words.startswith(("slower", "faster"))} == {"f0", "f1"}


def test_where_nothing_is_certain_the_answer_is_how_much_room_there_is() -> None:
    small = {"parse": (300, 13), "token": (200, 12), "write": (500, 14)}
    report = compared(looked_at(small), looked_at(small | {"token": (212, 12)}))
    assert (report.changed, report.is_undecided) == (None, True)
    assert report.headline[0].startswith(
        "cannot say whether anything changed: sampling and noise of runs leave room for "
    )

    enough = compared(looked_at(small), looked_at(small | {"token": (212, 12)}), min_change=0.1)
    assert (enough.changed, enough.is_undecided) == (False, False)
    assert enough.headline[0].startswith("nothing changed: no function by more than ")


def test_a_profile_does_not_differ_from_itself() -> None:
    report = compared(looked_at(BEFORE), looked_at(BEFORE), min_change=0.2)
    assert report.changed is False


def test_shares_of_runs_of_different_length_are_judged() -> None:
    twice = {name: (2 * ms, 2 * deviation) for name, (ms, deviation) in BEFORE.items()}
    report = compared(looked_at(BEFORE), looked_at(twice), normalise="total", min_change=0.1)
    assert report.changed is False
    assert compared(looked_at(BEFORE), looked_at(twice)).changed is True


def test_functions_that_all_changed_by_one_ratio_may_have_run_on_another_machine() -> None:
    slower = {name: (round(1.5 * ms), deviation) for name, (ms, deviation) in BEFORE.items()}
    kinds = [
        note["kind"] for note in notices(report_data(compared(looked_at(BEFORE), looked_at(slower), run_noise=0.01)))
    ]
    assert kinds[0] == "changed-alike"
    kinds = [note["kind"] for note in notices(report_data(compared(looked_at(BEFORE), looked_at(AFTER))))]
    assert "changed-alike" not in kinds


def test_of_an_exact_profile_and_a_sampled_one_the_exact_side_has_no_interval_and_the_clocks_are_doubted() -> None:
    exact = profile_of("main 0\n  parse @101 3000000000 x10\n  token @102 2000000000 x99")
    exact = replace(exact, run=replace(exact.run, time_kind="processor"))
    report = compared(exact, looked_at({"parse": (3600, 45), "token": (2010, 35)}), run_noise=0.0)
    assert verdicts(report)["parse"] == "slower by 20% [17, 23]"
    assert [note["kind"] for note in notices(report_data(report))][:2] == ["clocks-differ", "one-run-each"]


def test_what_bounded_memory_may_have_dropped_counts_for_no_change() -> None:
    bounds = Approximation("time", phi=0.01, epsilon=0.002, floor=10**9, counters=500)
    lossy = replace(looked_at(BEFORE), approximation=bounds, pruned_root_ns=10**9)
    assert verdicts(compared(lossy, looked_at(AFTER)))["parse"].startswith("cannot say")


def test_only_functions_that_are_looked_at_are_judged() -> None:
    diff = diff_contexts(looked_at(BEFORE), looked_at(AFTER))
    report = difference_report(select_changes(diff, CodeSelection(include=("token",))))
    assert set(verdicts(report)) == {"token"}


def test_where_only_a_context_changed_for_certain_it_is_named() -> None:
    outline = "main 0 x0\n  one @101 0 x0\n    token @201 {} x0\n  two @102 0 x0\n    token @301 {} x0"
    sides = []
    for here, there in ((1500, 500), (500, 1500)):
        profile = profile_of(outline.format(here * 10**6, there * 10**6), clock="sampled")
        deviations = [0, 0, 20 * 10**6, 0, 20 * 10**6]
        looked = looked_at({"token": (2000, 30)})
        sides.append(replace(looked, functions=profile.functions, contexts=profile.contexts))
        sides[-1] = replace(sides[-1], contexts=replace(profile.contexts, ns_deviation=deviations))
    report = compared(*sides)
    assert report.changed is True
    assert report.headline == (
        "calling contexts changed (one, −1.00 s), but no function for certain; total as before.",
    )


def test_of_what_is_hardly_there_the_farther_end_is_told() -> None:
    small = {"parse": (3000, 40), "rare": (20, 9)}
    found = verdicts(compared(looked_at(small), looked_at(small | {"rare": (30, 10)})))
    assert found["rare"].startswith("cannot say, up to +")


def test_contexts_are_told_where_they_changed_for_certain() -> None:
    rows = {
        row["context"]["name"]: row["status"]
        for row in all_rows(report_data(compared(looked_at(BEFORE), looked_at(AFTER))), "contexts")
    }
    assert rows["parse"] == "hotter"
    assert rows["fetch"] == "appeared"
    assert "token" not in rows
    assert "flush" not in rows
