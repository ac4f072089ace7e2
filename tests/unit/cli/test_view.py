"""`sonde view`: text, data, pages, and what is refused."""

import json
from pathlib import Path

import pytest

from report_json import all_rows, facts
from sonde.cli import main
from sonde.instruments.contexts.profile import write_profile
from tree_builder import profile_of

BUSY = "main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.sonde"
    write_profile(path, profile_of(BUSY))
    return path


def test_a_profile_is_printed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run)]) == 0
    out = capsys.readouterr().out
    assert "calling contexts" in out
    assert "token" in out


def test_shares_may_be_written_as_percentages(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--min-share", "49%", "--functions", "0"]) == 0
    assert "write" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["--min-share", "7"], ["--min-share", "nan"], ["--min-share", "x"], ["--rows", "0"], ["--functions", "-1"]],
)
def test_impossible_limits_are_usage_errors(run: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), *words]) == 2
    assert words[1] in capsys.readouterr().err


def test_json_has_a_schema_and_the_same_content(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "contexts")
    labels = [each["function"]["label"] for each in all_rows(data, "unfolded_contexts")]
    assert labels == ["main", "parse", "token", "write"]
    assert facts(data, "run") == {"calls": 1005, "in_threads": 1000, "contexts": 4, "ended": "exited 0"}


def test_markdown_has_the_same_content(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--markdown"]) == 0
    assert "| &emsp;token | 500 ns  50.0% | 500 ns | 1,000 | app.py:300 |" in capsys.readouterr().out
    assert main(["view", str(run), "--markdown", "--json"]) == 2


def test_from_shows_one_function_by_its_last_name(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--from", "parse"]) == 0
    out = capsys.readouterr().out
    assert "from 'parse': 52.0%" in out
    assert "main" not in out
    assert "write" not in out


def test_an_unknown_function_names_near_ones(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--from", "tokne"]) == 2
    assert "did you mean 'token'" in capsys.readouterr().err


def test_a_page_is_written_whole_and_not_over_another(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = run.with_name("run.html")
    assert main(["view", str(run), "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert capsys.readouterr().out == ""
    assert main(["view", str(run), "--html", str(page)]) == 2
    assert main(["view", str(run), "--html", str(page), "--force"]) == 0
    assert sorted(each.name for each in run.parent.iterdir()) == ["run.html", "run.sonde"]


def test_a_page_that_cannot_be_written_is_an_error(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run), "--html", "/dev/full"]) == 1
    assert "No space left on device" in capsys.readouterr().err


def test_a_page_and_data_at_once_are_refused(run: Path) -> None:
    assert main(["view", str(run), "--json", "--html", str(run.with_name("run.html"))]) == 2


def test_a_missing_profile_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path / "no.sonde")]) == 1
    assert "no such file" in capsys.readouterr().err
