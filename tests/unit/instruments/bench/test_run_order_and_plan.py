"""The random order of a run, what makes two plans the same, and what is done around invocations."""

import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench_runs import benchmark
from sonde.base.errors import InputError, SondeError, UsageError
from sonde.instruments.bench.measurements import Measurements, Provenance, Series
from sonde.instruments.bench.results_file import read_results, write_results
from sonde.instruments.bench.runs import chores
from sonde.instruments.bench.runs.chores import ChoreFailed, Surroundings, run_chore, run_set_up
from sonde.instruments.bench.runs.order import blocks
from sonde.instruments.bench.runs.plan import (
    ROUNDS_TO_KEEP,
    Alternative,
    Benchmark,
    CommandWork,
    Extent,
    FunctionWork,
    Plan,
    differences,
    rounds_between,
)
from sonde.instruments.bench.runs.session import open_session
from sonde.stats.ratio_evidence import FEWEST_APART

PLAN = Plan((benchmark("sort", "a", "b", "c"), benchmark("search", "d", "e")), seed=3)
SAME_MACHINE = {"cpu": "fast", "kernel": "6.1", "load": "0.5"}


def test_rounds_that_are_to_be_kept_are_as_many_as_can_be_compared_later() -> None:
    assert ROUNDS_TO_KEEP == FEWEST_APART


@pytest.mark.parametrize(
    ("asked", "expected"),
    [((None, None), (15, 100)), ((None, 9), (9, 9)), ((200, None), (200, 200)), ((5, 4), (5, 4))],
)
def test_usual_rounds_give_way_to_those_asked_for(
    asked: tuple[int | None, int | None], expected: tuple[int, int]
) -> None:
    assert rounds_between(*asked, 15, 100) == expected


def order(plan: Plan, round_: int) -> list[str]:
    return [one.name for _, alternatives in blocks(plan, round_) for one in alternatives]


def test_all_orders_of_the_alternatives_are_equally_likely() -> None:
    rounds = 6000
    counts = Counter("".join(one.name for one in dict(blocks_by_name(round_))["sort"]) for round_ in range(rounds))
    assert len(counts) == 6
    chi_square = sum((count - rounds / 6) ** 2 / (rounds / 6) for count in counts.values())
    assert chi_square < 20.5  # p = 0.001 at 5 degrees of freedom; the order is not random from one test to the next
    first = Counter(blocks(PLAN, round_)[0][0].name for round_ in range(rounds))
    assert abs(first["sort"] - rounds / 2) < 3.3 * (rounds / 4) ** 0.5


def blocks_by_name(round_: int) -> list[tuple[str, tuple[Alternative, ...]]]:
    return [(one.name, alternatives) for one, alternatives in blocks(PLAN, round_)]


def test_the_order_is_the_same_each_time_and_another_with_another_seed() -> None:
    rounds = range(20)
    assert [order(PLAN, one) for one in rounds] == [order(PLAN, one) for one in rounds]
    assert [order(PLAN, one) for one in rounds] != [order(replace(PLAN, seed=4), one) for one in rounds]


def test_what_is_left_out_does_not_change_the_order_of_the_rest() -> None:
    part = Plan(PLAN.benchmarks[:1], PLAN.seed)
    for round_ in range(20):
        assert order(part, round_) == [name for name in order(PLAN, round_) if name in "abc"]


def test_the_order_does_not_change_from_one_version_of_sonde_to_the_next() -> None:
    assert ["".join(order(PLAN, round_)) for round_ in range(6)] == EXPECTED


EXPECTED = ["decab", "decab", "edcab", "decba", "abced", "debac"]


