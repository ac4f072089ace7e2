"""`sonde diff`: exit codes, data, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from report_json import facts, notices, table
from sonde.cli import main
from sonde.instruments.contexts.profile import Approximation, write_profile
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
    assert (data["schema"], data["kind"], data["changed"]) == ("sonde.report/1", "contexts-diff", True)
    assert facts(data, "measure")["metric"] == "calls"
    assert table(data, "functions")[0]["function"]["label"] == "token"


def test_times_that_were_not_measured_are_refused_with_a_way_out(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = tmp_path / "counted.sonde"
    write_profile(counted, profile_of(BASE, clock="none"))
    assert main(["diff", runs[0], str(counted), "--metric", "time"]) == 2
    assert "--metric calls" in capsys.readouterr().err


def test_unknown_normalisations_are_usage_errors(runs: tuple[str, str]) -> None:
    assert main(["diff", *runs, "--normalise", "speed"]) == 2


@pytest.fixture
def exact_and_approximate(tmp_path: Path) -> tuple[str, str]:
    exact, approximate = tmp_path / "exact.sonde", tmp_path / "approx.sonde"
    write_profile(exact, profile_of(BASE))
    bounds = Approximation(metric="calls", phi=0.1, epsilon=0.01, floor=3, counters=100)
    without_write = profile_of(BASE.rpartition("\n")[0])
    write_profile(approximate, replace(without_write, approximation=bounds, pruned_root_calls=3))
    return str(exact), str(approximate)


def test_accuracy_is_told_and_is_exit_code_zero(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", "--accuracy", *exact_and_approximate]) == 0

    text = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any({"found", "1", "33.3%"} <= {*line.split()} for line in lines)  # main and parse lead to token
    assert any({"overlap", "99.7%", "calls,"} <= {*line.split()} for line in lines)
    assert "of all contexts, listed or not, 0 break the bounds stated" in lines
    assert any(line.startswith("0.05 1 0 3") for line in lines)


def test_accuracy_as_json(exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--accuracy", *exact_and_approximate, "--json", "--phi", "50%,0.2"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "accuracy")
    assert (facts(data, "judged_at")["judged_phi"], facts(data, "bounds")["violations"]) == (0.5, 0)
    assert [point["phi"] for point in table(data, "curve")] == [0.5, 0.2]


def test_options_of_one_comparison_are_refused_in_the_other(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, code, said in (
        (["--accuracy", *exact_and_approximate, "--metric", "calls"], 2, "cannot use --metric with --accuracy"),
        ([*exact_and_approximate, "--phi", "0.1"], 2, "cannot use --phi without --accuracy"),
        (["--accuracy", *exact_and_approximate, "--phi", "0"], 2, "not a list of shares above 0"),
        (["--accuracy", *reversed(exact_and_approximate)], 2, "it is approximate itself"),
    ):
        assert main(["diff", *words]) == code
        assert said in capsys.readouterr().err


def test_a_difference_to_an_approximate_profile_says_so(
    exact_and_approximate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *exact_and_approximate, "--metric", "calls", "--json"]) in (0, 1)

    said = [note["text"] for note in notices(json.loads(capsys.readouterr().out))]
    assert any(text.startswith("second profile: ") and "too low" in text for text in said)
