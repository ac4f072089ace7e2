"""Phases of real programs: which calls are seen, what is counted in them, and that nothing of the program changes."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import run_sonde, run_sonde_here
from sonde.code import Function
from sonde.instruments.phases.analysis import figures_of, phase_sums
from sonde.instruments.phases.profile import (
    OPEN,
    RETURNED,
    SUSPENDED,
    UNWOUND,
    Phase,
    PhaseProfile,
    Thetas,
    read_phase_profile,
)
from sonde.instruments.phases.sources.cpython import (
    Search,
    WatchedRun,
    environment_to_watch,
    read_watched_run,
    watching_costs,
)
from sonde.launch import agent_folder

AWKWARD = Path(__file__).parents[1] / "programs" / "phases" / "awkward.py"
PYTHONS = [Path(sys.executable), *measured_pythons()]
COUNTERS = ("task-clock", "page-faults", "context-switches", "collections", "allocations", "migrations")
NAMES = (
    "returns",
    "fails",
    "outer",
    "numbers",
    "throws",
    "waits",
    "touches",
    "collects",
    "dives",
    "Machine.run",
    "main",
)


def line_of(name: str) -> int:
    start = f"def {name.rpartition('.')[2]}("
    lines = AWKWARD.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip().removeprefix("async ").startswith(start))


def watched() -> WatchedRun:
    methods = [Phase(Function(name, "", str(AWKWARD), line_of(name))) for name in NAMES]
    methods.append(Phase(Function("dynamic", "", "<string>", 1)))
    return WatchedRun.of(methods, COUNTERS)


def run_watched_by(python: Path, folder: Path, cache: str, *words: str) -> tuple[PhaseProfile, tuple[str, str, int]]:
    """The profile of the awkward program, and what that printed and returned."""
    return run_asked(python, folder, cache, watched(), str(AWKWARD), *words)


def run_asked(
    python: Path, folder: Path, cache: str, asked: WatchedRun, *words: str
) -> tuple[PhaseProfile, tuple[str, str, int]]:
    """The profile of a program, and what that printed and returned."""
    package = folder / "package"
    package.mkdir(exist_ok=True)
    if not build_agent(python, package, cache, "_phase_agent"):
        package = agent_folder("sonde._phase_agent")
    logs = folder / "logs"
    logs.mkdir()
    environment = environment_to_watch(logs, asked, package)
    command = [str(python), *words]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert not list(logs.glob("*.refused")), [path.read_text() for path in logs.glob("*.refused")]
    profile = read_watched_run(logs, asked)
    profile.check_valid()
    return profile, (ended.stdout, ended.stderr, ended.returncode)


def plainly(python: Path, *words: str) -> tuple[str, str, int]:
    ended = subprocess.run([str(python), str(AWKWARD), *words], capture_output=True, text=True)
    return ended.stdout, ended.stderr, ended.returncode


def endings(profile: PhaseProfile) -> Counter[tuple[str, int]]:
    """How calls of methods ended."""
    return Counter(
        (profile.phases[phase].function.name, ending)
        for thread in profile.threads
        for phase, ending in zip(thread.calls.phase, thread.calls.ending, strict=True)
        if profile.phases[phase].is_method
    )


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parts[-3])
def test_every_call_of_a_phase_is_seen_and_the_program_is_undisturbed(python: Path, tmp_path: Path, cache: str) -> None:
    profile, ended = run_watched_by(python, tmp_path, cache, "fail")
    assert ended == plainly(python, "fail")
    assert ended[2] == 1

    found = endings(profile)
    assert found["returns", RETURNED] == 1 + 2 + 3
    assert (found["fails", UNWOUND], found["outer", RETURNED]) == (1, 1)
    assert (found["numbers", SUSPENDED], found["throws", SUSPENDED], found["waits", SUSPENDED]) == (3 + 1, 2, 1)
    assert (found["numbers", RETURNED], found["waits", RETURNED]) == (1, 1)
    assert (found["dynamic", RETURNED], found["touches", RETURNED], found["Machine.run", RETURNED]) == (1, 1, 1)
    assert found["main", UNWOUND] == 1
    calls = {profile.phases[each.phase].function.name: each.calls for each in phase_sums(figures_of(profile))}
    assert {name: calls[name] for name in ("numbers", "throws", "waits")} == {"numbers": 2, "throws": 1, "waits": 1}
    # On 3.11 what is too deep for the C stack is not seen, which is said.
    assert calls["dives"] == 3001 or "phases-too-deep" in {loss.kind for loss in profile.losses}
    assert len(profile.threads) == 1 + 3
    assert profile.is_complete
    assert "phases-cut" not in {loss.kind for loss in profile.losses}


SEARCHED = """
import os, sys, time
def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
def tiny(n):
    return n + 1
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def long_calls():
    burn(0.02)
