"""Units that a reader asks for, and what is said where none is left."""

import json
from pathlib import Path

import pytest

from graal_logs import call, root, unit, write_run
from report_json import all_rows, facts
from sonde.cli import main

FOO, BAR, LIST = "demo.Foo.foo()", "demo.Bar.bar()", "java.util.ArrayList.add(Object)"


@pytest.fixture
def run(tmp_path: Path) -> str:
    units = [unit(name, number, root(name)) for number, name in (("1", FOO), ("2", BAR), ("3", LIST))]
    return str(write_run(tmp_path / "run", units, {"1": 50, "2": 30, "3": 15}, total=100))


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main([*words, "--json"]) == 0
    return [row["method"]["name"] for row in all_rows(json.loads(capsys.readouterr().out), "units")]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ([], [FOO, BAR, LIST]),
        (["--mine"], [FOO, BAR]),
        (["--include", "*.Foo.*"], [FOO]),
        (["--include", "*Foo*", "--include", "*Bar*"], [FOO, BAR]),
        (["--exclude", "*.Foo.*"], [BAR, LIST]),
        (["--min-share", "20%"], [FOO, BAR]),
        (["--mine", "--min-share", "0.4"], [FOO]),
    ],
)
def test_units_that_fit_are_shown(
    run: str, capsys: pytest.CaptureFixture[str], words: list[str], left: list[str]
) -> None:
    assert shown(capsys, "decisions", "show", run, "--all", *words) == left


def test_view_hands_filters_over(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "view", run, "--include", "*Foo*", "--include", "*Bar*", "--min-share", "40%") == [FOO]


def test_what_leaves_nothing_is_refused_with_what_comes_near(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["show", run], ["diff", run, run]):
        assert main(["decisions", *words, "--include", "demo.Foo.fo()"]) == 2
        said = capsys.readouterr().err
        assert "cannot show only 'demo.Foo.fo()': no compilation unit is left" in said
        assert f"did you mean '{FOO}'" in said


def test_time_is_not_asked_of_runs_that_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "untimed", [unit(FOO, "1", root(FOO))], {})
    (folder / "profile.json").unlink()
    untimed = str(folder)
    for words in (["show", untimed], ["diff", untimed, untimed]):
        assert main(["decisions", *words, "--min-share", "1%"]) == 2
        assert "'untimed' has no times" in capsys.readouterr().err.replace(f"{tmp_path}/", "")


def test_who_called_a_unit_is_not_known(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", run, "--from", "main"]) == 2
    assert "unrecognized arguments: --from main" in capsys.readouterr().err


def test_profdiff_has_no_filters(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "show", run, "--format", "profdiff", "--mine"]) == 2
    assert "cannot leave out units as profdiff does" in capsys.readouterr().err


def test_groups_are_compared_in_units_that_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both methods inline a call in all fast runs and in no slow one."""
    sides: dict[str, list[str]] = {"fast": [], "slow": []}
    for side, paths in sides.items():
        for number in range(4):
            units = [
                unit(name, place, root(name, call(callee, 3, "inlined" if side == "fast" else "direct")))
                for name, place, callee in ((FOO, "1", "demo.A.a()"), (LIST, "2", "demo.B.b()"))
            ]
            paths.append(str(write_run(tmp_path / f"{side}{number}", units, {"1": 50, "2": 40}, total=100)))
    words = ["decisions", "consistent", "--fast", *sides["fast"], "--slow", *sides["slow"], "--hot-min-limit", "2"]

    for more, found in (
        ([], {FOO, LIST}),
        (["--mine"], {FOO}),
        (["--include", "*ArrayList*"], {LIST}),
        (["--exclude", "*.Foo.*"], {LIST}),
    ):
        assert main([*words, *more, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        rows = [*all_rows(data, "findings")]
        assert {row["subject"]["enclosing"] for row in rows if row["about"] == "call"} == found
        if more:
            assert facts(data, "selection")["selection"]
    assert main([*words, "--include", "demo.Foo.fo()"]) == 2
    said = capsys.readouterr().err
    assert "cannot show only 'demo.Foo.fo()': no compilation unit" in said and f"did you mean '{FOO}'" in said
