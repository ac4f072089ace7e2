"""Which code `sonde view` shows: filters of the command line, and what they leave."""

import json
from pathlib import Path

import pytest

from report_json import all_rows
from sonde.cli import main
from sonde.instruments.contexts import kind
from sonde.instruments.contexts.profile import Function, write_profile
from tree_builder import profile_of

_LIBRARY = "/usr/lib/python3.12"
_FUNCTIONS = {
    "bootstrap": Function("Thread._bootstrap", "threading", f"{_LIBRARY}/threading.py", 1002),
    "loads": Function("loads", "json", f"{_LIBRARY}/json/__init__.py", 299),
    "hook": Function("hook", "app", "/home/ada/app.py", 40),
    "main": Function("main", "app", "/home/ada/app.py", 4),
    "wait": Function("Condition.wait", "threading", f"{_LIBRARY}/threading.py", 323),
    "find": Function("_find_and_load", "importlib._bootstrap", "<frozen importlib._bootstrap>", 1165),
    "plugin": Function("<module>", "plugin", "/home/ada/plugin.py", 1, "module"),
}
_RUN = """
bootstrap 50
  main @7 100
    loads @5 300 x3
      hook @9 200 x6
    loads @6 40
      hook @9 60
    wait @8 70
    find @2 80
      plugin @1 100
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.sonde"
    write_profile(path, profile_of(_RUN, functions=_FUNCTIONS))
    return path


def shown(run: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["view", str(run), *words]) == 0
    return capsys.readouterr().out


def own_of(text: str, name: str) -> str:
    table = text.split("hottest functions")[1]
    return next(
        line.split("%")[0].rpartition("  ")[0].strip() for line in table.splitlines() if f"  {name} " in f"{line} "
    )


def test_code_of_the_project_has_what_libraries_took(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(run, capsys, "--mine")
    assert "code of this project · time and calls of other code count for its callers" in text
    assert [own_of(text, name) for name in ("main", "hook", "(waiting)", "(imports of 1 module)", "(elsewhere)")] == [
        "440 ns",
        "260 ns",
        "70 ns",
        "180 ns",
        "50 ns",
    ]
    assert "hook from line 5" in text
    assert "hook from line 6" in text
    assert "loads" not in text


def test_patterns_leave_code_out(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert own_of(shown(run, capsys, "--exclude", "hook"), "loads") == "600 ns"
    text = shown(run, capsys, "--include", "json", "--include", "hook")
    assert own_of(text, "loads") == "340 ns"
    assert "only 'json', 'hook'" in text


def test_filters_go_together(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(run, capsys, "--from", "loads", "--mine")
    assert own_of(text, "hook") == "260 ns"
    assert own_of(text, "(elsewhere)") == "340 ns"


def test_imports_are_shown_on_request(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert own_of(shown(run, capsys, "--imports"), "<module plugin>") == "100 ns"
    assert own_of(shown(run, capsys, "--mine", "--imports"), "<module plugin>") == "100 ns"
    assert "plugin" not in shown(run, capsys)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--include", "laods"], "did you mean 'loads'"),
        (["--include", "plugin"], "add --imports"),
        (["--from", "hok"], "did you mean 'hook'"),
    ],
)
def test_filters_that_leave_nothing_are_refused(
    run: Path, words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(run), *words]) == 2
    captured = capsys.readouterr()
    assert (captured.out, hint in captured.err) == ("", True)


def test_of_a_large_profile_functions_are_summed_over_all_its_contexts(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = {name: own_of(shown(run, capsys), name) for name in ("loads", "hook", "(waiting)")}
    monkeypatch.setattr(kind, "HEAVIEST", 2)
    text = shown(run, capsys, "--rows", "1")
    assert "'total' is from the heaviest contexts alone" in text
    assert {name: own_of(text, name) for name in whole} == whole
    assert own_of(text, "(imports)") == "180 ns"


def test_data_have_the_contexts_as_they_were_counted(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(shown(run, capsys, "--json"))
    labels = [row["function"]["label"] for row in all_rows(data, "unfolded_contexts")]
    assert "<module plugin>" in labels
