"""What `--json` of `sonde decisions` prints is what its schema says, for every compiler."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from decision_samples import decision_sample
from sonde.cli import main

SCHEMA = Path(__file__).parents[4] / "data" / "decisions" / "answers.schema.json"
WHOLE: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
READERS = ("graal", "llvm", "hotspot", "cpython")


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main(["decisions", *map(str, words), "--json"]) in (0, 1)
    return json.loads(capsys.readouterr().out)


def check(document: Any) -> None:
    # The branch of its own tells what is wrong; the choice between the three would only say that none fits.
    branches = [branch for branch in WHOLE["oneOf"] if branch["properties"]["schema"]["const"] == document["schema"]]
    jsonschema.Draft202012Validator({**branches[0], "$defs": WHOLE["$defs"]}).validate(document)


@pytest.fixture(scope="module", params=READERS)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [decision_sample(request.param, tmp_path_factory.mktemp(name)) for name in ("a", "b", "c", "d")]


def test_shown_runs_fit_the_schema(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--all", "--tree", "all"], ["--tree", "context"]):
        check(answer(capsys, "show", runs[0], *options))


def test_differences_fit_the_schema(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--context", "--why"], ["--match", "exact"]):
        check(answer(capsys, "diff", *runs[:2], *options))


def test_consistent_differences_fit_the_schema(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    check(answer(capsys, "consistent", "--fast", *runs[:2], "--slow", *runs[2:]))


def test_the_schema_refuses_what_is_not_in_it(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    shown = answer(capsys, "show", runs[0])
    changes: list[dict[str, Any]] = [{"units": {}}, {"more": 1}, {"run": {**shown["run"], "kind": "other"}}]
    for change in changes:
        with pytest.raises(jsonschema.ValidationError):
            check(shown | change)
