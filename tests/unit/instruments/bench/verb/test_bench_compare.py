"""`sonde bench compare`: which files are which side, and what several of one side are."""

import json
from pathlib import Path
from typing import Any

import pytest

from measurement_samples import MEASUREMENTS
from sonde.cli import main

BEFORE, AFTER = str(MEASUREMENTS / "pyperf" / "before.json"), str(MEASUREMENTS / "pyperf" / "after.json.gz")

Capture = pytest.CaptureFixture[str]


def google(folder: Path, name: str, factor: float) -> list[str]:
    """Files of a tool that measures in one process, of which values differ a little."""
    paths = []
    for number in range(20):
        runs = [
            {"name": "BM_A", "iterations": 1, "time_unit": "ns", "real_time": factor * (100 + (number * 7 + each) % 5)}
            for each in range(3)
        ]
        path = folder / f"{name}-{number}.json"
        path.write_text(json.dumps({"context": {}, "benchmarks": runs}))
        paths.append(str(path))
    return paths


def answer(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def series(found: dict[str, Any]) -> list[dict[str, Any]]:
    (rows,) = (block["rows"] for block in found["blocks"] if block["key"] == "series")
    return list(rows)


def test_two_files_mean_the_same_with_against_and_wherever_options_stand(capsys: Capture) -> None:
    assert main(["bench", "compare", BEFORE, AFTER, "--json"]) == 0
    plain = answer(capsys)
    assert main(["bench", "compare", BEFORE, "--against", AFTER, "--json"]) == 0

    assert answer(capsys) == plain
    assert main(["bench", "compare", BEFORE, "--json", AFTER]) == 0
    assert answer(capsys) == plain


def test_files_of_each_side_are_one_sample(tmp_path: Path, capsys: Capture) -> None:
    old, new = google(tmp_path, "old", 1.0), google(tmp_path, "new", 1.5)

    assert main(["bench", "compare", *old, "--against", *new, "--json"]) == 1

    assert [len(row["invocations"]) for row in series(answer(capsys))] == [20, 20]


def test_one_file_of_each_side_tells_nothing_of_other_processes(tmp_path: Path, capsys: Capture) -> None:
    old, new = google(tmp_path, "old", 1.0), google(tmp_path, "new", 1.5)

    assert main(["bench", "compare", old[0], new[0]]) == 0

    assert "cannot say" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ([BEFORE], "cannot compare 1 file: two are compared, or two sets of files"),
        ([BEFORE, AFTER, BEFORE], "cannot compare 3 files"),
        ([BEFORE, BEFORE, "--against", AFTER], "twice on one side: the same processes would count twice"),
    ],
)
def test_sides_that_are_none_are_refused(words: list[str], fact: str, capsys: Capture) -> None:
    assert main(["bench", "compare", *words]) == 2

    assert fact in capsys.readouterr().err
