"""The run: rounds, order, stopping, failures, resuming."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bench_runs import FakeInvoker, Notebook, benchmark, carry_out, good, never_precise, precise_from
from sonde.instruments.bench.measurements import Invocation, Measurements
from sonde.instruments.bench.results_file import read_events, read_results
from sonde.instruments.bench.runs.order import blocks
from sonde.instruments.bench.runs.plan import Conditions, Extent, Plan
from sonde.stats.stopping import StoppingPlan

AB = benchmark("sort", "a", "b")
FAILED = Invocation(np.empty(0), "failed", "exit code 1")


def counts(path: Path) -> dict[tuple[str, str], int]:
    return {(s.benchmark, s.alternative): len(s.invocations) for s in read_results(path).series}


def test_every_round_has_each_alternative_once_in_the_order_of_the_seed(tmp_path: Path) -> None:
    plan = Plan((AB, benchmark("search", "c", "d", "e")), seed=5)
    _, invoker, _ = carry_out(plan, tmp_path / "run.sonde")
    expected = [
        (one.name, alternative.name)
        for round_ in range(3)
        for one, alternatives in blocks(plan, round_)
        for alternative in alternatives
    ]
    assert invoker.ran == expected
    assert all(count == 3 for count in counts(tmp_path / "run.sonde").values())


def test_positions_rounds_and_times_are_stored(tmp_path: Path) -> None:
    carry_out(Plan((AB,), seed=1), tmp_path / "run.sonde")
    found = [one for series in read_results(tmp_path / "run.sonde").series for one in series.invocations]
    assert sorted(one.position or 0 for one in found) == list(range(6))
    assert Counter(one.round for one in found) == {0: 2, 1: 2, 2: 2}
    assert all(one.started is not None and one.started > 1e9 for one in found)


def test_warm_up_rounds_are_stored_and_do_not_count(tmp_path: Path) -> None:
    warmed = benchmark("sort", "a", "b", conditions=Conditions(warm_up_rounds=2))
    _, _, notebook = carry_out(Plan((warmed,), seed=1), tmp_path / "run.sonde")
    for series in read_results(tmp_path / "run.sonde").series:
        assert [one.round for one in series.invocations] == [-1, -2, 0, 1, 2]
        assert [one.warmups for one in series.invocations] == [1, 1, None, None, None]
    assert [one.round for one in notebook.standings] == [0, 0, -1, -1, 1, 1, 2, 2, 3, 3]


def test_a_benchmark_is_done_at_the_first_look_at_which_it_is_precise(tmp_path: Path) -> None:
    adaptive = benchmark("sort", "a", "b", extent=Extent(minimum=10, maximum=100))
    slow = benchmark("search", "c", "d", extent=Extent(rounds=40))
    looks = StoppingPlan(10, 100).looks
    _, _, notebook = carry_out(Plan((adaptive, slow), seed=1), tmp_path / "run.sonde", half_widths=precise_from(12))
    assert looks[:2] == (10, 13)
    assert notebook.done == [("sort", "precise enough", 13), ("search", "all rounds", 40)]
    assert counts(tmp_path / "run.sonde") == {
        ("sort", "a"): 13,
        ("sort", "b"): 13,
        ("search", "c"): 40,
        ("search", "d"): 40,
    }


def test_intervals_are_asked_for_at_the_looks_only_and_at_their_level(tmp_path: Path) -> None:
    asked: list[tuple[int, float]] = []

    def half_widths(measurements: Measurements, level: float) -> dict[tuple[str, str], float | None]:
        asked.append((min(len(good(one)) for one in measurements.series), level))
        return {("sort", "b"): 0.5}

    extent = Extent(minimum=4, maximum=12)
    carry_out(
        Plan((benchmark("sort", "a", "b", extent=extent),), seed=1), tmp_path / "run.sonde", half_widths=half_widths
    )
    stopping = StoppingPlan(4, 12)
    assert asked == [(look, stopping.fixed_level) for look in stopping.looks]


def test_what_never_becomes_precise_ends_after_the_most_rounds_and_is_named(tmp_path: Path) -> None:
    noisy = benchmark("sort", "a", "b", extent=Extent(minimum=2, maximum=5))
    ending, invoker, _ = carry_out(Plan((noisy,), seed=1), tmp_path / "run.sonde")
    assert len(invoker.ran) == 10
    assert ending.not_precise == ("sort",)


def test_no_round_is_begun_that_would_end_after_the_budget(tmp_path: Path) -> None:
    endless = benchmark("sort", "a", "b", extent=Extent(minimum=2, maximum=1000))
    ending, invoker, _ = carry_out(Plan((endless,), seed=1, budget_s=9.0), tmp_path / "run.sonde")
    assert (len(invoker.ran), invoker.now_s) == (8, 8.0)
    assert ending.out_of_time == ("sort",)
    assert not ending.interrupted


def test_a_budget_that_cuts_a_benchmark_short_is_doubted_until_it_has_its_rounds(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"

    def doubts(budget_s: float) -> list[str]:
        carry_out(Plan((AB,), seed=1, budget_s=budget_s), path)
        return [doubt.detail for doubt in read_results(path).doubts if doubt.kind == "cut-short"]

    assert doubts(2.0) == [f"the budget of 2 s ended '{AB.name}' after 1 of 3 rounds"]
    assert doubts(100.0) == []


def test_a_budget_that_is_not_firm_lets_the_least_number_of_rounds_pass(tmp_path: Path) -> None:
    endless = benchmark("sort", "a", "b", extent=Extent(minimum=10, maximum=1000))
    plan = Plan((endless,), seed=1, budget_s=3.0, budget_is_firm=False)
    _, invoker, _ = carry_out(plan, tmp_path / "run.sonde")
    assert len(invoker.ran) == 20


def test_one_round_is_measured_however_small_the_budget(tmp_path: Path) -> None:
    _, invoker, _ = carry_out(Plan((AB,), seed=1, budget_s=0.001), tmp_path / "run.sonde")
    assert len(invoker.ran) == 2


def test_failures_are_recorded_counted_and_told(tmp_path: Path) -> None:
    now_and_then = FakeInvoker(lambda name, count: FAILED if (name, count) == ("a", 1) else 1.0)
    ending, _, notebook = carry_out(Plan((AB,), seed=1), tmp_path / "run.sonde", now_and_then)
    first = read_results(tmp_path / "run.sonde").series[0]
    assert [one.outcome for one in first.invocations] == ["ok", "failed", "ok"]
    assert (ending.failures, ending.given_up) == (1, ())
    assert notebook.failures == ["sort a: exit code 1"]


def test_an_alternative_that_fails_three_times_in_a_row_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    broken = FakeInvoker(lambda name, count: FAILED if name == "b" and count >= 2 else 1.0)
    three = benchmark("sort", "a", "b", "c", extent=Extent(rounds=9))
    ending, _, notebook = carry_out(Plan((three,), seed=1), tmp_path / "run.sonde", broken)
    assert counts(tmp_path / "run.sonde") == {("sort", "a"): 9, ("sort", "b"): 5, ("sort", "c"): 9}
    assert ending.given_up == (("sort", "b"),)
    assert "'b' of 'sort' was given up: it failed 3 times in a row, lastly with exit code 1" in notebook.notes
    (doubt,) = read_results(tmp_path / "run.sonde").doubts
    assert doubt.kind == "given-up"


def test_a_benchmark_of_which_nothing_works_ends(tmp_path: Path) -> None:
    broken = FakeInvoker(lambda name, count: FAILED)
    ending, invoker, _ = carry_out(Plan((AB,), seed=1), tmp_path / "run.sonde", broken)
    assert (len(invoker.ran), ending.failures) == (6, 6)


def test_an_alternative_without_a_chance_does_not_keep_the_others_from_becoming_precise(tmp_path: Path) -> None:
    broken = FakeInvoker(lambda name, count: FAILED if name == "b" else 1.0)
    adaptive = benchmark("sort", "a", "b", "c", extent=Extent(minimum=10, maximum=100))
    _, _, notebook = carry_out(Plan((adaptive,), seed=1), tmp_path / "run.sonde", broken, half_widths=precise_from(10))
    assert notebook.done == [("sort", "precise enough", 10)]


def test_an_interrupted_run_keeps_what_it_has_and_says_so(tmp_path: Path) -> None:
    ending, _, notebook = carry_out(Plan((AB,), seed=1), tmp_path / "run.sonde", FakeInvoker(interrupt_before=3))
    assert ending.interrupted
    assert sum(counts(tmp_path / "run.sonde").values()) == 3
    assert [event.kind for event in read_events(tmp_path / "run.sonde")] == ["interrupted"]
    assert notebook.closed


@pytest.mark.parametrize("cut", range(19))
def test_a_resumed_run_does_what_an_uninterrupted_one_does(cut: int, tmp_path: Path) -> None:
    plan = Plan((AB, benchmark("search", "c", "d", "e", extent=Extent(rounds=4))), seed=9)
    _, whole, _ = carry_out(plan, tmp_path / "whole.sonde")
    ending, before, _ = carry_out(plan, tmp_path / "run.sonde", FakeInvoker(interrupt_before=cut))
    again, after, _ = carry_out(plan, tmp_path / "run.sonde")
    assert (ending.interrupted, again.interrupted) == (cut < 18, False)
    assert before.ran + after.ran == whole.ran
    rounds = [
        [
            (s.alternative, one.round, one.position)
            for s in read_results(tmp_path / name).series
            for one in s.invocations
        ]
        for name in ("whole.sonde", "run.sonde")
    ]
    assert rounds[0] == rounds[1]


def test_a_resumed_adaptive_run_stops_where_an_uninterrupted_one_does(tmp_path: Path) -> None:
    plan = Plan((benchmark("sort", "a", "b", extent=Extent(minimum=4, maximum=50)),), seed=9)
    carry_out(plan, tmp_path / "run.sonde", FakeInvoker(interrupt_before=17), half_widths=precise_from(9))
    carry_out(plan, tmp_path / "run.sonde", half_widths=precise_from(9))
    (look,) = [look for look in StoppingPlan(4, 50).looks if 9 <= look < 11]
    assert counts(tmp_path / "run.sonde") == {("sort", "a"): look, ("sort", "b"): look}
    _, nothing, _ = carry_out(plan, tmp_path / "run.sonde", half_widths=precise_from(9))
    assert nothing.ran == []


def test_a_resumed_run_goes_on_to_more_rounds_when_asked_for_more(tmp_path: Path) -> None:
    for rounds in (2, 5):
        carry_out(Plan((benchmark("sort", "a", extent=Extent(rounds=rounds)),), seed=1), tmp_path / "run.sonde")
        assert counts(tmp_path / "run.sonde") == {("sort", "a"): rounds}


def test_what_was_given_up_is_tried_again_when_the_run_is_resumed(tmp_path: Path) -> None:
    plan = Plan((benchmark("sort", "a", "b", extent=Extent(rounds=10)),), seed=1)
    broken = FakeInvoker(lambda name, count: FAILED if name == "b" else 1.0, interrupt_before=11)
    carry_out(plan, tmp_path / "run.sonde", broken)
    before = broken.ran.count(("sort", "b"))
    ending, mended, _ = carry_out(plan, tmp_path / "run.sonde")
    assert before == 3
    assert mended.ran.count(("sort", "b")) == mended.ran.count(("sort", "a")) == 2
    assert (ending.given_up, ending.failures) == ((), 3)


def test_the_machine_is_warmed_up_again_when_a_run_is_resumed(tmp_path: Path) -> None:
    plan = Plan((benchmark("sort", "a", conditions=Conditions(warm_up_rounds=1)),), seed=1)
    carry_out(plan, tmp_path / "run.sonde", FakeInvoker(interrupt_before=2))
    carry_out(plan, tmp_path / "run.sonde")
    (series,) = read_results(tmp_path / "run.sonde").series
    assert [one.round for one in series.invocations] == [-1, 0, -2, 1, 2]


def test_the_time_left_is_that_of_the_rounds_to_come(tmp_path: Path) -> None:
    seconds = {"a": 1.0, "b": 3.0}
    invoker, notebook = FakeInvoker(lambda name, count: seconds[name]), Notebook()
    carry_out(Plan((AB,), seed=1), tmp_path / "run.sonde", invoker, observer=notebook)
    left = [one.seconds_left for one in notebook.standings]
    assert left == [None, None, 8.0, 8.0, 4.0, 4.0]


def test_the_time_left_is_no_more_than_the_budget_has(tmp_path: Path) -> None:
    endless = benchmark("sort", "a", extent=Extent(minimum=10, maximum=1000))
    _, _, notebook = carry_out(
        Plan((endless,), seed=1, budget_s=20.0), tmp_path / "run.sonde", half_widths=never_precise
    )
    left = [one.seconds_left for one in notebook.standings]
    assert left[1] == 9.0  # of the ten rounds that there will be at least
    assert left[15] == 5.0


def test_what_comes_before_each_invocation_is_done_before_each(tmp_path: Path) -> None:
    log = tmp_path / "log"
    alternative = AB.alternatives[0]
    prepared = type(alternative)(
        alternative.name,
        alternative.work,
        prepare=f"echo prepare >> {log}",
        setup=f"echo setup >> {log}",
        cleanup=f"echo cleanup >> {log}",
    )
    plan = Plan((type(AB)("sort", (prepared,), AB.conditions, Extent(rounds=2)),), seed=1)
    carry_out(plan, tmp_path / "run.sonde")
    assert log.read_text().split() == ["setup", "prepare", "prepare", "cleanup"]
