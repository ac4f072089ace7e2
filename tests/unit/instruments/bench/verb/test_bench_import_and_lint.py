"""`sonde bench import` and `sonde bench lint`: what they print, write, and refuse."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from measurement_samples import MEASUREMENTS
from report_json import all_rows, facts, notices
from sonde.cli import main
from sonde.instruments.bench.results_file import read_results

BEFORE, AFTER = str(MEASUREMENTS / "pyperf" / "before.json"), str(MEASUREMENTS / "pyperf" / "after.json.gz")
COMMANDS = str(MEASUREMENTS / "hyperfine" / "version_1_15.json")
JMH = str(MEASUREMENTS / "jmh" / "results.json")


def comparisons(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """All of them, in their order."""
    found = [row for block in answer["blocks"] if block["key"] in VERDICTS and "rows" in block for row in block["rows"]]
    return sorted(found, key=lambda row: int(row["number"]))


VERDICTS = ("worse", "better", "unclear", "same")

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_file_with_alternatives_is_judged(capsys: Capture) -> None:
    assert main(["bench", "import", COMMANDS, "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    (comparison,) = comparisons(data)
    assert (data["schema"], data["kind"]) == ("sonde.report/1", "bench")
    assert (comparison["first_name"], comparison["second_name"]) == ("python3.11 a.py", "python3.11 b.py")


def test_several_files_are_alternatives_with_names(capsys: Capture) -> None:
    assert main(["bench", "import", BEFORE, AFTER, "--name", "old", "--name", "new", "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [(each["benchmark"], each["first_name"], each["second_name"]) for each in comparisons(data)] == [
        ("sort", "old", "new"),
        ("slices", "old", "new"),
    ]


def test_the_report_says_which_tool_measured_and_what_was_not_used(capsys: Capture) -> None:
    assert main(["bench", "import", BEFORE, AFTER, "-v"]) == 0

    out = capsys.readouterr().out
    assert "pyperf 2.10.0" in out and "sort" in out and "only calibrated" in out


def test_what_is_written_is_what_was_read(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "kept.sonde"
    assert main(["bench", "import", BEFORE, AFTER, "-o", str(path)]) == 0

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2 benchmarks · 4 series · 40 invocations · 280 values" in captured.err
    assert "measured by pyperf 2.10.0" in captured.err
    assert "! not used: before: 2 runs of pyperf that only calibrated" in captured.err
    assert f"look at it with: sonde bench show {path}\n" in captured.err
    kept = read_results(path)
    assert [(each.benchmark, each.alternative) for each in kept.series] == [
        ("sort", "before"),
        ("slices", "before"),
        ("sort", "after"),
        ("slices", "after"),
    ]
    assert kept.provenance.tool == "pyperf 2.10.0"
    assert main(["bench", "show", str(path)]) == 0


def test_nothing_is_overwritten_without_force(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "kept.sonde"
    path.write_text("precious")

    assert main(["bench", "import", BEFORE, "-o", str(path)]) == 2
    assert path.read_text() == "precious" and "--force" in capsys.readouterr().err
    assert main(["bench", "import", BEFORE, "-o", str(path), "--force", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    written = facts(data, "written")
    assert (data["schema"], data["kind"], data["title"]) == ("sonde.report/1", "bench-import", str(path))
    assert (written["benchmarks"], written["values"]) == (2, 140)
    assert [notice["text"] for notice in notices(data)] == [
        "not used: 2 runs of pyperf that only calibrated, without values"
    ]


def test_a_name_for_a_single_file_is_that_of_its_alternative(tmp_path: Path) -> None:
    path = tmp_path / "kept.sonde"

    assert main(["bench", "import", BEFORE, "--name", "CPython", "-o", str(path)]) == 0
    assert {each.alternative for each in read_results(path).series} == {"CPython"}


@pytest.mark.parametrize("names", [["one"], ["one", "one"], ["one", "two", "three"]])
def test_names_are_one_for_each_file(names: list[str], capsys: Capture) -> None:
    words = [word for name in names for word in ("--name", name)]

    assert main(["bench", "import", BEFORE, AFTER, *words]) == 2
    assert "cannot name 2 files" in capsys.readouterr().err


@pytest.mark.parametrize("question", ["import", "lint"])
def test_what_cannot_be_read_is_told_in_one_line_and_a_hint(question: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "x.json"
    path.write_text(Path(BEFORE).read_text()[:3000])

    assert main(["bench", question, str(path)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"sonde: cannot read results '{path}': its JSON is broken at line 1, column ")
    assert "\nhint: the end is missing" in err


def test_where_processes_are_not_told_apart_nothing_is_claimed(capsys: Capture) -> None:
    path = str(MEASUREMENTS / "pytest-benchmark" / "results.json")

    assert main(["bench", "import", path, "--json"]) == 0
    careful = json.loads(capsys.readouterr().out)
    assert main(["bench", "import", path, "--json", "--assume-independent"]) == 0
    bold = json.loads(capsys.readouterr().out)

    assert {each["verdict"] for each in comparisons(careful)} == {"unclear"}
    assert {each["verdict"] for each in comparisons(bold)} == {"worse"}


def test_lint_puts_practices_beside_what_is_established(capsys: Capture) -> None:
    assert main(["bench", "lint", COMMANDS]) == 0

    out = capsys.readouterr().out
    assert "commands, python3.11 b.py against python3.11 a.py: " in out and "\nestablished\n" in out
    assert "one run" in out
    assert "misleading: it claims a difference that is not established" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_answers_are_markdown_when_asked_but_not_json_too(capsys: Capture) -> None:
    for question in ("show", "lint", "import"):
        assert main(["bench", question, COMMANDS, "--markdown"]) == 0
        assert "| " in capsys.readouterr().out
        assert main(["bench", question, COMMANDS, "--markdown", "--json"]) == 2
        assert "--json and --markdown exclude each other" in capsys.readouterr().err


def test_lint_of_two_files_compares_them(capsys: Capture) -> None:
    assert main(["bench", "lint", BEFORE, AFTER, "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert (data["kind"], facts(data)["resamples"]) == ("bench-lint", 1000)
    assert [each["benchmark"] for each in all_rows(data, "comparisons")] == ["sort", "slices"]
    (pooled,) = (claim for claim in all_rows(data, "claims-1") if claim["practice"] == "t test, all values")
    assert (pooled["says"], pooled["says_ignoring_small"]) == ("worse", "worse")  # as pyperf compare_to says


def test_lint_of_one_alternative_shows_what_would_have_been_reported(capsys: Capture) -> None:
    assert main(["bench", "lint", BEFORE]) == 0

    out = capsys.readouterr().out
    assert "24.4" in out and "mean, established" in out and "of the interval" in out
    assert max(map(len, out.splitlines())) <= 80


def test_lint_of_many_comparisons_counts(tmp_path: Path, capsys: Capture) -> None:
    copy = tmp_path / "copy.json"
    shutil.copy(JMH, copy)
    assert main(["bench", "lint", JMH, str(copy)]) == 0

    out = capsys.readouterr().out
    assert " comparisons  established: " in out
    assert "differences below 2% ignored" in out and "right  indicative  misleading  incorrect" in out
    assert max(map(len, out.splitlines())) <= 80


def test_help_needs_neither_numpy_nor_a_file(capsys: Capture) -> None:
    for question in ("import", "lint"):
        assert main(["bench", question, "--help"]) == 0
    assert "pytest-benchmark" in capsys.readouterr().out


def test_one_is_told_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.csv").write_text("alternative,invocation,value\na,1,1\n")

    assert main(["bench", "import", str(tmp_path / "one.csv"), "-o", str(tmp_path / "one.sonde")]) == 0
    assert "1 benchmark · 1 series · 1 invocation · 1 value" in capsys.readouterr().err
    assert main(["bench", "import", str(tmp_path / "one.csv"), "--name", "a", "--name", "b"]) == 2
    assert "cannot name 1 file 'a', 'b'" in capsys.readouterr().err


def test_a_database_of_another_program_is_not_recommended_for_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as db:
        db.execute("CREATE TABLE a (b)")

    assert main(["bench", "show", str(tmp_path / "x.db")]) == 1
    assert "bench import" not in capsys.readouterr().err