def becomes_long(n):
    burn(0.02 if n > 3000 else 0)
def steps():
    for _ in range(4):
        long_calls()
        yield
def main():
    for _ in range(6):
        for _ in steps():
            pass
        fib(12)
        for n in range(300):
            tiny(n)
    for n in range(3000):
        becomes_long(n)
    burn(0.6)
    for n in range(3001, 3021):
        becomes_long(n)
    child = os.fork()  # 3.12 and later warn of it where there are threads
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    raise SystemExit(3)
main()
"""


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parts[-3])
def test_phases_are_found_while_the_program_runs(python: Path, tmp_path: Path, cache: str) -> None:
    program = tmp_path / "searched.py"
    program.write_text(SEARCHED, encoding="utf-8")
    search = Search(Thetas(0.01, 0.001), 300_000)
    asked = WatchedRun.searching(search, ("task-clock", "page-faults"))
    profile, ended = run_asked(python, tmp_path, cache, asked, str(program))
    assert ended == ("", "", 3)
    found = {profile.phases[each.phase].function.name: each for each in phase_sums(figures_of(profile))}
    bodies = {phase.function.file: phase.function.module for phase in profile.phases if phase.function.kind == "module"}
    assert bodies[str(program)] == "__main__"
    assert {"<module>", "main", "long_calls", "steps", "becomes_long", "burn"} <= found.keys()
    assert not {"tiny", "fib"} & found.keys()
    assert found["main"].calls == 1
    assert (found["long_calls"].calls, found["steps"].calls) == (24, 6)
    # A method whose calls are short at first is found when all are looked at again.
    assert 1 <= found["becomes_long"].calls <= 3020
    # What is given up costs a few events each time.
    assert profile.all_calls < 1500
    assert "phases-cut" not in {loss.kind for loss in profile.losses}


KEEPS_WITH_CODE = """
import ctypes
freed = []
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(freed.append)
api = ctypes.pythonapi
request = getattr(api, "PyUnstable_Eval_RequestCodeExtraIndex", None) or api._PyEval_RequestCodeExtraIndex
print(request(FREE) >= 0)
for number in range(5):
    made = {}
    exec("def dynamic(n):\\n    return n + 1\\n", made)
    made["dynamic"](number)
    del made
print(freed)
"""


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parts[-3])
def test_what_others_keep_with_code_is_left_alone(python: Path, tmp_path: Path, cache: str) -> None:
    program = tmp_path / "keeps.py"
    program.write_text(KEEPS_WITH_CODE, encoding="utf-8")
    asked = WatchedRun.searching(Search(Thetas(0.0, 0.0), 0), ("task-clock",))
    _, ended = run_asked(python, tmp_path, cache, asked, str(program))
    assert ended == ("True\n[]\n", "", 0)


def test_what_is_counted_belongs_to_the_phase_that_did_it(tmp_path: Path, cache: str) -> None:
    profile, _ = run_watched_by(PYTHONS[0], tmp_path, cache)
    names = [counter.name for counter in profile.counters]
    assert [name for name in COUNTERS if name != "migrations"] == [name for name in names if name != "migrations"]
    sums = {profile.phases[each.phase].function.name: each for each in phase_sums(figures_of(profile))}

    def counted(phase: str, counter: str) -> int:
        return sums[phase].own[names.index(counter)]

    assert 2000 <= counted("touches", "page-faults") < 2500
    assert counted("fails", "page-faults") < 100
    assert counted("collects", "collections") == 0  # it is the collector's own
    assert sums["garbage collection"].calls >= 1
    assert counted("returns", "allocations") > 1000
    for thread in profile.threads:
        for ran, elapsed in zip(thread.calls.counters[0], thread.calls.elapsed_ns(), strict=True):
            assert ran <= elapsed
    assert profile.threads[0].totals[0] > 0


def test_a_killed_program_keeps_what_was_measured(tmp_path: Path, cache: str) -> None:
    profile, ended = run_watched_by(PYTHONS[0], tmp_path, cache, "kill")
    assert ended[2] == -9
    assert not profile.is_complete
    found = endings(profile)
    assert found["main", OPEN] == 1
    assert found["touches", RETURNED] == 1


PROGRAM = """
import time
def burn(n):
    return sum(i * i for i in range(n))
