"""Metrics that programs print: how they are defined, and what is found in a text."""

from pathlib import Path

import numpy as np
import pytest

from bench_runs import FakeInvoker, benchmark, carry_out
from sonde.base.errors import UsageError
from sonde.instruments.bench.directions import Direction
from sonde.instruments.bench.judging import take_samples
from sonde.instruments.bench.measurements import WALL, Invocation, Metric, Series
from sonde.instruments.bench.policy import Policy
from sonde.instruments.bench.printed_metric import PrintedMetric
from sonde.instruments.bench.results_file import read_results
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, CommandWork, FunctionWork, Plan, differences


@pytest.mark.parametrize(
    ("text", "name", "unit", "better", "pattern"),
    [
        ("score=score: ([0-9.]+) (?:ops/s)", "score", "1", "higher", "score: ([0-9.]+) (?:ops/s)"),
        ("size=(.*)", "size", "1", "lower", "(.*)"),
        ("request rate (ops/s) =x=(.*)", "request rate", "ops/s", "higher", "x=(.*)"),
        ("delay(ms)=(.*)", "delay", "ms", "lower", "(.*)"),
    ],
)
def test_a_definition_has_a_name_a_unit_and_a_pattern(
    text: str, name: str, unit: str, better: str, pattern: str
) -> None:
    metric = PrintedMetric.parse(text)

    assert (metric.name, metric.unit, metric.better, metric.pattern) == (name, unit, better, pattern)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_whoever_says_which_way_is_better_is_right(better: Direction) -> None:
    assert PrintedMetric.parse("score(ops/s)=(.*)", better).better == better


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("=(.*)", "does not define a metric"),
        ("score=", "does not define a metric"),
        ("score", "does not define a metric"),
        ("score=(", "unterminated subpattern"),
        ("score=[0-9]+", "it has 0 groups"),
        ("score=([0-9]+) (ops|calls)", "it has 2 groups"),
    ],
)
def test_what_defines_no_metric_is_refused(text: str, fact: str) -> None:
    with pytest.raises(UsageError) as refused:
        PrintedMetric.parse(text)

    assert refused.value.slug == "bad-pattern"
    assert fact in refused.value.message


def test_every_match_is_a_value_and_lines_have_ends() -> None:
    metric = PrintedMetric("score", r"^score: (\S+)$")

    assert metric.values_in("score: 5\nhigh score: 6\nscore: 7e1\n") == [5.0, 70.0]
    assert metric.values_in("nothing") == []
    assert PrintedMetric("score", "(.*)").values_in("5\n\n") == [5.0]


def test_times_are_stored_in_seconds() -> None:
    metric = PrintedMetric("delay", "(.*) ms", "ms")

    assert metric.values_in("250 ms") == [0.25]
    assert metric.stored_unit == "s"


@pytest.mark.parametrize("said", ["fast", "nan", "inf", ""])
def test_what_is_no_number_is_an_error(said: str) -> None:
    with pytest.raises(ValueError, match=f"the 'score' that was printed is no number: '{said}'"):
        PrintedMetric("score", "score:(.*)").values_in(f"score:{said}")


SCORE = PrintedMetric("score", "(.*)", "ops/s", "higher")


def test_series_of_a_printed_metric_become_steady_with_the_first_invocation_that_has_iterations(tmp_path: Path) -> None:
    invoker = FakeInvoker(lambda name, count: Invocation(np.full(1 + (name == "b" and count > 0), 5.0)))
    made = benchmark("x", "a", "b")
    plan = Plan((Benchmark(made.name, made.alternatives, made.conditions, made.extent, SCORE),), seed=1)
    path = tmp_path / "x.sonde"

    carry_out(plan, path, invoker)

    assert {one.alternative: one.mode for one in read_results(path).series} == {"a": "startup", "b": "steady"}
    assert {one.metric for one in read_results(path).series} == {Metric("score", "ops/s", "higher")}


def test_processes_of_printed_iterations_are_judged_as_a_whole() -> None:
    run = Invocation(np.array([5.0, 6.0]), process={"wall": 0.5, "user": 0.25})
    series = Series("x", "a", "steady", (run, run), Metric("score", "ops/s", "higher"))

    wall, user = (take_samples((series,), Policy(metric=name))[0] for name in ("wall", "user"))

    assert (wall.metric, wall.values.tolist()) == (WALL, [0.5, 0.5])
    assert user.values.tolist() == [0.25, 0.25]


@pytest.mark.parametrize(
    ("work", "fact"),
    [
        (FunctionWork("m:f"), "functions are timed"),
        (CommandWork("true", output="show"), "where that goes to 'show'"),
        (CommandWork("true", output="drain"), "where that goes to 'drain'"),
    ],
)
def test_a_metric_that_could_not_be_found_is_refused(work: CommandWork | FunctionWork, fact: str) -> None:
    with pytest.raises(UsageError, match=fact):
        Benchmark("x", (Alternative("a", work),), metric=SCORE)


def test_a_run_that_looked_for_another_metric_is_another_plan() -> None:
    ways = (Alternative("a", CommandWork("true")),)
    plain, printed = (Plan((Benchmark("x", ways, metric=metric),), seed=1).as_data() for metric in (None, SCORE))
    before = {**plain, "benchmarks": [{k: v for k, v in plain["benchmarks"][0].items() if k != "metric"}]}

    assert differences(before, plain) == []  # files of before there were metrics
    assert "benchmark 'x', metric pattern is new: '(.*)'" in differences(plain, printed)
