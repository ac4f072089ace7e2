"""The examples run as they say, and the queries of docs/profile-file.md work on a real profile."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from graal_logs import call, root, unit, write_run
from measuring import environment, run_sonde
from sonde.instruments.contexts.profile import read_profile, write_profile

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FIB = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\nfib(10)\n"
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "profile-file.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    (folder / "program.py").write_text(FIB)
    done = run_sonde("contexts", "--threads", "--quiet", "-o", folder / "run.sonde", folder / "program.py")
    assert done.returncode == 0, done.stderr
    return folder / "run.sonde"


def run_example(name: str, *words: str | Path) -> str:
    command = [sys.executable, EXAMPLES / name, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment())
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_example_is_run_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "compare_accuracy.py",
        "events_to_contexts.py",
        "hot_calls_not_inlined.py",
        "hottest_functions.py",
        "inline_at_a_transition.py",
        "query_with_sql.py",
    }


def test_the_hottest_functions_are_listed(profile: Path) -> None:
    first, *rest = run_example("hottest_functions.py", profile).splitlines()

    assert first.endswith("calls")
    assert "exited 0" in first
    assert any(re.search(r"\b177  fib  .*program\.py:1$", line) for line in rest)


def test_calls_that_were_not_inlined_are_listed(tmp_path: Path) -> None:
    kept = call("b.C.kept()", 7, "direct", reason=["too big"])
    inlined = call("b.C.inlined()", 3, "inlined", call("b.C.below()", 1, "indirect"))
    units = [unit("a.B.root()", "1", root("a.B.root()", kept, inlined)), unit("a.B.cold()", "2")]
    run = write_run(tmp_path / "run", units, {"1": 75}, total=100)

    assert run_example("hot_calls_not_inlined.py", run).splitlines() == [
        " 75.0%  b.C.kept() in a.B.root() at 7: too big",
        " 75.0%  b.C.below() in b.C.inlined() at 1: no reason",
    ]


def test_the_comparator_is_inlined_at_a_transition_and_a_chain_comes_back() -> None:
    printed = run_example("inline_at_a_transition.py", EXAMPLES / "vm" / "isord.c")

    leaves, _, rest = printed.partition("in order: 1\nleft 1 times; inlined: compare_longs\n")
    continuation, _, after = rest.partition("\n\t.file")
    assert "tail call i32 %osr.to(ptr %values, i64 %count, ptr %compare, i64 %at.0)" in leaves
    assert continuation.startswith("define ")
    assert "call" not in continuation.replace("local_unnamed_addr", "")
    assert "jmpq\t*%rax" in after
    assert after.endswith("known as isord\nin order: 1\ntimes that each was left: first 1, second 1, third 1\n")


def test_accuracy_is_compared_for_several_phis(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FIB)

    lines = run_example("compare_accuracy.py", tmp_path / "program.py").splitlines()

    assert len([line for line in lines if re.match(r"\s*(0\.01|0\.001|0\.0001|1e-0?[234])\b", line)]) == 3


def test_events_become_a_profile_that_sonde_shows(tmp_path: Path) -> None:
    printed = run_example("events_to_contexts.py", tmp_path / "shop.sonde")

    shown = run_sonde("view", tmp_path / "shop.sonde")
    assert [line.strip() for line in printed.splitlines()] == [
        "100,000 ns  serve",
        "200,000 ns  Catalogue.look_up",
        "500,000 ns  pay",
    ]
    assert shown.returncode == 0, shown.stderr
    assert "Catalogue.look_up" in shown.stdout


def test_callers_are_found_with_sql(profile: Path) -> None:
    lines = run_example("query_with_sql.py", profile, "fib").splitlines()

    assert [" ".join(line.split()) for line in lines] == [
        "176 calls from line 2 of fib",
        "1 calls from line 4 of <module>",
    ]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_documented_queries_work(profile: Path, query: str) -> None:
    with closing(sqlite3.connect(f"{profile.as_uri()}?mode=ro", uri=True)) as database:
        rows = database.execute(query).fetchall()

    # Nothing is missing from this profile, and it has no tasks and no samples; every other question has an answer.
    assert (rows == []) == any(f"FROM {table}" in query for table in ("loss", "task_await", "line_sample"))


def test_the_documented_query_of_lines_divides_a_function_among_its_lines(profile: Path, tmp_path: Path) -> None:
    known = read_profile(profile)
    (fib,) = (each for each in known.functions if each.name == "fib")
    write_profile(tmp_path / "lines.sonde", replace(known, line_samples={fib: {1: 3, 2: 9}}))
    (query,) = (query for query in QUERIES if "FROM line_sample" in query)
    with closing(sqlite3.connect(tmp_path / "lines.sonde")) as database:
        assert database.execute(query).fetchall() == [("fib", 2, 75.0), ("fib", 1, 25.0)]


def test_the_inclusive_time_of_a_recursive_function_is_counted_once(profile: Path) -> None:
    (query,) = (query for query in QUERIES if "NOT IN under" in query)
    with closing(sqlite3.connect(f"{profile.as_uri()}?mode=ro", uri=True)) as database:
        ((total_ms,),) = database.execute(query)
        ((run_ms,),) = database.execute("SELECT sum(self_ns) / 1e6 FROM context")

    assert 0 < total_ms <= run_ms
