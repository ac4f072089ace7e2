"""Stages of long work: which one it is and how long it takes to the end, on terminals only."""

import io
import time

import pytest

from fake_terminal import TerminalText
from sonde.render.stages import Stages

SHARES = {"reading": 1.0, "aligning": 2.0, "telling": 7.0}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("sonde.render.stages.time.monotonic", lambda: now[0])
    return now


def test_what_is_left_is_estimated_by_what_is_done(clock: list[float]) -> None:
    with Stages("comparing", SHARES, stream=io.StringIO()) as stages:
        assert stages.text(0.9) is None
        assert stages.text(2.0) == "comparing: reading, step 1 of 3"
        clock[0] = 3.0
        stages.begin("aligning")
        assert stages.text(3.0) == "comparing: aligning, step 2 of 3, about 27 s left"
        assert stages.text(5.0) == "comparing: aligning, step 2 of 3, about 25 s left"
        # It takes twice as long as expected, and so may the rest.
        assert stages.text(15.0) == "comparing: aligning, step 2 of 3, about 35 s left"
        clock[0] = 9.0
        stages.begin("telling")
        assert stages.text(9.0) == "comparing: telling, step 3 of 3, about 21 s left"
        assert stages.text(30.0) == "comparing: telling, step 3 of 3"


def test_what_was_done_before_is_known(clock: list[float]) -> None:
    with Stages("merging", {"adding": 1.0, "writing": 1.0}, before=(2.0, 60.0), stream=io.StringIO()) as stages:
        assert stages.text(1.0) == "merging: adding, step 1 of 2, about 59 s left"
        stages.begin("writing")
        assert stages.text(100.0) == "merging: writing, step 2 of 2"


def test_a_stage_that_is_left_out_costs_nothing(clock: list[float]) -> None:
    with Stages("comparing", SHARES, stream=io.StringIO()) as stages:
        clock[0] = 30.0
        stages.begin("telling")
        assert stages.text(30.0) == "comparing: telling, step 3 of 3, about 70 s left"


def test_parts_of_a_stage_are_counted_as_they_are_gone_through_for_the_first_time(clock: list[float]) -> None:
    seen = []
    with Stages("comparing", {"reading": 8.0, "judging": 2.0}, stream=io.StringIO()) as stages:
        parts = stages.counted("abcd")
        assert (len(parts), parts[1], parts[1:3]) == (4, "b", "bc")
        for _ in parts:
            seen.append(stages.text(clock[0]))
            clock[0] += 8.0
        assert [*parts] == ["a", "b", "c", "d"]
        stages.begin("judging")
        seen.append(stages.text(32.0))
    assert seen == [
        None,
        "comparing: reading, 1 of 4, step 1 of 2, about 32 s left",
        "comparing: reading, 2 of 4, step 1 of 2, about 24 s left",
        "comparing: reading, 3 of 4, step 1 of 2, about 16 s left",
        "comparing: judging, step 2 of 2, about 8 s left",
    ]


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_the_line_is_gone_at_the_end_also_of_an_error(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sonde.render.stage_estimate.FIRST_S", 0.0)
    monkeypatch.setattr("sonde.render.stages._EVERY_S", 0.001)
    terminal = TerminalText()
    with pytest.raises(KeyboardInterrupt):
        _interrupted(terminal, is_shown=term == "xterm")
    text = terminal.getvalue()
    if term == "dumb":
        assert text == ""
    else:
        line = "comparing: reading, step 1 of 3"
        assert text.startswith(f"\r{line}") and text.endswith(f"\r{' ' * len(line)}\r")


def _interrupted(terminal: TerminalText, *, is_shown: bool) -> None:
    with Stages("comparing", SHARES, stream=terminal):
        while is_shown and not terminal.getvalue():
            time.sleep(0.001)
        raise KeyboardInterrupt
