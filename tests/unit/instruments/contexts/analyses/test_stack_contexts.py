"""Stacks that were looked at, as a profile."""

from array import array
from dataclasses import replace
from typing import Any

from sonde.code import module_of_file
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.analysis.function_groups import GroupedFunctions
from sonde.instruments.contexts.analysis.uncertainty import deviations_of_functions
from sonde.instruments.contexts.profile import (
    COLLECTING,
    LOCK_WAITING,
    WAITING,
    ContextProfile,
    MeasuredProcess,
    OwnEstimate,
    Run,
    TimeKind,
    function_totals,
    merge_profiles,
    read_profile,
    write_profile,
)
from sonde.instruments.contexts.report.headline import headline

THREAD_0, THREAD_1, WAITS = -4, -5, -1
PROCESS = MeasuredProcess(7, 0, "python app.py", "3.12.1", "process-memory", 2, 0, "ended")


class SeenStacks:
    """What a sampler gives, made by hand: `<module>` calls `work`, which waits; on two threads, if they are apart."""

    def __init__(self, *, apart: bool, torn: int = 0, still: int = 0) -> None:
        self._apart, self._torn, self._still = apart, torn, still

    def columns(self) -> tuple[bytes, ...]:
        rows = [(-1, 0, 0, 10, 4.0), (0, 1, 3, 20, 9.0), (1, WAITS, 12, 70, 0.0)]
        if self._apart:
            first = [(-1, THREAD_0, 0, 0, 0.0), (0, 0, 0, 10, 4.0), (1, 1, 3, 20, 9.0), (2, WAITS, 12, 70, 0.0)]
            rows = [*first, (-1, THREAD_1, 0, 0, 0.0), (4, 0, 0, 1, 1.0), (5, 1, 3, 2, 16.0)]
        whole = (array("q", column).tobytes() for column in list(zip(*rows, strict=True))[:4])
        return (*whole, array("d", [row[4] for row in rows]).tobytes())

    def functions(self) -> list[tuple[str, str, int, int, float]]:
        return [("<module>", "/app/app.py", 1, 0, 4.0), ("work", "/v/lib/python3.12/site-packages/lib/a.py", 9, 3, 7.0)]

    def lines(self) -> list[tuple[int, int, int]]:
        return [(1, 12, 3), (1, 13, 1)]

    def threads(self) -> list[tuple[int, int, int, int]]:
        return [(0, 7, 100, 300), (0, 8, 150, 250)]

    def tasks(self) -> list[tuple[int, bool, str]]:
        return []

    def sums(self) -> dict[str, int]:
        sums = dict.fromkeys(("cut", "too_deep", "without_room", "first_ns"), 0)
        sums |= {"last_ns": 990, "rounds": 100, "late": 2, "stacks": 100, "torn": self._torn, "still": self._still}
        return sums


def profile_of(stacks: SeenStacks) -> ContextProfile:
    given: Any = stacks
    profile = stack_contexts(given, Run(time_kind="wall"), [PROCESS], period_ns=9)
    profile.check_valid()
    return profile


def test_times_and_their_deviations_are_those_of_the_sampler() -> None:
    profile = profile_of(SeenStacks(apart=False))
    assert [function.name for function in profile.functions] == ["<module>", "work", WAITING.name]
    assert list(profile.contexts.self_ns) == [10, 20, 70]
    assert list(profile.contexts.total_ns) == [100, 90, 70]
    assert list(profile.contexts.ns_deviation) == [2, 3, 0]
    assert list(profile.contexts.call_line) == [0, 3, 12]
    assert profile.line_samples == {profile.functions[1]: {12: 3, 13: 1}}


def test_calls_are_said_not_to_be_known() -> None:
    profile = profile_of(SeenStacks(apart=False))
    assert profile.sampling is not None
    assert not profile.has_calls and profile.total_calls == 0
    assert (profile.sampling.interval_ns, profile.sampling.asked_ns, profile.sampling.late) == (10, 9, 2)


def test_threads_that_were_apart_are_summed_up_besides() -> None:
    profile = profile_of(SeenStacks(apart=True))
    assert list(profile.contexts.self_ns) == [11, 22, 70]
    assert list(profile.contexts.ns_deviation) == [3, 5, 0]  # squares add up
    assert profile.threads is not None
    assert [(each.label, each.elapsed_ns) for each in profile.threads.threads] == [
        ("MainThread", 200),
        ("thread 2", 100),
    ]
    assert [profile.threads.contexts.function[row] for row in (0, 4)] == [-1, -2]


