"""The callgrind format of calling contexts, line by line."""

import io
from dataclasses import replace

import pytest

from sonde.base.errors import UsageError
from sonde.formats import write_callgrind_calls
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Function, Metric
from tree_builder import profile_of

RECURSIVE = """
main 10
  fib @101 20 x1
    fib @201 30 x2
      log @202 5 x4
    log @202 1 x1
"""


def counts(profile: ContextProfile, metric: Metric | None = None) -> list[str]:
    stream = io.BytesIO()
    write_callgrind_calls(profile, stream, metric=metric)
    text = stream.getvalue().decode()
    return text[text.index("events:") :].splitlines()


def test_calls_are_written_by_line_and_recursion_costs_once() -> None:
    assert counts(profile_of(RECURSIVE)) == [
        "events: ns",
        "summary: 66",
        "",
        "fl=(1) ???",
        "fn=(1) (program)",
        "0 0",
        "cfi=(2) app.py",
        "cfn=(2) app.main",
        "calls=1 100",
        "0 66",
        "",
        "fl=(2)",
        "fn=(2)",
        "100 10",
        "cfn=(3) app.fib",
        "calls=1 200",
        "101 56",
        "",
        "fl=(2)",
        "fn=(3)",
        "200 50",
        "cfn=(3)",
        "calls=2 200",
        "201 0",
        "cfn=(4) app.log",
        "calls=5 300",
        "202 6",
        "",
        "fl=(2)",
        "fn=(4)",
        "300 6",
    ]


def test_what_was_given_up_is_called_where_it_was() -> None:
    exact = profile_of("main 10\n  work @101 20 x3")
    contexts = replace(exact.contexts, total_ns=[37, 22], error=[0, 0])
    bounds = Approximation(metric="time", phi=0.5, epsilon=0.1, floor=7, counters=10)
    profile = replace(exact, contexts=contexts, approximation=bounds, pruned_root_ns=3)
    profile.check_valid()

    assert counts(profile) == [
        "events: ns",
        "summary: 40",
        "",
        "fl=(1) ???",
        "fn=(1) (not listed)",
        "0 10",
        "",
        "fl=(1)",
        "fn=(2) (program)",
        "0 0",
        "cfi=(2) app.py",
        "cfn=(3) app.main",
        "calls=1 100",
        "0 37",
        "cfn=(1)",
        "calls=1 0",
        "0 3",
        "",
        "fl=(2)",
        "fn=(3)",
        "100 10",
        "cfi=(1)",
        "cfn=(1)",
        "calls=1 0",
        "0 5",
        "cfn=(4) app.work",
        "calls=3 200",
        "101 22",
        "",
        "fl=(2)",
        "fn=(4)",
        "200 20",
        "cfi=(1)",
        "cfn=(1)",
        "calls=1 0",
        "0 2",
    ]


def test_calls_are_the_weight_when_asked_for_or_when_no_time_was_measured() -> None:
    timed, untimed = profile_of(RECURSIVE), profile_of(RECURSIVE, clock="none")

    assert counts(timed, "calls")[:2] == counts(untimed)[:2] == ["events: Calls", "summary: 9"]
    with pytest.raises(UsageError):
        counts(untimed, "time")


def test_names_cannot_break_lines_or_steer_a_terminal() -> None:
    odd = Function("f\n\x1b[2J", "app", "a\nfn=(1) b.py", 1)

    lines = counts(profile_of("f 10", functions={"f": odd}))

    assert lines[6:8] == ["cfi=(2) a fn=(1) b.py", "cfn=(2) app.f  [2J"]
    assert lines[-3:] == ["fl=(2)", "fn=(2)", "1 10"]
