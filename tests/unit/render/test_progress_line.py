"""How far something long is: one line that goes away, on terminals only."""

import io
from itertools import count

import pytest

from fake_terminal import TerminalText
from sonde.render.progress_line import ProgressLine


@pytest.fixture(autouse=True)
def _terminal_of_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def test_progress_is_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: float(next(seconds)))
    progress = ProgressLine("compared", terminal := TerminalText())

    for done in (999, 1000, 7):
        progress(done, 2000)
    progress.close()

    wide, wider = "compared 1,000 of 2,000, about 2 s left", "compared 7 of 2,000, about 14 min left "
    assert terminal.getvalue() == f"\rcompared 999 of 2,000\r{wide}\r{wider}\r{' ' * len(wider.rstrip())}\r"


def test_progress_does_not_write_more_often_than_one_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: 1.0)
    progress = ProgressLine("compared", terminal := TerminalText())

    progress(1, 2)
    progress.close()

    assert terminal.getvalue() == ""


def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: now[0])
    progress = ProgressLine("compared", terminal := TerminalText())
    for now[0] in (0.2, 0.9):
        progress(1, 2)
    assert terminal.getvalue() == ""


def test_of_how_many_need_not_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(step=5)
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: float(next(seconds)))
    progress = ProgressLine("read", terminal := TerminalText())
    progress(1234, None)
    assert terminal.getvalue() == "\rread 1,234"


def test_progress_is_not_for_files() -> None:
    progress = ProgressLine("compared", stream := io.StringIO())
    for done in range(10):
        progress(done, 10)
    progress.close()
    assert stream.getvalue() == ""


def test_progress_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: float(next(seconds)))
    monkeypatch.setenv("COLUMNS", "40")
    progress = ProgressLine("very much of something long was compared", terminal := TerminalText())

    progress(999, 2000)

    assert max(map(len, terminal.getvalue().split("\r"))) < 40


def test_no_progress_where_nothing_can_be_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("sonde.render.progress_line.time.monotonic", lambda: float(next(seconds)))
    told = []
    for term, stream in (("dumb", TerminalText()), ("xterm", io.StringIO())):
        monkeypatch.setenv("TERM", term)
        ProgressLine("compared", stream)(1, 2)
        told.append(stream.getvalue())

    assert told == ["", ""]
