"""What was waited in functions that are not known to wait: a lower bound, from the processor time of the program."""

from dataclasses import replace

import pytest

from sonde.instruments.contexts.profile import ContextProfile, Function, MeasuredProcess, contexts_from_self
from sonde.instruments.contexts.report import contexts_report
from sonde.render.terminal.report_text import report_text
from tree_builder import profile_of

FUNCTIONS = {
    "wait": Function("Condition.wait", "threading", "/usr/lib/python3.12/threading.py", 323),
    "sleep": Function("time.sleep", "time", "", 0, "builtin"),
}
PROCESS = MeasuredProcess(1, 0, "", "", "cpython-monitoring", 1, 5, "exited 0")


def ran(outline: str, processor_ns: int, processes: int = 1) -> ContextProfile:
    made = profile_of(outline, functions=FUNCTIONS)
    return replace(
        made, run=replace(made.run, processor_ns=processor_ns), processes=tuple([PROCESS] * processes), threads=None
    )


def doubts(profile: ContextProfile) -> list[str]:
    text = report_text(contexts_report(profile, with_data=False), columns=200, is_verbose=True)
    lines = text.splitlines()
    return [" ".join(lines[at : at + 2]) for at, line in enumerate(lines) if "waiting that counts as work" in line]


def test_time_without_a_processor_that_nobody_is_known_to_wait_is_told() -> None:
    # 700 ns of work and unseen waiting: at most 200 of them are work.
    (said,) = doubts(ran("main 100\n  work @1 600\n  wait @2 300", 200))
    assert "at least 50.0% of the time was waiting that counts as work" in said
    assert "--builtins tells which C functions wait; --clock cpu leaves waiting out" in said


def test_where_c_functions_are_seen_only_the_clock_is_advised() -> None:
    (said,) = doubts(ran("main 600\n  sleep @2 400", 100))
    assert "50.0%" in said and "--builtins" not in said and "--clock cpu" in said


@pytest.mark.parametrize(
    ("outline", "processor_ns", "processes"),
    [
        ("main 100\n  work @1 600\n  wait @2 300", 700, 1),  # all of it may have been work
        ("main 100\n  work @1 600\n  wait @2 300", 450, 1),  # 250 ns: `work` remains the hottest
        ("main 100\n  work @1 600\n  wait @2 300", 0, 1),  # nobody knows
        ("main 100\n  work @1 600\n  wait @2 300", 200, 2),  # not all processes may have been waited for
    ],
)
def test_what_is_not_known_or_changes_nothing_is_not_told(outline: str, processor_ns: int, processes: int) -> None:
    assert doubts(ran(outline, processor_ns, processes)) == []


def test_processor_time_has_no_waiting() -> None:
    profile = ran("main 100\n  work @1 600", 200)
    assert doubts(replace(profile, run=replace(profile.run, time_kind="processor"))) == []
    assert doubts(replace(profile, run=replace(profile.run, complete=False))) == []


def test_what_was_not_kept_may_have_been_work_or_waiting() -> None:
    nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    assert doubts(replace(ran("main 100", 50), contexts=nothing)) == []
