"""The agent in every other CPython of this machine counts what a Python profile function counts there."""

from pathlib import Path

import pytest

from interpreters import build_agent, other_pythons
from measuring import PROGRAMS, calls_by_oracle, calls_by_path, comparable, measure_elsewhere, run_plainly

WAYS = {"time": [], "processor time": ["--clock", "cpu"], "no-time": ["--no-time"]}


@pytest.mark.parametrize("python", other_pythons(), ids=lambda python: python.parts[-3])
def test_it_counts_what_the_oracle_counts(python: Path, tmp_path: Path, cache: str) -> None:
    if not build_agent(python, tmp_path, cache):
        pytest.skip("not a CPython that sonde measures, or its headers are not there")
    for script in sorted(PROGRAMS.glob("*.py")):
        run_plainly(script, python=python)  # compiled files exist from now on
        expected, printed = calls_by_oracle(tmp_path, script, python=python)
        want = comparable(expected)
        assert sum(want.values()) > 50
        for way, options in WAYS.items():
            measured = measure_elsewhere(tmp_path, python, "--exact", *options, script)

            got = comparable(calls_by_path(measured.profile))
            assert measured.stdout == printed
            assert {path: (want[path], got[path]) for path in want | got if want[path] != got[path]} == {}, way
            assert measured.profile.losses == ()
