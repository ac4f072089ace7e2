"""The progress of `sonde bench` on standard error."""

import io
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fake_terminal import FakeTerminal
from sonde.instruments.bench.measurements import Invocation, Metric, Series
from sonde.instruments.bench.runs.observer import Standing
from sonde.instruments.bench.verb.progress import Progress, done_in_words, standing_in_words

AT = Standing(
    benchmark="sort",
    alternative="quick",
    round=7,
    expected_rounds=23,
    is_sure=False,
    seconds_left=12.4,
    half_width=0.018,
    benchmarks_done=3,
    benchmarks=9,
    failures=0,
)


def at(**changes: Any) -> Standing:
    return replace(AT, **changes)


class Terminal(FakeTerminal):
    """One that says that it is one."""

    def isatty(self) -> bool:
        return True


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (AT, "sort quick  round 7 of ~23  12 s left  ±1.8%  3 of 9 benchmarks done"),
        (at(benchmarks=1, half_width=None, is_sure=True), "quick  round 7 of 23  12 s left"),
        (at(benchmarks=1, alternative="", half_width=None, round=24), "sort  round 24 of ~24  12 s left"),
        (at(benchmarks=1, round=0, seconds_left=None, half_width=None), "quick  warming up"),
        (
            at(benchmarks=1, half_width=None, seconds_left=600.0, failures=2),
            "quick  round 7 of ~23  10 min left  2 failed",
        ),
        (at(benchmarks=1, half_width=None, seconds_left=7300.0), "quick  round 7 of ~23  2 h 02 min left"),
    ],
)
def test_where_a_run_is_stands_in_one_line(standing: Standing, words: str) -> None:
    assert standing_in_words(standing) == words


def test_on_a_terminal_the_line_is_drawn_again_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal, clock = Terminal(columns=80, rows=3), Clock()
    progress = Progress(terminal, clock=clock)
    assert progress.is_due()
    progress.show(AT)
    assert not progress.is_due()
    clock.now += 0.2
    assert progress.is_due()
    progress.show(at(round=8))
    assert [line for line in terminal.screen if line] == [standing_in_words(at(round=8))]
    progress.note("something")
    assert terminal.screen[0] == "sonde: something"
    progress.show(AT)
    progress.close()
    assert terminal.screen[1] == ""


def test_a_line_never_takes_more_than_the_terminal_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((30, 5)))
    terminal = Terminal(columns=30, rows=5)
    monkeypatch.setattr(terminal, "fileno", lambda: 2)
    Progress(terminal).show(at(alternative="a\x1b[2Jb漢字" * 9))
    assert terminal.screen[1:] == [""] * 4
    assert "\x1b[2J" not in "".join(terminal.writes)


def test_without_a_terminal_there_is_a_line_now_and_then() -> None:
    log, clock = io.StringIO(), Clock()
    progress = Progress(log, clock=clock)
    assert not progress.is_due()
    clock.now += 10.0
    assert progress.is_due()
    progress.show(AT)
    assert not progress.is_due()
    assert log.getvalue() == f"sonde: {standing_in_words(AT)}\n"


def test_the_first_failure_of_each_alternative_is_told() -> None:
    log = io.StringIO()
    progress = Progress(log)
    for detail in ("exit code 1: no data", "exit code 1: again"):
        progress.failed("sort", "quick", Invocation(np.empty(0), "failed", detail))
    progress.failed("sort", "merge", Invocation(np.empty(0), "timeout"))
    assert log.getvalue() == "sonde: sort quick failed: exit code 1: no data\nsonde: sort merge failed: timeout\n"


def test_a_benchmark_that_is_alone_need_not_be_named() -> None:
    log = io.StringIO()
    Progress(log, alone=True).failed("commands", "true", Invocation(np.empty(0), "timeout"))
    Progress(log, alone=True).failed("sort", "", Invocation(np.empty(0), "timeout"))
    assert log.getvalue() == "sonde: true failed: timeout\nsonde: sort failed: timeout\n"


def test_a_stream_that_is_closed_does_not_end_the_run() -> None:
    log = io.StringIO()
    progress = Progress(log, clock=Clock())
    log.close()
    progress.note("nobody hears this")
    assert not progress.is_due()


def series(name: str, *seconds: float, unit: str = "s") -> Series:
    found = [Invocation(np.array([one]), round=i) for i, one in enumerate(seconds)]
    return Series(
        "sort", name, "startup", (Invocation(np.array([9.0]), round=-1, warmups=1), *found), Metric("m", unit)
    )


def test_what_came_out_of_a_benchmark_stands_in_one_line() -> None:
    assert (
        done_in_words("precise enough", 23, [series("quick", 0.01, 0.02), series("merge", 2.0)], 0.009)
        == "sort: quick 15.0 ms, merge 2.00 s; 23 rounds, ±0.9%"
    )
    assert done_in_words("out of time", 1, [series("", 5.0, unit="B")], None) == "sort: 5 B; 1 round, out of time"
    assert done_in_words("all rounds", 2, [series("a")], None) == "sort: nothing measured; 2 rounds"
