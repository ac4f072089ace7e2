"""All mechanisms count what a Python profile function counts, context by context."""

from collections import Counter
from pathlib import Path

import pytest

from measuring import (
    MECHANISMS,
    PROGRAMS,
    ContextPath,
    calls_by_oracle,
    calls_by_path,
    comparable,
    measure,
    run_plainly,
)
from sweeps import sampled

TIMES = {
    "time": [],
    "processor time": ["--clock", "cpu"],
    "no-time": ["--no-time"],
    "sampled": ["--time", "sampled"],
}
"""Without a clock, from 3.12 on ends of calls are not seen."""
SCRIPTS = sorted(PROGRAMS.glob("*.py"))
Counted = tuple[Path, Counter[ContextPath], str]


@pytest.fixture(scope="module")
def counted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Counted:
    """A script, its comparable calls by the oracle, and what it printed."""
    script: Path = request.param
    run_plainly(script)  # compiled files exist from now on
    calls, printed = calls_by_oracle(tmp_path_factory.mktemp("oracle"), script)
    return script, comparable(calls), printed


@pytest.mark.parametrize(
    ("counted", "mechanism", "times"),
    sampled(SCRIPTS, MECHANISMS, list(TIMES), one_in=2),
    indirect=["counted"],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_a_mechanism_counts_what_the_oracle_counts(
    counted: Counted, mechanism: str, times: str, tmp_path: Path
) -> None:
    script, want, printed = counted

    measured = measure(tmp_path, "--exact", *TIMES[times], "--mechanism", mechanism, script)

    assert measured.stdout == printed
    got = comparable(calls_by_path(measured.profile))
    assert sum(want.values()) > 50
    assert {path: (want[path], got[path]) for path in want | got if want[path] != got[path]} == {}
    # Of times: how busy the machine is.
    assert [loss for loss in measured.profile.losses if not loss.kind.startswith("times-")] == []
