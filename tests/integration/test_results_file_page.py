"""The recipe and the queries of docs/results-file.md work on the results of a real run."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from measuring import run_sonde
from sonde.instruments.bench.results_file import read_results

PAGE = (Path(__file__).parents[2] / "docs" / "results-file.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
(RECIPE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "results.sonde"
    run_sonde("bench", "--rounds", "3", "--seed", "1", "-o", path, "--quiet", "true", "sleep 0.01")
    run_sonde("bench", "--rounds", "4", "--seed", "1", "-o", path, "--quiet", "--resume", "true", "sleep 0.01")
    return path


@pytest.mark.parametrize("query", QUERIES)
def test_the_queries_of_the_page_have_answers(query: str, results: Path) -> None:
    with closing(sqlite3.connect(results)) as db:
        rows = db.execute(query).fetchall()
    assert rows or "<> 'ok'" in query
    if "ratio" in query:
        assert [row[0] for row in rows] == [0, 1, 2, 3]
        assert all(row[3] > 1.0 for row in rows)


def test_three_lines_read_all_values(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results.parent)
    names: dict[str, Any] = {}
    exec(RECIPE, names)  # the text of our own page
    names["rows"].connection.close()
    expected = [
        (number, one.round, tuple(one.values))
        for number, series in enumerate(read_results(results).series, start=1)
        for one in series.invocations
    ]
    assert sorted(names["values"]) == sorted(expected)


def test_the_page_lists_every_table_and_column() -> None:
    room = Path(__file__).parents[2] / "src" / "sonde" / "instruments" / "bench" / "results_file"
    schema = (room / "schema.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(schema)
        for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            assert f"## {table}" in PAGE
            for _, column, *_ in db.execute(f"PRAGMA table_info({table})"):
                assert f"`{column}`" in PAGE, (table, column)