def test_plans_differ_in_what_is_measured_and_not_in_how_long() -> None:
    longer = replace(
        PLAN, budget_s=3.0, benchmarks=tuple(replace(one, extent=Extent(rounds=99)) for one in PLAN.benchmarks)
    )
    assert differences(PLAN.as_data(), longer.as_data()) == []
    assert longer.fingerprint() == PLAN.fingerprint()
    first = PLAN.benchmarks[0]
    other = replace(first, alternatives=(*first.alternatives[:2], replace(first.alternatives[2], prepare="sync")))
    changed = Plan((other,), seed=4)
    told = differences(PLAN.as_data(), changed.as_data())
    assert "seed was 3, is 4" in told
    assert "benchmark 'sort', alternative 'c', prepare was '', is 'sync'" in told
    assert "benchmark 'search', alternative 'd', command was './d', is gone" in told
    assert changed.fingerprint() != PLAN.fingerprint()


def test_plans_that_cannot_be_told_apart_or_make_no_sense_are_refused() -> None:
    command, function = Alternative("a", CommandWork("true")), Alternative("b", FunctionWork("m:f"))
    for make, said in (
        (lambda: Plan((PLAN.benchmarks[0],) * 2, 1), "two benchmarks are called 'sort'"),
        (lambda: Plan((Benchmark("one", (command, command)),), 1), "two alternatives of 'one' are called 'a'"),
        (lambda: Plan((Benchmark("one", (command, function)),), 1), "different measurements"),
        (lambda: Plan((Benchmark("one", ()),), 1), "it has no alternative"),
        (
            lambda: Plan((Benchmark("one", (command, replace(command, name=""))),), 1),
            "one of the alternatives of 'one' has no name",
        ),
        (lambda: Extent(minimum=5, maximum=4), "that is none"),
    ):
        with pytest.raises(UsageError, match=said) as refused:
            make()
        assert refused.value.slug == "bad-plan"


def begin(path: Path, plan: Plan = PLAN, machine: dict[str, str] = SAME_MACHINE, **options: bool) -> Plan:
    writer, found = open_session(
        path, plan, machine, **{"resume": True, "force": False, "seed_is_chosen": False, **options}
    )
    with writer:
        DOUBTS[:] = [doubt.detail for doubt in writer.measurements().doubts]
    return found


DOUBTS: list[str] = []
"""Those in the file that was begun last."""


def test_a_resumed_run_goes_on_with_the_seed_of_its_file(tmp_path: Path) -> None:
    begin(tmp_path / "run.sonde")
    assert begin(tmp_path / "run.sonde", replace(PLAN, seed=99)).seed == 3
    with pytest.raises(UsageError, match="seed was 3, is 99") as refused:
        begin(tmp_path / "run.sonde", replace(PLAN, seed=99), seed_is_chosen=True)
    assert refused.value.slug == "other-plan"


def test_a_machine_that_has_changed_is_a_doubt_and_one_that_is_busier_is_not(tmp_path: Path) -> None:
    begin(tmp_path / "run.sonde")
    begin(tmp_path / "run.sonde", machine={**SAME_MACHINE, "load": "7"})
    assert DOUBTS == []
    begin(tmp_path / "run.sonde", machine={**SAME_MACHINE, "cpu": "slow"})
    assert DOUBTS == ["the run was resumed on a machine that has changed: cpu was 'fast', is 'slow'"]


def test_the_file_knows_which_benchmarks_were_measured_until_they_were_precise(tmp_path: Path) -> None:
    fixed, adaptive = benchmark("fixed", "a"), benchmark("adaptive", "a", extent=Extent(minimum=5, maximum=50))
    begin(tmp_path / "run.sonde", Plan((fixed, adaptive), 1))
    assert read_results(tmp_path / "run.sonde").looked_between == {"adaptive": (5, 50)}
    longer = tuple(replace(one, extent=Extent(rounds=99)) for one in (fixed, adaptive))
    begin(tmp_path / "run.sonde", Plan(longer, 1))  # those who looked before have looked
    assert read_results(tmp_path / "run.sonde").looked_between == {"adaptive": (5, 50)}


def test_values_of_another_tool_are_not_gone_on_with(tmp_path: Path) -> None:
    write_results(tmp_path / "run.sonde", Measurements((Series("a", "b", "startup", ()),), Provenance("pyperf 2")))
    with pytest.raises(InputError, match="values of pyperf 2") as refused:
        begin(tmp_path / "run.sonde")
    assert refused.value.slug == "not-resumable"