def test_how_long_a_task_lived_is_known_only_where_it_is_seen_waiting() -> None:
    class OfTasks(SeenStacks):
        def threads(self) -> list[tuple[int, int, int, int]]:
            return [(0, 7, 100, 100), (0, 0, 150, 250)]

        def tasks(self) -> list[tuple[int, bool, str]]:
            return [(1, True, "server")]

    def lives(time_kind: TimeKind) -> dict[str, int | None]:
        given: Any = OfTasks(apart=True)
        threads = stack_contexts(given, Run(time_kind=time_kind), [PROCESS], period_ns=9).threads
        assert threads is not None
        return {each.label: each.elapsed_ns for each in threads.threads}

    assert lives("processor") == {"MainThread": None, "task server": None}, "the thread was seen once"
    assert lives("tasks") == {"MainThread": None, "task server": 100}


def test_the_file_that_was_run_is_the_main_module_and_others_are_known_by_their_paths() -> None:
    first, second = profile_of(SeenStacks(apart=True)).functions[:2]
    assert (first.module, second.module) == ("__main__", "lib.a")
    assert module_of_file("/usr/lib64/python3.13/lib-dynload/x.py") == "x"


def test_a_function_is_known_better_than_its_contexts_are() -> None:
    profile = profile_of(SeenStacks(apart=True))
    module, work = profile.functions[:2]
    assert profile.own_estimates == {module: OwnEstimate(11, 2), work: OwnEstimate(22, 3)}
    assert deviations_of_functions(profile, profile.contexts.ns_deviation) == [2, 3, 0]
    part = replace(profile, contexts=profile.contexts.of_rows([0]))  # of what is not all there, that is not known
    assert deviations_of_functions(part, part.contexts.ns_deviation) == [2, 0, 0]
    other = replace(profile, own_estimates={work: OwnEstimate(21, 3)})
    assert deviations_of_functions(other, other.contexts.ns_deviation) == [3, 5, 0]


def test_stacks_that_were_torn_are_told_where_they_were_many() -> None:
    assert not profile_of(SeenStacks(apart=False, torn=1)).losses
    (loss,) = profile_of(SeenStacks(apart=False, torn=2)).losses
    assert (loss.kind, loss.amount) == ("stacks-torn", 2)
    (loss,) = profile_of(SeenStacks(apart=False, still=50)).losses
    assert (loss.kind, loss.amount) == ("stood-still", 50)


def test_what_was_sampled_is_kept_and_merged_with_its_deviations(tmp_path: Any) -> None:
    profile = profile_of(SeenStacks(apart=False))
    write_profile(tmp_path / "run.sonde", profile)
    assert read_profile(tmp_path / "run.sonde") == replace(profile, sources={})
    merged = merge_profiles([profile, profile])
    assert merged.sampling is not None and not merged.has_calls
    assert merged.sampling.bursts == 200 and merged.sampling.late == 4
    assert list(merged.contexts.self_ns) == [20, 40, 140]
    assert list(merged.contexts.ns_deviation) == [3, 5, 0]
    assert merged.own_estimates[profile.functions[1]] == OwnEstimate(40, 5)
    assert not merge_profiles([profile, replace(profile, own_estimates={})]).own_estimates


def test_what_the_interpreter_does_below_a_function_is_no_function_of_the_program() -> None:
    class Collecting(SeenStacks):
        def columns(self) -> tuple[bytes, ...]:
            rows = [(-1, 0, 0, 10), (0, -2, 3, 20), (0, -3, 3, 70), (0, -1, 3, 5)]
            whole = (array("q", column).tobytes() for column in zip(*rows, strict=True))
            return (*whole, array("d", [0.0] * len(rows)).tobytes())

    profile = profile_of(Collecting(apart=False))
    found = [profile.functions[number] for number in profile.contexts.function]
    assert found[1:] == [LOCK_WAITING, COLLECTING, WAITING]
    groups = GroupedFunctions(profile, function_totals(profile))
    assert [groups.functions[group.function].name for group in groups.work] == ["<module>"]
    said = " ".join(headline(profile, groups))
    assert "Waiting for the interpreter's lock took 19.0% of the time, 100.0% of it below <module" in said
    assert "Garbage collection took 66.7% of the time" in said
