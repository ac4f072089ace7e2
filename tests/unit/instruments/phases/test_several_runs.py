"""Several runs: how counters are divided among them, and what is said of calls that are not the same."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from made_phases import MS, Made, phase_profile
from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.instruments.phases.analysis import align_runs, all_reasons, figures_of, phase_consistencies, phase_sums
from sonde.instruments.phases.known_counters import DEFAULT_COUNTERS
from sonde.instruments.phases.options import PhaseOptions, PhaseViewOptions
from sonde.instruments.phases.profile import Phase, PhaseProfile
from sonde.instruments.phases.report import phase_report
from sonde.instruments.phases.sources.cpython import CounterGroups, WatchedRun, groups_of
from sonde.instruments.phases.verb.several_runs import count_in_runs, groups_asked_for
from sonde.launch import Outcome
from sonde.render.terminal.report_text import report_text

NAMES = ("task-clock", "instructions", "l1d-misses", "llc-misses", "branch-misses", "allocations")


class Processor:
    """Hardware that has some counters, and counts a few at a time."""

    def __init__(self, has: Sequence[str], at_a_time: int) -> None:
        self.has, self.at_a_time = has, at_a_time

    def available(self, names: tuple[str, ...]) -> set[str]:
        return set([name for name in names if name in self.has][: self.at_a_time])


@pytest.mark.parametrize(
    ("has", "at_a_time", "runs", "expected"),
    [
        (NAMES, 9, 1, [NAMES]),
        (NAMES, 9, 2, [NAMES[:5], ("task-clock", "allocations")]),
        (NAMES, 2, 1, [NAMES[:3], ("task-clock", *NAMES[3:5]), ("task-clock", "allocations")]),
        ((), 4, 1, [("task-clock", "allocations")]),
        (("branch-misses",), 4, 1, [("task-clock", "branch-misses", "allocations")]),
        (
            ("l1d-misses", "branch-misses"),
            1,
            3,
            [("task-clock", "l1d-misses"), ("task-clock", "branch-misses"), ("task-clock", "allocations")],
        ),
    ],
)
def test_a_group_is_what_the_hardware_counts_at_a_time(
    has: Sequence[str], at_a_time: int, runs: int, expected: list[tuple[str, ...]]
) -> None:
    found = groups_of(NAMES, runs, Processor(has, at_a_time).available)
    assert list(found.groups) == expected
    assert found.missing == tuple(name for name in NAMES[1:5] if name not in has)


def test_groups_come_again_where_more_runs_are_asked_for() -> None:
    found = groups_of(("page-faults",), 3, Processor((), 1).available)
    assert found.groups == (("page-faults",),) * 3


def test_simulated_counters_have_the_last_run_for_themselves() -> None:
    names = ("simulated:l1d-misses", "page-faults", "simulated:accesses")
    found = groups_of(names, 2, Processor((), 1).available)
    assert found.groups == (("page-faults",), ("page-faults",), ("simulated:l1d-misses", "simulated:accesses"))
    assert groups_of(names[:1], 1, Processor((), 1).available).groups == (("task-clock",), names[:1])


def test_times_of_a_simulated_run_are_no_times_of_the_program() -> None:
    aligned = align_runs([run_of("page-faults", 5), run_of("simulated:l1d-misses", 5, slower=40)])
    assert len(aligned.runs) == 1
    assert aligned.whole_ns == run_of("page-faults", 5).whole_ns
    assert aligned.total(1) == run_of("page-faults", 5).total(0)


def test_nobody_who_asks_for_nothing_has_several_runs() -> None:
    assert groups_asked_for(PhaseOptions()).groups == (DEFAULT_COUNTERS,)


def run_of(counter: str, calls: int, count: int = 100, slower: int = 1) -> PhaseProfile:
    """`load` is called so often, and `sort` five times; counts of both grow with their lengths."""
    made, at = [], 0
    for phase, times in ((0, calls), (1, 5)):
        for n in range(times):
            length = (n + 1) * MS * slower
            made.append(Made(phase, at, at + length, (count * (n + 1),)))
            at += length
    return phase_profile(["load", "sort"], (counter,), made, at)


def test_of_a_phase_whose_calls_do_not_align_the_sum_is_told_and_nothing_of_its_calls() -> None:
    aligned = align_runs([run_of("page-faults", 6), run_of("allocations", 8)])
    assert aligned.summed == {(0, 1)}
    (loss,) = aligned.losses
    assert (loss.kind, loss.amount) == ("calls-not-aligned", 1)
    assert "load (6 and 8 calls)" in loss.detail
    sums = phase_sums(figures_of(aligned))
    assert sums[0].totals == (100 * 21, 100 * 36)
    reasons = all_reasons(figures_of(aligned), sums)
    by_call = {(phase, each.counter): each.explained for phase, of in reasons.items() for each in of}
    assert by_call[0, 1] is None
    assert by_call[1, 1] == pytest.approx(1.0)
    found = phase_consistencies(figures_of(aligned))
    assert found.of[0].variations[1] is None
    assert found.of[1].variations[1] == pytest.approx(0.0)


def test_modules_that_are_no_phases_in_the_first_run_align_with_its_module_bodies() -> None:
    bodies = Phase(Function("<module>", "", "", 1), "module bodies")
    own = Phase(Function("<module>", "json", "json/__init__.py", 1, "module"))
    calls = [Made(0, 0, MS, (3,)), Made(0, MS, 2 * MS, (4,)), Made(1, 2 * MS, 3 * MS, (5,))]
    first = phase_profile([bodies, "main"], ("page-faults",), calls, 3 * MS)
    others = [calls[0], replace(calls[1], phase=2), calls[2]]
    second = phase_profile([bodies, "main", own], ("allocations",), others, 3 * MS)
    aligned = align_runs([first, second])
    assert not aligned.losses
    assert aligned.threads[0].calls.counters[1] == (3, 4, 5)


def test_the_variation_between_runs_is_shown() -> None:
    aligned = align_runs([run_of("page-faults", 5), run_of("page-faults", 5, slower=3)])
    assert not aligned.losses
    text = report_text(phase_report(aligned, PhaseViewOptions()))
    assert "2 runs, aligned by calls" in text
    assert "± runs" in text
    assert " 50.0% " in text


def ended(status: int) -> Outcome:
    return Outcome(1, status, 0.0, 1)


class Program:
    """One whose runs end in given ways."""

    def __init__(self, *ends: Outcome | MissingCapability) -> None:
        self.ends = list(ends)
        self.counted: list[tuple[str, ...]] = []

    def watch(self, asked: WatchedRun) -> tuple[PhaseProfile, Outcome]:
        end = self.ends.pop(0)
        if isinstance(end, MissingCapability):
            raise end
        self.counted.append(asked.counters)
        return run_of(asked.counters[0], 5), end


GROUPS = CounterGroups((("page-faults",), ("allocations",), ("collections",)), ("llc-misses",))


def test_a_signal_ends_the_counting_and_what_was_counted_is_kept() -> None:
    program = Program(ended(0), ended(2))
    profile, outcome = count_in_runs((), GROUPS, program.watch)
    assert outcome.signal == 2
    assert [counter.name for counter in profile.counters] == ["page-faults", "allocations"]
    kinds = {loss.kind: loss.detail for loss in profile.losses}
    assert list(kinds) == ["runs-missing", "runs-ended-differently", "counters-missing"]
    assert kinds["runs-missing"].endswith("there is no collections: the program was killed by SIGINT")


def test_a_run_that_was_interrupted_ends_the_counting_however_the_program_exits() -> None:
    program = Program(ended(0), ended(0)._replace(interrupted_by=2))
    profile, outcome = count_in_runs((), GROUPS, program.watch)
    assert (outcome.shell_code, len(program.counted)) == (130, 2)
    (missing,) = (loss for loss in profile.losses if loss.kind == "runs-missing")
    assert missing.detail.endswith("there is no collections: the program was interrupted by SIGINT and exited 0")


def test_a_later_run_that_cannot_be_measured_takes_nothing_away() -> None:
    program = Program(ended(0), MissingCapability("it is gone", slug="no-phases-measured"))
    profile, outcome = count_in_runs((), GROUPS, program.watch)
    assert outcome.shell_code == 0
    assert [counter.source for counter in profile.counters] == ["made up"]
    (missing,) = (loss for loss in profile.losses if loss.kind == "runs-missing")
    assert "there is no allocations, collections: it is gone" in missing.detail


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_on_a_terminal_each_later_run_is_announced_with_what_is_left(
    term: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter(range(0, 99, 10))
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sonde.instruments.phases.verb.several_runs.time.monotonic", lambda: next(seconds))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    program = Program(*[ended(0)] * 3)
    count_in_runs((), GROUPS, program.watch)
    told = "sonde: run 2 of 3, about 20 s left\nsonde: run 3 of 3, about 10 s left\n"
    assert capsys.readouterr().err == (told if term == "xterm" else "")
