"""The agent in every other CPython of this machine counts what a Python profile function counts there."""

from itertools import product
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons, version_of
from measuring import (
    PROGRAMS,
    calls_by_name,
    calls_by_oracle,
    calls_by_path,
    comparable,
    measure_elsewhere,
    run_plainly,
)
from sweeps import sampled

WAYS: dict[str, list[str]] = {
    "time": [],
    "processor time": ["--clock", "cpu"],
    "no-time": ["--no-time"],
    "sampled": ["--time", "sampled"],
}


ELSEWHERE = list(product(measured_pythons(), WAYS))


def name(value: Path | tuple[Path, str]) -> str:
    """Of a case: the script, or the release of the Python and the way."""
    return value.stem if isinstance(value, Path) else f"{value[0].parts[-3]}-{value[1]}"


@pytest.mark.parametrize(("elsewhere", "script"), sampled(ELSEWHERE, sorted(PROGRAMS.glob("*.py")), one_in=3), ids=name)
def test_it_counts_what_the_oracle_counts(
    elsewhere: tuple[Path, str], script: Path, tmp_path: Path, cache: str
) -> None:
    python, way = elsewhere
    assert build_agent(python, tmp_path, cache)
    run_plainly(script, python=python)  # compiled files exist from now on
    expected, printed = calls_by_oracle(tmp_path, script, python=python)
    want = comparable(expected)
    assert sum(want.values()) > 50

    measured = measure_elsewhere(tmp_path, python, "--exact", *WAYS[way], script)

    got = comparable(calls_by_path(measured.profile))
    assert measured.stdout == printed
    assert {path: (want[path], got[path]) for path in want | got if want[path] != got[path]} == {}
    # Of times: how busy the machine is.
    assert [loss for loss in measured.profile.losses if not loss.kind.startswith("times-")] == []


TRACED = """
import sys
def leaf(i): return i
def work(n):
    for i in range(n): leaf(i)
def helper(): return 1
def tracer(frame, event, argument):
    helper()
    return tracer
sys.SET(tracer)
work(10)
sys.SET(None)
"""


@pytest.mark.parametrize("function", ["settrace", "setprofile"])
@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_what_a_trace_function_calls_is_not_counted_from_3_12_on_and_the_profile_says_so(
    python: Path, function: str, tmp_path: Path, cache: str
) -> None:
    assert build_agent(python, tmp_path, cache)
    script = tmp_path / "traced.py"
    script.write_text(TRACED.replace("SET", function), encoding="utf-8")

    profile = measure_elsewhere(tmp_path, python, script).profile

    calls = calls_by_name(profile)
    assert (calls["work"], calls["leaf"]) == (1, 10)
    kinds = [loss.kind for loss in profile.losses]
    assert kinds.count("tracer-unseen") == ("helper" not in calls) == (version_of(python) >= (3, 12))
