"""All mechanisms count what a Python profile function counts, context by context."""

from pathlib import Path

import pytest

from measuring import MECHANISMS, PROGRAMS, calls_by_oracle, calls_by_path, comparable, measure

TIMES = {"time": [], "processor time": ["--clock", "cpu"], "no-time": ["--no-time"]}
"""Without times, from 3.12 on ends of calls are not seen."""
SCRIPTS = sorted(PROGRAMS.glob("*.py"))


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_mechanism_counts_what_the_oracle_counts(script: Path, mechanism: str, times: str, tmp_path: Path) -> None:
    calls_by_oracle(tmp_path, script)  # compiled files exist from now on
    expected, printed = calls_by_oracle(tmp_path, script)

    measured = measure(tmp_path, "--exact", *TIMES[times], "--mechanism", mechanism, script)

    assert measured.stdout == printed
    got, want = comparable(calls_by_path(measured.profile)), comparable(expected)
    assert sum(want.values()) > 50
    assert {path: (want[path], got[path]) for path in want | got if want[path] != got[path]} == {}
    assert measured.profile.losses == ()
