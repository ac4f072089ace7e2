"""Twenty-two planted changes: what each phase has more of afterwards is named, always.

All of them are in one program, so that two runs are enough, each once for the interpreter's counters and once for
simulated ones. No clock decides anything.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.instruments.phases.analysis import align_runs, phase_changes
from sonde.instruments.phases.profile import Phase, PhaseProfile
from sonde.instruments.phases.sources.cpython import WatchedRun, read_watched_run, run_simulated, run_watched
from sonde.valgrind import BuiltTool, built_tool

PLANTED = Path(__file__).parents[1] / "programs" / "phases" / "planted.py"
COUNTED = ("page-faults", "context-switches", "collections", "allocations", "allocated-bytes")
SIMULATED = tuple(f"simulated:{name}" for name in ("instructions", "accesses", "l1d-misses", "branch-misses"))
NAMED = {
    "misses": "simulated:l1d-misses",
    "branches": "simulated:branch-misses",
    "instructions": "simulated:instructions",
    "allocations": "allocations",
    "bytes": "allocated-bytes",
    "faults": "page-faults",
    "switches": "context-switches",
    "collections": "collections",
}


def cases() -> list[Phase]:
    lines = PLANTED.read_text(encoding="utf-8").splitlines()
    found = [(line[4:-3], at) for at, line in enumerate(lines, 1) if line.startswith("def ") and "_of_" in line]
    return [Phase(Function(name, "", str(PLANTED), at)) for name, at in found]


def measured(when: str, tool: BuiltTool) -> PhaseProfile:
    profiles = []
    for counters in (COUNTED, SIMULATED):
        asked, argv = WatchedRun.of(cases(), counters), (sys.executable, str(PLANTED), when)
        with TemporaryDirectory() as name:
            folder = Path(name)
            if counters is SIMULATED:
                outcome = run_simulated(argv, folder, asked, tool)
            else:
                outcome = run_watched(argv, folder, asked)
            assert outcome.shell_code == 0
            profiles.append(read_watched_run(folder, asked))
    return align_runs(profiles)


def test_the_counter_that_changed_is_named_in_all_planted_cases(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    try:
        with built_tool() as tool:
            before, after = measured("before", tool), measured("after", tool)
    except MissingCapability as missing:
        pytest.skip(missing.message)
    filtered = next(each.by for each in phase_changes(before, after) if each.function.name == "branches_of_a_filter")
    assert filtered is not None
    # Three times 6,000 values by chance: nothing foresees more than half of them.
    assert filtered.before < 900
    assert 0.4 * 18000 < filtered.after < 0.6 * 18000
    assert not {phase for phase, _ in after.summed if after.phases[phase].is_method}
    named = {
        change.function.name: change.by.name if change.by else None
        for change in phase_changes(before, after)
        if "_of_" in change.function.name
    }
    assert len(named) == 22
    assert named == {name: NAMED[name.partition("_")[0]] for name in named}