def chore(folder: Path, **texts: Any) -> Alternative:
    return Alternative("a", CommandWork("true", folder=str(folder), environment={"WHO": "me"}), **texts)


def test_chores_run_where_the_alternative_does_with_its_variables(tmp_path: Path) -> None:
    run_chore("echo $WHO > here; sleep 100 &", chore(tmp_path))  # does not wait for what it leaves behind
    assert (tmp_path / "here").read_text() == "me\n"
    with pytest.raises(ChoreFailed, match="exit code 3: two"):
        run_chore("echo one >&2; echo two >&2; exit 3", chore(tmp_path))
    with pytest.raises(ChoreFailed, match="killed by SIGKILL"):
        run_chore("kill -9 $$", chore(tmp_path))
    with pytest.raises(ChoreFailed, match="No such file"):
        run_chore("true", chore(tmp_path / "nowhere"))


def test_set_up_is_done_once_for_all_who_share_it_and_undone_in_reverse(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ways = [
        replace(chore(tmp_path, setup=f"echo +{one} >> log", cleanup=f"echo -{one} >> log"), name=name)
        for name, one in (("a", 1), ("b", 1), ("c", 2))
    ]
    with Surroundings(Plan((Benchmark("one", tuple(ways)),), 1)) as surroundings:
        surroundings.set_up()
        assert log.read_text().split() == ["+1", "+2"]
    assert log.read_text().split() == ["+1", "+2", "-2", "-1"]


def test_a_set_up_that_fails_is_an_error_and_what_was_done_is_undone(tmp_path: Path) -> None:
    ways = [
        replace(chore(tmp_path, setup=setup, cleanup=cleanup), name=name)
        for name, setup, cleanup in (("a", "touch made", "rm made"), ("b", "exit 1", "false"), ("c", "touch never", ""))
    ]
    with (
        pytest.raises(SondeError, match="cannot set up 'exit 1': exit code 1") as refused,
        Surroundings(Plan((Benchmark("one", tuple(ways)),), 1)) as surroundings,
    ):
        surroundings.set_up()
    assert refused.value.slug == "setup-failed"
    assert surroundings.complaints == ["cannot clean up 'false': exit code 1"]
    assert list(tmp_path.iterdir()) == []


def test_a_chore_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    for run in (run_chore, run_set_up):
        started = time.monotonic()
        with pytest.raises(ChoreFailed, match=r"ended after 0\.2 s"):
            run("sleep 60 & echo $! > pid; wait", chore(tmp_path), timeout_s=0.2)
        assert time.monotonic() - started < 20
        assert is_gone(int((tmp_path / "pid").read_text()))


def test_what_a_set_up_leaves_running_stays_and_what_other_chores_leave_is_ended(tmp_path: Path) -> None:
    run_chore("sleep 60 & echo $! > pid", chore(tmp_path))
    assert is_gone(int((tmp_path / "pid").read_text()))
    run_set_up("sleep 60 & echo $! > pid", chore(tmp_path))
    pid = int((tmp_path / "pid").read_text())
    try:
        assert not is_gone(pid)
    finally:
        os.kill(pid, signal.SIGKILL)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; nobody may have asked for its exit code yet."""
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def test_an_interrupted_clean_up_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def interrupted_once(text: str, _: Alternative, *, timeout_s: float | None) -> None:
        ran.append(text)
        if len(ran) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(chores, "run_chore", interrupted_once)
    ways = tuple(replace(chore(tmp_path, cleanup=f"undo {name}"), name=name) for name in "ab")
    surroundings = Surroundings(Plan((Benchmark("one", ways),), 1))
    surroundings.set_up()
    with pytest.raises(KeyboardInterrupt):
        surroundings.clean_up()
    assert (ran, surroundings.complaints) == (["undo b", "undo a"], ["cannot clean up 'undo b': interrupted"])
