"""`sonde diff`: exit codes, data, and what is refused."""

import json
from pathlib import Path

import pytest

from sonde.cli import main
from sonde.profiles import write_profile
from tree_builder import profile_of

BASE = "main 10\n  parse @101 20\n    token @201 500 x1000\n  write @102 470 x3"


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    before, after = tmp_path / "before.sonde", tmp_path / "after.sonde"
    write_profile(before, profile_of(BASE))
    write_profile(after, profile_of(BASE.replace("500 x1000", "900 x2000")))
    return str(before), str(after)


def test_differences_are_exit_code_one(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *runs]) == 1
    assert "▲ token" in capsys.readouterr().out


def test_no_differences_are_exit_code_zero(runs: tuple[str, str]) -> None:
    assert main(["diff", runs[0], runs[0]]) == 0
    assert main(["diff", *runs, "--min-change", "60%"]) == 0


def test_json_has_a_schema_and_says_whether_anything_changed(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *runs, "--json", "--metric", "calls"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "sonde.diff/1"
    assert (data["changed"], data["metric"], data["unit"]) == (True, "calls", "calls")
    assert data["functions"][0]["label"] == "token"


def test_times_that_were_not_measured_are_refused_with_a_way_out(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = tmp_path / "counted.sonde"
    write_profile(counted, profile_of(BASE, clock="none"))
    assert main(["diff", runs[0], str(counted), "--metric", "time"]) == 1
    assert "--metric calls" in capsys.readouterr().err


def test_unknown_normalisations_are_usage_errors(runs: tuple[str, str]) -> None:
    assert main(["diff", *runs, "--normalise", "speed"]) == 2
