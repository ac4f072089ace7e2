"""Progress of compiling: told on terminals only, not in the first second, and by no thread."""

import io
import threading

import pytest

from fake_terminal import TerminalText
from sonde.base.compilation_steps import COMPILATION, MACHINE_CODE, PROBES
from sonde.render.compiling import Compiling


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("sonde.render.compiling.time.monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return now


def lines(terminal: TerminalText) -> list[str]:
    """What was written over, one after the other."""
    return [each.rstrip() for each in terminal.getvalue().split("\r") if each.strip()]


def test_steps_are_told_with_what_is_left_and_are_gone_at_the_end(clock: list[float]) -> None:
    terminal, threads = TerminalText(), threading.active_count()
    with Compiling(COMPILATION, terminal) as steps:
        for at in (0.9, 1.1):
            clock[0] = at
            steps.tick()
        clock[0] = 3.0
        steps.done(1, 2)
        clock[0] = 6.0
        steps.begin(PROBES)
        clock[0] = 7.0
        steps.begin(MACHINE_CODE)
        assert threading.active_count() == threads  # programs would see that this process has had one
    assert lines(terminal) == [
        "sonde: compiling: front end, step 1 of 3",
        "sonde: compiling: front end, 1 of 2, step 1 of 3, about 7 s left",
        "sonde: compiling: probes, step 2 of 3, about 4 s left",
        "sonde: compiling: machine code, step 3 of 3, about 3 s left",
    ]
    assert terminal.getvalue().endswith(f"\r{' ' * 59}\r")


def test_what_is_compiled_within_a_second_is_not_told(clock: list[float]) -> None:
    terminal = TerminalText()
    with Compiling(COMPILATION, terminal) as steps:
        clock[0] = 0.6
        steps.begin(PROBES)
        clock[0] = 0.7
        steps.begin(MACHINE_CODE)
        clock[0] = 0.95
    assert terminal.getvalue() == ""


def test_what_llvm_takes_long_for_is_told_before_it_begins_as_nothing_is_written_meanwhile(clock: list[float]) -> None:
    terminal = TerminalText()
    with Compiling({"front end": 1.0, "machine code": 9.0}, terminal) as steps:
        clock[0] = 0.8
        steps.begin("machine code")
    assert lines(terminal) == ["sonde: compiling: machine code, step 2 of 2, about 7 s left"]


def test_warnings_stand_on_lines_of_their_own(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    terminal = TerminalText()
    with Compiling(COMPILATION, terminal) as steps:
        clock[0] = 2.0
        steps.tick()
        steps.say("prog.c:1: warning: unused")
        assert terminal.getvalue().endswith(f"\r{' ' * 40}\r")
    assert capsys.readouterr().err == "prog.c:1: warning: unused\n"


def test_nothing_is_written_to_what_is_no_terminal(clock: list[float]) -> None:
    stream = io.StringIO()
    with Compiling(COMPILATION, stream) as steps:
        clock[0] = 5.0
        steps.tick()
        steps.begin(MACHINE_CODE)
    assert stream.getvalue() == ""
