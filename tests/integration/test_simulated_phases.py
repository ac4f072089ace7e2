"""Phases whose counters are simulated: counts are exact, and those of the calls that the times are of."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from measuring import environment, run_sonde
from needed import needs
from sonde.code import Function
from sonde.instruments.phases.analysis import all_reasons, figures_of, phase_sums, telling_reason
from sonde.instruments.phases.profile import Phase, read_phase_profile
from sonde.instruments.phases.sources.cpython import WatchedRun, read_watched_run, simulation_words
from sonde.launch import agent_folder
from sonde.valgrind import BuiltTool, built_tool, check_tool, tool_command, tool_environment

pytestmark = needs(check_tool)

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


def test_misses_are_those_of_the_lines_that_a_phase_reads(tmp_path: Path, cache: str) -> None:
    (tmp_path / "app.py").write_text(PROGRAM, encoding="utf-8")
    names = "simulated:instructions,simulated:accesses,simulated:l1d-misses"
    words = ("--theta-grain", "0.01%", "--counters", names, "-o", "run.sonde", "app.py")
    ended = run_sonde("phases", *words, cwd=tmp_path, XDG_CACHE_HOME=cache)
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


CALLS = 200
COUNTED = f"""
import os, sys
package, folder, *counters = sys.argv[1:]
sys.path.append(package)
import _phase_agent as agent
def inner():
    pass
def outer():
    for _ in range({CALLS}):
        inner()
functions = tuple((at, each.__code__.co_firstlineno, "", each.__name__) for at, each in enumerate((outer, inner)))
agent.start(os.fsencode(folder), tuple(counters), functions, 1 << 24, 0, -1.0, 0.0)
outer()
agent.finish()
"""


@pytest.fixture(scope="module")
def tool(cache: str) -> Iterator[BuiltTool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", cache)
        with built_tool() as built:
            yield built


def test_what_the_agent_does_is_not_counted_however_much_it_is(tmp_path: Path, tool: BuiltTool) -> None:
    # More counters are more work at each event; that is the agent's.
    few, many = (instructions_of_outer(tmp_path / str(counters), counters, tool) for counters in (1, 12))
    assert few > 10 * CALLS
    assert abs(many - few) < 10 * CALLS


def instructions_of_outer(folder: Path, counters: int, tool: BuiltTool) -> int:
    folder.mkdir()
    counted = ("simulated:instructions",) * counters
    argv = (sys.executable, "-I", "-S", "-c", COUNTED, str(agent_folder("sonde._phase_agent")), str(folder), *counted)
    command = tool_command(argv, tool, folder, simulation_words(folder, counted, "all"))
    subprocess.run(command, env=tool_environment(environment(), tool), check=True, timeout=300)
    asked = WatchedRun.of_compiled([Phase(Function(name, "", "", 0)) for name in ("outer", "inner")], counted)
    (thread,) = read_watched_run(folder, asked).threads
    assert list(thread.calls.phase) == [0] + [1] * CALLS
    return thread.calls.counters[0][0]
