"""What programs read: every answer that golden files hold follows the one schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

DATA = Path(__file__).parents[2] / "data"
SCHEMA: dict[str, Any] = json.loads((DATA / "report.schema.json").read_text(encoding="utf-8"))
ANSWERS = [
    path
    for path in sorted((DATA / "golden").rglob("*.json"))
    if not path.name.endswith(".page.json") and '"sonde.report/1"' in path.read_text(encoding="utf-8")
]


def test_there_are_answers_of_every_instrument() -> None:
    kinds = {json.loads(path.read_text(encoding="utf-8"))["kind"].partition("-")[0] for path in ANSWERS}
    assert {"contexts", "memory", "bench", "decisions", "paths", "phases"} <= kinds


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_answer_follows_the_schema(path: Path) -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(path.read_text(encoding="utf-8")))
