"""Groups of memory profiles are compared by what functions missed."""

import json
from pathlib import Path

import pytest

from made_memory_profiles import I1, Accesses, made_profile, native_function, python_function
from report_json import all_rows
from sonde.base.errors import InputError
from sonde.cli.main import main
from sonde.instruments.memory.profile import MemoryProfile, write_memory_profile
from sonde.instruments.memory.profile.group_figures import memory_figures
from sonde.instruments.memory.profile.memory_profile import MemoryType

EVAL = native_function("eval", "ceval.c", 1)
LIST = MemoryType("object", "list")


def run_with(scan: int, sort: int) -> MemoryProfile:
    """A run in which two functions miss the last level so often."""
    return made_profile(
        [
            Accesses((python_function(name, 1, "/app/a.py"), 2), ((EVAL, 1),), LIST, None, 9000, 0, (misses, misses))
            for name, misses in (("scan", scan), ("sort", sort))
        ]
    )


def test_figures_are_of_python_functions_by_misses_or_accesses() -> None:
    profiles = [run_with(100, 50), run_with(110, 60)]

    by_misses, by_accesses = (memory_figures(profiles, ("a", "b"), level) for level in (1, -1))

    assert [dict(zip((f.name for f in run.functions), run.own, strict=True)) for run in by_misses.runs] == [
        {"scan": 100, "sort": 50},
        {"scan": 110, "sort": 60},
    ]
    assert [run.total for run in by_misses.runs] == [150, 170]
    assert [run.total for run in by_accesses.runs] == [18_000, 18_000]
    assert (by_misses.measure.what, by_accesses.measure.what) == ("L2 misses", "accesses")


def test_runs_with_other_levels_are_refused() -> None:
    counted = made_profile([], caches=(I1,))
    with pytest.raises(InputError, match="cannot compare 'a' with 'b'"):
        memory_figures([run_with(1, 1), counted], ("a", "b"), 1)


def test_what_misses_more_beyond_noise_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        write_memory_profile(Path(f"a{number}.sonde"), run_with(100 + number, 400 - number))
        write_memory_profile(Path(f"b{number}.sonde"), run_with(200 - number, 400 + number % 3))
    sides = [[f"{side}{number}.sonde" for number in range(5)] for side in "ab"]

    assert main(["diff", *sides[0], "--against", *sides[1]]) == 1
    assert "1 of 2 functions changed: scan has 1.94 times" in capsys.readouterr().out
    assert main(["diff", *sides[0], "--against", *sides[1], "--sort", "accesses"]) == 0


def test_groups_are_compared_in_functions_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        write_memory_profile(Path(f"a{number}.sonde"), run_with(100 + number, 800 - number))
        write_memory_profile(Path(f"b{number}.sonde"), run_with(200 - number, 400 + number % 3))
    words = ["diff", *(f"a{number}.sonde" for number in range(5)), "--against"]
    words += [f"b{number}.sonde" for number in range(5)]

    for more, changed in ([], {"scan", "sort"}), (["--exclude", "sort"], {"scan"}), (["--min-share", "50%"], {"sort"}):
        assert main([*words, *more, "--json"]) == 1
        told = all_rows(json.loads(capsys.readouterr().out), "functions")
        assert {row["function"]["name"] for row in told} == changed
    for more in (["--include", "scam"], ["--min-share", "90%"]):
        assert main([*words, *more]) == 2
        assert "cannot show" in capsys.readouterr().err
