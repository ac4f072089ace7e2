"""What it costs to watch calls is taken out of their times, and said."""

from pathlib import Path

import pytest

from measuring import FAST_MECHANISM, MECHANISMS, measure, replay, run_sonde
from sonde.instruments.contexts.profile import ContextProfile

CALLS = "def tiny(n): return n\nfor n in range(20_000): tiny(n), len('')\n"
FORKS = "import os\n" + CALLS + "child = os.fork()\n" + CALLS + "if child: os.waitpid(child, 0)\n"


def taken_ns(profile: ContextProfile) -> int:
    return sum(process.taken_ns for process in profile.processes)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_times_are_without_it_and_the_report_says_so(tmp_path: Path, mechanism: str) -> None:
    # when
    profile = measure(tmp_path, "--mechanism", mechanism, "-c", CALLS).profile
    (process,) = profile.processes
    report = run_sonde("view", tmp_path / "run.sonde", "-v").stdout
    # then
    enter, leave, builtin_enter, builtin_leave = process.costs_ns
    assert enter + leave > 0
    assert builtin_enter + builtin_leave == 0
    assert profile.total_ns + process.taken_ns <= profile.run.duration_ns
    assert "taken out of the times: " in report


def test_calls_of_c_functions_have_costs_of_their_own(tmp_path: Path) -> None:
    (process,) = measure(tmp_path, "--builtins", "-c", CALLS).profile.processes
    enter, leave, builtin_enter, builtin_leave = process.costs_ns
    assert enter + leave > 0
    assert builtin_enter + builtin_leave > 0


def test_raw_leaves_it_in(tmp_path: Path) -> None:
    # when
    profile = measure(tmp_path, "--raw", "-c", CALLS).profile
    report = run_sonde("view", tmp_path / "run.sonde", "-v").stdout
    # then
    (process,) = profile.processes
    assert (process.taken_ns, process.costs_ns) == (0, ())
    assert "taken out" not in report


def test_without_times_there_is_nothing_to_take_out(tmp_path: Path) -> None:
    (process,) = measure(tmp_path, "--no-time", "-c", CALLS).profile.processes
    assert (process.taken_ns, process.costs_ns) == (0, ())


def test_a_forked_child_takes_out_what_it_cost_itself(tmp_path: Path) -> None:
    # when
    profile = measure(tmp_path, "--follow", "-c", FORKS).profile
    # then
    assert len(profile.processes) == 2
    assert all(process.taken_ns > 0 for process in profile.processes)
    assert profile.total_ns + taken_ns(profile) <= 2 * profile.run.duration_ns


def test_a_recording_has_the_times_that_were_counted(tmp_path: Path) -> None:
    # when
    trace = tmp_path / "run.trace"
    profile = measure(tmp_path, "--exact", "--mechanism", FAST_MECHANISM, "--record", trace, "-c", CALLS).profile
    # then
    assert taken_ns(profile) > 0
    replayed = replay(tmp_path, "--exact", trace)
    assert list(replayed.contexts.calls) == list(profile.contexts.calls)
    assert replayed.total_ns + taken_ns(profile) <= profile.run.duration_ns
