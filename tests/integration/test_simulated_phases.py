"""Phases whose counters are simulated: counts are exact, and those of the calls that the times are of."""

from pathlib import Path

import pytest

from measuring import run_sonde
from sonde.base.errors import MissingCapability
from sonde.instruments.phases.analysis import all_reasons, figures_of, phase_sums, telling_reason
from sonde.instruments.phases.profile import read_phase_profile
from sonde.valgrind import check_tool

LINES = 1 << 16
PROGRAM = f"""
import threading
LARGE, SMALL = bytes({LINES} * 64), bytes(1 << 14)
def far():
    return LARGE.count(b"x")
def near():
    for _ in range(256):
        SMALL.count(b"x")
def both():
    far()
    near()
for _ in range(3):
    both()
thread = threading.Thread(target=both)
thread.start()
thread.join()
print("done")
"""


def test_misses_are_those_of_the_lines_that_a_phase_reads(tmp_path: Path) -> None:
    try:
        check_tool()
    except MissingCapability as missing:
        pytest.skip(missing.message)
    (tmp_path / "app.py").write_text(PROGRAM, encoding="utf-8")
    names = "simulated:instructions,simulated:accesses,simulated:l1d-misses"
    words = ("--theta-grain", "0.01%", "--counters", names, "-o", "run.sonde", "app.py")
    ended = run_sonde("phases", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "done\n" * 3), ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    assert [counter.name for counter in profile.counters] == ["task-clock", *names.split(",")]
    assert profile.counters[3].source == "simulated by sonde's Valgrind tool, run 2 of 2"
    phases = {phase.function.name: number for number, phase in enumerate(profile.phases)}
    calls = [
        (phase, *(column[row] for column in thread.calls.counters[1:]))
        for thread in profile.threads
        for row, phase in enumerate(thread.calls.phase)
    ]
    of = {name: [counts for phase, *counts in calls if phase == number] for name, number in phases.items()}
    assert (len(of["far"]), len(of["near"])) == (4, 4)
    for instructions, accesses, misses in of["far"]:
        assert LINES <= misses < 1.02 * LINES  # each line once: it does not fit, and nothing fetches ahead
        assert accesses >= LINES
        assert instructions >= LINES
    for instructions, _, misses in of["near"]:
        assert instructions >= LINES
        assert misses < LINES / 20
    # On the thread as on the main one, within what the interpreter does otherwise.
    assert max(of["far"])[0] < 1.01 * min(of["far"])[0]
    assert len({thread.name for thread in profile.threads}) == 2
    figures = figures_of(profile)
    reason = telling_reason(profile, all_reasons(figures, phase_sums(figures))[phases["far"]], None)
    assert reason is not None
    assert profile.counters[reason.counter].name == "simulated:l1d-misses"
