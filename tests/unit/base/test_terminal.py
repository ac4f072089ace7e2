"""The one rule for colours, and for lines that are written over."""

import io

import pytest

from fake_terminal import TerminalText
from sonde.base.terminal import can_write_over, columns_of, wants_colour


@pytest.mark.parametrize(
    ("variables", "on_terminal", "in_file"),
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR": "1"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
    ],
)
def test_colours_are_for_terminals_unless_somebody_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], on_terminal: bool, in_file: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert (wants_colour(TerminalText()), wants_colour(io.StringIO())) == (on_terminal, in_file)


def test_lines_are_written_over_on_a_terminal_that_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = []
    for term in ("xterm", "dumb", ""):
        monkeypatch.setenv("TERM", term)
        told.append((can_write_over(TerminalText()), can_write_over(io.StringIO())))

    assert told == [(True, False), (False, False), (False, False)]


def test_width_is_what_columns_says_else_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert columns_of(io.StringIO()) == 40

    monkeypatch.setenv("COLUMNS", "wide")
    assert columns_of(io.StringIO(), 100) == 100
