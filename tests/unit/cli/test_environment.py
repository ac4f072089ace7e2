"""Environment variables: those that the code uses are those that the page tells of, and the other way round."""

import re
from pathlib import Path

import pytest

from sonde.cli.environment import VARIABLES, environment_help
from sonde.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "environment.md"
FOLDERS = ("src", "native", "tests", "benches", "examples", ".ci")
# A name in quotes, of a shell, or set before a command: no macro of C, constant, or word in prose.
USED = re.compile(r"""["'$]\{?\#?(SONDE_[A-Z_]+)\b|\b(SONDE_[A-Z_]+)=""")
NO_VARIABLES = {"SONDE_OPEN_WINDOW", "SONDE_CLOSE_WINDOW", "SONDE_SAMPLE"}
"""Macros of C, and a constant in an `__all__`."""


def _users_table() -> str:
    rows = [
        f"| {', '.join(f'`{name}`' for name in each.name.split(', '))} | {each.default} | {each.verbs} | {each.about} |"
        for each in VARIABLES
    ]
    return "\n".join(["| variable | default | matters to | what it does |", "|---|---|---|---|", *rows])


def test_every_variable_that_is_used_is_on_the_page_and_no_other() -> None:
    used = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".c", ".h", ".sh") and path != Path(__file__):
                used |= {one or other for one, other in USED.findall(path.read_text(encoding="utf-8"))}
    told = set(re.findall(r"^\| `(SONDE_[A-Z_]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))

    assert used - NO_VARIABLES == told


def test_the_page_has_the_table_of_the_help() -> None:
    assert _users_table() in PAGE.read_text(encoding="utf-8")


def test_help_tells_of_every_variable_within_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    assert main(["help", "environment"]) == 0

    told = capsys.readouterr().out
    assert told == environment_help() + "\n"
    assert all(each.name in told for each in VARIABLES)
    assert [line for line in told.splitlines() if len(line) > 80] == []