def grow():
    return [bytearray(1 << 21) for _ in range(30)]
def main():
    for _ in range(6):
        burn(300_000)
        grow()
    print("done")
main()
"""


def test_the_verb_tells_what_why_and_when(tmp_path: Path) -> None:
    program = tmp_path / "app.py"
    program.write_text(PROGRAM, encoding="utf-8")
    ended = run_sonde("phases", "--steps", "-o", "run.sonde", "app.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "done\ndone\n"), ended.stderr
    assert "grow" in ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    methods = {phase.function.name for phase in profile.phases if phase.is_method}
    assert {"main", "burn", "grow"} <= methods
    assert profile.plans[0].phases == len(methods)
    told = json.loads(run_sonde_here("view", "run.sonde", "--json", cwd=tmp_path).stdout)
    assert told["kind"] == "phases"
    plan = run_sonde_here("phases", "plan", "run.sonde", cwd=tmp_path)
    assert plan.returncode == 0
    assert "thresholds" in plan.stdout
    assert run_sonde_here("diff", "run.sonde", "run.sonde", cwd=tmp_path).returncode == 0


CUT = """
import os, signal, sys
print("run", flush=True)
def work():
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGINT, lambda *_: sys.exit(int(sys.argv[1])))
    with open(f"/proc/{os.getppid()}/stat") as parent:
        os.kill(int(parent.read().rpartition(")")[2].split()[1]), signal.SIGINT)
    while True:
        signal.pause()
work()
"""
"""Is killed, or interrupts the sonde phases that has started the sonde contexts that has started it."""


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("kill", -signal.SIGTERM, "the first run was killed by SIGTERM"),
        ("5", 5, "the first run was interrupted by SIGINT and exited 5"),
        ("0", 130, "the first run was interrupted by SIGINT and exited 0"),
    ],
)
def test_a_signal_in_the_first_run_is_the_last_of_the_program(how: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(CUT, encoding="utf-8")
    ended = run_sonde("phases", "--steps", "-o", "run.sonde", "app.py", how, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (code, "run\n"), ended.stderr
    assert f"{said}, the second was not made; " in ended.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["app.py"]


def test_counters_of_several_runs_are_aligned(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM, encoding="utf-8")
    words = ("--runs", "2", "--counters", "task-clock,allocations", "-o", "run.sonde", "app.py")
    ended = run_sonde("phases", *words, cwd=tmp_path)
    # Once to find the phases, and once for each group of counters.
    assert (ended.returncode, ended.stdout) == (0, "done\n" * 3), ended.stderr
    assert "± runs" in ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    assert [counter.name for counter in profile.counters] == ["task-clock", "allocations"]
    times = {profile.phases[each.phase]: each.total_ns for each in phase_sums(figures_of(profile))}
    assert all(time >= 0.01 * profile.whole_ns for phase, time in times.items() if phase.is_method)
    assert profile.counters[1].source == "interpreter, run 2 of 2"
    made = {profile.phases[each.phase].function.name: each.totals[1] for each in phase_sums(figures_of(profile))}
    # Each number that is squared is an object, but for small ones.
    assert 6 * 290_000 < made["burn"] < 6 * 1_300_000
    assert not {"burn", "grow", "main"} & {profile.phases[phase].function.name for phase, _ in profile.summed}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--counters", "page-fault", "app.py"), 2, "did you mean 'page-faults'"),
        (("--theta-weight", "2", "app.py"), 2, "not a share"),
        (("--", "true"), 3, "no-phases-measured"),
        ((), 2, "no program"),
    ],
)
def test_what_cannot_be_measured_is_refused(words: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "prog.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    ended = run_sonde_here("phases", "--debug", *words, cwd=tmp_path)
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr


def test_thresholds_that_select_nothing_tell_so(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print(1)\n", encoding="utf-8")
    ended = run_sonde("phases", "--theta-weight", "100%", "--theta-grain", "100%", "app.py", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "1\n")
    assert os.linesep in ended.stderr


def test_what_start_up_files_say_does_not_disturb_the_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('1.5 2.5 3.5')", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    costs = watching_costs(("task-clock",))
    assert min(costs) >= 0
