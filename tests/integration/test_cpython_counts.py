"""All mechanisms count what a Python profile function counts, context by context."""

from collections import Counter
from pathlib import Path

import pytest

from measuring import MECHANISMS, PROGRAMS, ContextPath, calls_by_oracle, calls_by_path, measure

SCRIPTS = sorted(PROGRAMS.glob("*.py"))


def comparable(calls: "Counter[ContextPath]") -> "Counter[ContextPath]":
    """Without what the oracle cannot see: the first frames of a thread (its hook is set inside
    them), the interpreter's shutdown (it has stopped by then), and frozen import machinery
    (which runs less when the oracle has imported a module before). And without the wait for a thread
    to begin, which depends on who is faster."""
    kept: Counter[ContextPath] = Counter()
    for path, count in calls.items():
        names = [name for name, *_ in path]
        thread = names[0] == "Thread._bootstrap"
        if thread and "Thread.run" not in names:
            continue
        if names[0] != "<module>" and not thread:
            continue
        if any(file.startswith("<frozen") for _, file, *_ in path) or "Event.wait" in names:
            continue
        kept[path] += count
    return kept


@pytest.mark.parametrize("times", ["time", "no-time"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_mechanism_counts_what_the_oracle_counts(script: Path, mechanism: str, times: str, tmp_path: Path) -> None:
    calls_by_oracle(tmp_path, script)  # compiled files exist from now on
    expected, printed = calls_by_oracle(tmp_path, script)

    options = ["--no-time"] if times == "no-time" else []  # from 3.12 on, ends of calls are not seen then

    measured = measure(tmp_path, "--exact", *options, "--mechanism", mechanism, script)

    assert measured.stdout == printed
    got, want = comparable(calls_by_path(measured.profile)), comparable(expected)
    assert sum(want.values()) > 50
    assert {path: (want[path], got[path]) for path in want | got if want[path] != got[path]} == {}
    assert measured.profile.losses == ()
