"""The agent in every other CPython of this machine counts what a Python profile function counts there."""

from itertools import product
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import PROGRAMS, calls_by_oracle, calls_by_path, comparable, measure_elsewhere, run_plainly
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
