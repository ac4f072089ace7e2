"""A kind of profile from a plug-in is viewed, compared, merged, exported and recovered without a line elsewhere."""

import json
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from test_toy_plugin import TOY, publish

from report_json import facts, table
from sonde.cli.main import main
from sonde.code import Function
from sonde.evidence import Loss
from sonde.store.run_folder import RunFolder, live_folder

WALK, RUN = (Function(name, "", "toy.py", line) for name, line in (("walk", 1), ("run", 9)))


@pytest.fixture
def steps(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The plug-in's module, installed as its pyproject.toml says."""
    packages = tmp_path_factory.mktemp("packages")
    project = tomllib.loads((TOY / "pyproject.toml").read_text())["project"]
    publish(packages, project["name"], project["entry-points"]["sonde.plugins"])
    monkeypatch.syspath_prepend(TOY)
    monkeypatch.syspath_prepend(packages)
    import sonde_toy.steps

    return sonde_toy.steps


@pytest.fixture
def file(steps: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lost = (Loss("steps-missed", 2, "two steps were too quick"),)
    steps.write_steps(Path("a.sonde"), steps.StepProfile(("toy", "one"), {WALK: 30, RUN: 10}, lost))
    steps.write_steps(Path("b.sonde"), steps.StepProfile(("toy", "one"), {WALK: 30, RUN: 25}))
    return tmp_path / "a.sonde"


@pytest.mark.usefixtures("file")
def test_it_has_all_four_renderings(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    assert main(["view", "a.sonde"]) == 0
    text = capsys.readouterr().out
    assert main(["view", "a.sonde", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert main(["view", "a.sonde", "--markdown"]) == 0
    markdown = capsys.readouterr().out
    assert main(["view", "a.sonde", "--html", "a.html"]) == 0

    assert text.startswith("toy one\n40 steps\n") and text.endswith("\n! two steps were too quick (steps-missed: 2)\n")
    assert "   30  75.0%  walk  toy.py:1\n" in text
    assert facts(data) == {"steps": 40}
    assert [(row["steps"], row["function"]["name"]) for row in table(data, "functions")] == [(30, "walk"), (10, "run")]
    assert "| walk | 30  75.0% |" in markdown
    assert '"walk"' in Path("a.html").read_text(encoding="ascii")


@pytest.mark.usefixtures("file")
def test_options_are_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a.sonde", "--rows", "1"]) == 0
    assert "… 1 more function" in capsys.readouterr().out

    assert main(["view", "a.sonde", "--sort", "D1"]) == 2
    assert "cannot use --sort on 'a.sonde': it holds a profile of steps" in capsys.readouterr().err


@pytest.mark.usefixtures("file")
def test_groups_of_it_are_compared(steps: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    sides: dict[str, list[str]] = {"a": [], "b": []}
    for number in range(5):
        for side, ran in (("a", 10), ("b", 25)):
            sides[side].append(f"{side}{number}.sonde")
            profile = steps.StepProfile(("toy",), {WALK: 30 + number % 2, RUN: ran + number})
            steps.write_steps(Path(sides[side][-1]), profile)

    assert main(["diff", *sides["a"], "--against", *sides["b"]]) == 1
    assert "1 of 2 functions changed: run has 2.25 times" in capsys.readouterr().out
    assert main(["diff", *sides["a"][:2], "--against", *sides["b"]]) == 4
    assert main(["diff", *sides["a"], "--against", *sides["b"], "--html", "groups.html"]) == 1


@pytest.mark.usefixtures("file")
def test_it_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.sonde", "b.sonde"]) == 1
    assert "+15  run" in capsys.readouterr().out
    assert main(["diff", "a.sonde", "a.sonde", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert main(["diff", "a.sonde", "b.sonde", "--html", "diff.html"]) == 1


@pytest.mark.usefixtures("file")
def test_it_is_merged_and_exported(steps: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", "a.sonde", "b.sonde", "-o", "all.sonde"]) == 0
    assert "merged 2 profiles into all.sonde: 95 steps\n" in capsys.readouterr().err
    assert steps.read_steps(Path("all.sonde")).steps == {WALK: 60, RUN: 35}

    assert main(["export", "all.sonde", "--to", "toy-step-lines", "-o", "-"]) == 0
    said = capsys.readouterr()
    assert said.out == "walk 60\nrun 35\n"
    assert "no room to say it: steps-missed: 2: two steps were too quick" in said.err
    assert main(["export", "all.sonde", "--to", "pprof"]) == 2
    assert "cannot write 'all.sonde' as pprof: it holds a profile of steps" in capsys.readouterr().err


@pytest.mark.usefixtures("file")
def test_it_is_recovered(capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder.beside(Path("cut.sonde"), "toy-steps", force=False)
    (live_folder(Path("cut.sonde")) / "steps").write_text("walk walk run")
    folder.close()

    assert main(["view", "cut.sonde"]) == 0

    said = capsys.readouterr()
    assert "3 steps" in said.out
    assert "was cut off; recovered what it had counted" in said.err
    assert not live_folder(Path("cut.sonde")).exists()


def test_without_the_plug_in_its_files_are_refused(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [each for each in sys.path if "packages" not in Path(each).name])

    assert main(["view", str(file)]) == 1

    assert "it holds a profile of steps (kind 'toy-steps'), known are contexts" in capsys.readouterr().err
