"""Results over time: simulated ones with known steps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from made_measurements import measurements, start_up
from sonde.cli.main import main
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import judge_history
from sonde.instruments.bench.measurements import Measurements, Metric
from sonde.instruments.bench.report import history_report
from sonde.instruments.bench.results_file import write_results
from sonde.render.terminal.report_text import report_text

Files = list[tuple[str, Measurements]]


def day(number: int) -> str:
    return f"2026-{10 + number // 28:02}-{1 + number % 28:02}T12:00:00+00:00"


def files(means: Mapping[str, Sequence[float]], *, spread: float = 0.01, seed: int = 3) -> Files:
    """A result each day, whose benchmarks take about these means."""
    random = np.random.default_rng(seed)
    found = []
    for number, levels in enumerate(zip(*means.values(), strict=True)):
        series = [
            start_up(name, "", random.normal(level * random.lognormal(0.0, spread), 0.005 * level, 5))
            for name, level in zip(means, levels, strict=True)
        ]
        made = measurements(*series)
        made = replace(made, provenance=replace(made.provenance, measured_at=day(number)))
        found.append((f"results-{number:02}.sonde", made))
    return found


def test_a_step_is_found_where_it_is_with_its_size() -> None:
    history = judge_history(files({"parse": [1.0] * 12 + [1.21] * 8, "dump": [2.0] * 20}))
    parse, dump = history.courses
    [step] = parse.steps
    assert step.place == 12 and step.is_worse and step.is_regression
    assert step.ratio.interval is not None and 1.21 in step.ratio.interval
    assert dump.steps == ()
    report = history_report(history, "results")
    assert report.changed
    assert report.headline[0].startswith("parse became 1.2")
    assert report.headline[0].endswith("] slower with results-12.sonde.")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_step_in_the_newest_results_is_seen_at_once(count: int) -> None:
    [course] = judge_history(files({"parse": [1.0] * 10 + [1.3] * count})).courses
    assert [step.place for step in course.steps] == [10]


def test_two_steps_are_both_found_and_the_last_counts() -> None:
    [course] = judge_history(files({"parse": [1.0] * 8 + [1.5] * 8 + [0.9] * 8})).courses
    assert [(step.place, step.is_worse) for step in course.steps] == [(8, True), (16, False)]
    report = history_report(judge_history(files({"parse": [1.0] * 8 + [1.5] * 8 + [0.9] * 8})), "results")
    assert not report.changed and "faster with results-16.sonde" in report.headline[0]


def test_guarantee_of_noise_few_steps_are_called() -> None:
    alarms = sum(
        any(course.steps for course in judge_history(files({"a": [1.0] * n, "b": [1.0] * n}, seed=seed)).courses)
        for seed in range(60)
        for n in (6, 15)
    )
    assert alarms <= 14  # of 120, 5 % are 6; beyond 14 lies one case in 500


def test_throughput_that_falls_is_worse() -> None:
    made = [
        (
            name,
            replace(
                each,
                series=tuple(replace(one, metric=Metric("throughput", "ops/s", "higher")) for one in each.series),
            ),
        )
        for name, each in files({"parse": [1.0] * 8 + [0.7] * 8})
    ]
    [course] = judge_history(made).courses
    assert course.last is not None and course.last.is_worse


def test_results_are_ordered_by_when_they_were_measured() -> None:
    made = files({"parse": [1.0] * 8 + [1.5] * 8})
    history = judge_history(made[::-1])
    assert [moment.name for moment in history.moments] == [name for name, _ in made]
    undated = [(name, replace(each, provenance=replace(each.provenance, measured_at=""))) for name, each in made]
    assert [doubt.kind for doubt in judge_history(undated).doubts] == ["order-of-names"]


def test_a_step_within_the_tolerance_is_told_and_is_no_regression() -> None:
    history = judge_history(files({"parse": [1.0] * 12 + [1.1] * 12}), Policy(tolerance=0.3))
    report = history_report(history, "results")
    assert not report.changed
    assert report.headline[0].endswith(", within the tolerance of 30%.")


def test_the_report_has_its_answer_first_and_fits() -> None:
    text = report_text(history_report(judge_history(files({"parse": [1.0] * 12 + [1.21] * 8})), "results"), columns=80)
    lines = text.splitlines()
    assert "slower with results-12.sonde" in lines[1]
    assert "▲ parse" in text
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("levels", "code", "said"),
    [
        ([1.0] * 10 + [1.5] * 2, 1, "slower with results-10.sonde"),
        ([1.0] * 10, 0, "No step in 1 benchmark over 10 results."),
        ([1.0] * 3, 4, "cannot be said"),
    ],
)
def test_the_exit_code_says_what_a_gate_asks(
    levels: list[float], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, made in files({"parse": levels}):
        write_results(tmp_path / name, made)
    (tmp_path / "README.md").write_text("# what these are\n")
    assert main(["bench", "history", str(tmp_path)]) == code
    out = capsys.readouterr().out
    assert said in out
    assert "not read: " in out  # the README


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "history", str(tmp_path)]) == 2
    assert "cannot find results in" in capsys.readouterr().err
