"""Audits of real profilers: run as a user would, on a program whose profile is known."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from interpreters import measured_pythons
from measuring import run_sonde, run_sonde_here
from needed import needs
from report_json import table
from sonde.base.errors import MissingCapability
from sonde.instruments.audit.profile import DENSE, NOT_PROFILERS, PLAIN, Profiler, read_audit
from sonde.instruments.audit.sources import (
    OF_COMPILED,
    AuditedPython,
    Driver,
    Interpreter,
    Rounds,
    TurnedOff,
    ask_interpreter,
    audited_compiled,
    compiled_code,
    plain_frames,
    run_measured,
    turned_off,
)
from sonde.instruments.audit.sources.rounds import Turn
from sonde.instruments.contexts.sources.sampling import check_sampling
from sonde.jit.compilers import find_compiler
from sonde.registry import entries

PROGRAM = """
import sys

class Counter:
    def __init__(self):
        self.n = 0

    def tick(self):
        self.n += 1

def actions(counter):
    for _ in range(4000):
        counter.tick()

def sort(values):
    for i in range(1, len(values)):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value

counter = Counter()
for _ in range(int(sys.argv[1])):
    actions(counter)
    sort([(i * 7919) % 1009 for i in range(300)])
print(counter.n, sys.argv[1:])
"""
TRACERS = ("cProfile", "profile", "yappi", "viztracer", "sonde")
"""They see each call."""
_CALLS = TurnedOff(("calls",), plain_frames())
DRIVERS = {name: entry.load() for name, entry in entries("profiler-driver").items()}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audited") / "app.py"
    path.write_text(PROGRAM)
    return path


def is_there(name: str) -> bool:
    driver = DRIVERS[name]
    beside = Path(sys.executable).parent
    if driver.executable:
        return shutil.which(driver.executable, path=str(beside)) is not None
    return not driver.module or find_spec(driver.module) is not None


@pytest.mark.parametrize("name", DRIVERS)
def test_a_profiler_runs_the_program_and_is_understood(name: str, program: Path, tmp_path: Path) -> None:
    if not is_there(name):
        pytest.skip(f"{name} is not installed")
    driver, output = DRIVERS[name], tmp_path / "answer"
    # On a busy machine sonde's sampler comes late; who sees each call needs few.
    times = "300" if name == "sonde-sample" else "10" if name in TRACERS else "60"
    words = (str(program), times, "-x")
    asked = AuditedPython(sys.executable, words)

    run = run_measured(driver.command(asked, output), words, tmp_path, most_s=120)

    assert run.exit_code == 0, run.last_words
    assert f"{4000 * int(times)} ['{times}', '-x']".encode() in run.output
    assert 0 < run.clocks.processor_ns <= run.processor_ns * 1.5 + 1e8
    told = driver.read(output).without(driver.own_code)
    names = {code.name.rpartition(".")[2] for code in told.own if code.file == str(program)}
    if name in TRACERS:
        assert {"tick", "actions", "sort", "<module>"} <= names
    assert all(amount > -1e-6 for amount in told.own.values())
    assert told.total_ns is None or 0 < told.total_ns < run.wall_ns * 1.2


EVALUATOR = """
import ctypes
api = ctypes.pythonapi
api.PyInterpreterState_Get.restype = ctypes.c_void_p
ask = api._PyInterpreterState_GetEvalFrameFunc
ask.restype, ask.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
own = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value
def deep(n):
    return n and 1 + deep(n - 1)
class A:
    def __init__(self):
        self.n = deep(50)
def numbers():
    yield from (n for n in range(3))
print(ask(api.PyInterpreterState_Get()) == own, A().n, list(numbers()))
"""


@pytest.mark.parametrize("python", [Path(sys.executable), *measured_pythons()], ids=str)
def test_inlined_calls_are_turned_off_in_the_program(python: Path, tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(EVALUATOR)
    for off in (None, _CALLS):
        folder = tmp_path / f"off-{bool(off)}"
        folder.mkdir()
        run = run_measured([str(python), str(script)], [str(script)], folder, without=off, most_s=60)
        assert run.exit_code == 0, run.last_words
        assert run.output.decode() == f"{off is None} 50 [0, 1, 2]\n"
        assert (run.clocks.off, run.clocks.still_on) == (("calls",) if off else (), ())


def test_an_audit_from_start_to_end(program: Path, tmp_path: Path) -> None:
    kept = tmp_path / "audit.sonde"
    asked = ("--profilers", "CPROFILE", "--rounds", "6", "--no-realism", "--json", "-o", kept)

    done = run_sonde("audit", *asked, program, "12")

    assert done.returncode in (0, 1, 4), done.stderr  # on a busy machine, the dense sample may see too little
    answer = json.loads(done.stdout)
    assert answer["kind"] == "audit" and answer.get("changed") is {0: False, 1: True, 4: None}[done.returncode]
    rows = {row["profiler"]: row for row in table(answer, "verdicts")}
    assert set(rows) == {"cProfile", "dense sample", "without, again"}
    profile = read_audit(kept)
    assert (profile.rounds, profile.turned_off, len(profile.runs)) == (6, "", 6 * 6)
    seen = [run for run in profile.runs if run.profiler != DENSE]  # which may come too late to see anything
    assert not [run for run in seen if run.failure or run.changed]
    assert {run.profiler for run in profile.runs} == {*NOT_PROFILERS, "cProfile"}
    calls = {profile.functions[number].name: count for number, count in profile.calls.items()}
    assert (calls["Counter.tick"], calls["actions"], calls["sort"]) == (48000, 12, 12)
    told = {profile.functions[number].name for number in profile.answers_of("cProfile")[0].own}
    assert {"Counter.tick", "actions", "sort", "<module>"} <= told

    shown = run_sonde_here("view", kept)
    assert shown.returncode == 0 and "what was found of each profiler" in shown.stdout


def test_a_profiler_that_is_not_installed_is_told_and_is_no_fault(program: Path, tmp_path: Path) -> None:
    python = next((each for each in measured_pythons()), None)
    if python is None:
        pytest.skip("no other Python is there")
    done = run_sonde("audit", "--profilers", "viztracer", "--rounds", "6", "--no-realism", "--", python, program, "1")
    assert done.returncode == 4, done.stderr  # there is nobody to be judged
    assert "viztracer took no part: not installed:" in done.stdout and "pip install viztracer" in " ".join(
        done.stdout.split()
    )


def test_half_of_the_runs_are_without_inlined_calls(program: Path) -> None:
    asked = AuditedPython(sys.executable, (str(program), "6"))
    rounds = Rounds(asked, [DRIVERS["sonde"]], (Profiler("sonde"),), _CALLS)
    rounds.check_program()
    made = list(rounds.run(1))
    assert rounds.is_turned_off and not rounds.outputs_differ
    assert sorted((run.profiler, run.is_without, run.is_of_nothing) for run in made) == sorted(
        [(name, False, False) for name in (*NOT_PROFILERS, "sonde")]
        + [(name, True, False) for name in (PLAIN, DENSE, "sonde")]
        + [("sonde", False, True)]
    )
    assert not [run for run in made if run.changed or (run.failure and run.profiler != DENSE)]


BLIND = """
import os, subprocess, sys
own_code, does, *program = sys.argv[1:]
code = subprocess.run([sys.executable, *program], env={**os.environ, "DOES": does}).returncode
sys.exit(code or int(own_code))
"""
"""A profiler that sees nothing, and says so by its exit code, unless the program has one."""


@pytest.mark.parametrize(
    ("own_code", "does", "changed"),
    [
        (1, "print(1)", ""),
        (5, "print(1)", "ended with exit code 5"),  # none that it is to have
        (1, "print(2)", "another output"),
        (1, "print(1); raise ValueError", "ended with exit code 1: ValueError"),
        (1, "print(1, flush=True); os._exit(1)", "ended with exit code 1"),
    ],
)
def test_who_has_seen_nothing_has_not_changed_the_program(
    own_code: int, does: str, changed: str, tmp_path: Path
) -> None:
    blind, app = tmp_path / "blind.py", tmp_path / "app.py"
    blind.write_text(BLIND)
    app.write_text("import os; exec(os.environ.get('DOES', 'print(1)'))")

    def command(program: AuditedPython, output: Path) -> list[str]:
        assert not output.exists()
        return [sys.executable, str(blind), str(own_code), does, *program.words]

    driver = Driver("blind", command, Path.read_text, own_failures=(1,))  # type: ignore[arg-type] # there is none
    rounds = Rounds(AuditedPython(sys.executable, (str(app), "x")), [driver], (Profiler("blind"),))
    rounds.check_program()
    run = rounds._run(Turn("blind", driver, is_without=False), 0)
    assert (run.changed, run.failure.partition(":")[0]) == (changed, "wrote no profile")


OF_NUMBA = """
import sys
from numba import njit
@njit
def leaf(x):
    return x * 3 + 1
@njit(cache=True)
def work(n):
    s = 0
    for i in range(n):
        s = leaf(s) ^ i
    return s
work(3)
(text,) = work.inspect_llvm().values()
body = text.partition("define")[2].partition("}")[0]
finders = [type(each).__name__ for each in sys.meta_path]
print(any("call" in line and "leaf" in line for line in body.splitlines()), work(4), "NumbaFinder" in finders)
"""


@pytest.mark.skipif(find_spec("numba") is None, reason="needs Numba")
def test_what_numba_compiles_is_code_in_c_and_its_inlining_can_be_turned_off(tmp_path: Path) -> None:
    script = tmp_path / "bench.py"
    script.write_text(OF_NUMBA)
    numba = TurnedOff(("numba",), kept=tmp_path)
    asked = AuditedPython(sys.executable, (str(script),))
    rounds = Rounds(asked, [DRIVERS["cProfile"]], (Profiler("cProfile"),), seed=4)  # in which it comes first
    rounds.count_calls()
    answer = next(run for run in rounds.run(1) if run.profiler == "cProfile" and not run.is_of_nothing)
    profile = rounds.profile(python="", turned_off="", losses=())
    told = {profile.functions[number].name for number in answer.own if profile.functions[number].file == str(script)}
    assert "<module>" in told and not {"work", "leaf"} & told
    for off, has_call in ((None, False), (numba, True)):
        folder = tmp_path / f"off-{bool(off)}"
        folder.mkdir()
        more = numba.environment(is_without=bool(off))
        run = run_measured(
            [sys.executable, str(script)], [str(script)], folder, without=off, environment=more, most_s=60
        )
        assert run.exit_code == 0, run.last_words
        assert run.output.decode() == f"{has_call} 52 False\n"
        assert (run.clocks.off, run.clocks.still_on) == (("numba",) if off else (), ())
    assert [*tmp_path.glob("__pycache__/*.nbc")] and [
        *(tmp_path / "numba-without").rglob("*.nbc")
    ]  # none has the other's


def test_what_is_not_off_is_told(program: Path, tmp_path: Path) -> None:
    asked = AuditedPython(sys.executable, (str(program), "2"))
    rounds = Rounds(asked, [], (), TurnedOff(("numba",)))
    rounds.check_program()
    assert not rounds.is_turned_off
    assert "Numba compiles nothing in this program" in rounds.why_not_turned_off


def test_the_jit_is_on_in_one_half_of_the_runs_and_off_in_the_other() -> None:
    both = TurnedOff(("calls", "jit"), plain_frames(), Path())
    assert both.words == "inlined calls and the interpreter's JIT"
    found = [both.environment(is_without=off) for off in (False, True)]
    assert found == [{"PYTHON_JIT": "1"}, {"PYTHON_JIT": "0"}]
    known = Interpreter("3.14.0", {"numba": None}, has_jit=True)
    assert turned_off(["calls", "jit"], known, Path()) == both
    with pytest.raises(MissingCapability, match="no JIT"):
        turned_off(["jit"], known._replace(has_jit=False), Path())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--toggle", "comprehensions", "app.py"], 3, "cannot turn 'comprehensions' off: CPython has no switch"),
        (["--toggle", "specialisation", "app.py"], 3, "cannot turn 'specialisation' off: CPython has no switch"),
        (["--toggle", "gc", "app.py"], 2, "'gc' is nothing that could be turned off: write calls, numba or jit"),
        (["--toggle", "calls", "--no-realism", "app.py"], 2, "with --no-realism"),
        (["--toggle", "calls", "prog.c"], 2, "--toggle is for Python programs"),
        (
            ["--profilers", "cprofil", "app.py"],
            2,
            "cannot audit 'cprofil': no such profiler is known\nhint: did you mean 'cProfile'?",
        ),
        (["--rounds", "2", "app.py"], 2, "'2' is not a number of rounds: write 6 or more"),
        (["--profilers", "cProfile", "fails.py"], 2, "by itself the program ended with exit code 3"),
        (["--profilers", "cProfile", "gone.py"], 2, "cannot run 'gone.py': no such file"),
        (["-c", "pass"], 2, "profilers need a script or a module to run"),
        (["--", "/bin/true", "app.py"], 2, "that is no CPython from 3.11 on"),
        ([], 2, "no program was given"),
    ],
)
def test_what_cannot_be_audited_is_told(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print(1)\n")
    (tmp_path / "fails.py").write_text("raise SystemExit(3)\n")
    done = run_sonde_here("audit", *words, cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""


def test_interpreters_are_asked(tmp_path: Path) -> None:
    known = ask_interpreter(sys.executable, {"cProfile": "", "nosuchprofiler": "nosuch"})
    version = subprocess.run([sys.executable, "-V"], capture_output=True, text=True).stdout.split()[1]
    assert known.version == version
    assert known.modules == {"cProfile": "", "nosuchprofiler": None}


IN_C = """
#include <stdio.h>
#include <stdlib.h>
static unsigned mixed(unsigned v) { v ^= v << 13; v ^= v >> 17; return v ^ (v << 5); }
__attribute__((noinline)) static unsigned costly(unsigned v, int n) { while (n--) v = mixed(v) + v % 7; return v; }
__attribute__((noinline)) static unsigned trivial(unsigned v) { return v + 1; }
int main(int argc, char **argv) {
    unsigned v = 1;
    for (int turn = 0; turn < atoi(argv[1]); turn++) {
        v = costly(v, 200000);
        for (int at = 0; at < 2000; at++) v = trivial(v);
    }
    printf("%u\\n", v);
}
"""


@needs(find_compiler, check_sampling)
def test_an_audit_of_a_compiled_program(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(IN_C)
    program = audited_compiled([str(source), "-O2", "--", "100"])
    cycles = next(each for each in OF_COMPILED if each.name == "cycles")
    code = compiled_code(program)
    rounds = Rounds(program, [cycles], (Profiler("cycles"),), without=program.without, code=code)
    rounds.check_program()
    rounds.count_calls()
    made = list(rounds.run(1))
    profile = rounds.profile(python="", turned_off="inlining", losses=())

    assert len(made) == 4 + 3 and not [run for run in made if run.failure or run.changed]
    assert all(0 < run.program_wall_ns < run.wall_ns for run in made)
    calls = {profile.functions[number].name: count for number, count in profile.calls.items()}
    assert (calls["costly"], calls["trivial"], calls["main"]) == (100, 200_000, 1)
    plain, probed = profile.code["plain"], profile.code["cycles"]
    assert plain.inlined_calls == probed.inlined_calls > 0  # mixed in costly, atoi in main
    assert 0 < plain.size_bytes < probed.size_bytes
    for run in made:
        told = {profile.functions[number].name: share for number, share in run.own.items()}
        if run.profiler == "cycles":
            assert told.get("costly", 0) + told.get("mixed", 0) > told.get("trivial", 0)
            assert ("mixed" in told) or not run.is_without  # by itself, where it is not inlined


@needs(find_compiler)
def test_compiled_programs_are_audited_by_sondes_own_profilers(tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text("int main(void) { return 0; }\n")
    refused = run_sonde_here("audit", "--profilers", "cProfile", "prog.c", cwd=tmp_path)
    assert refused.returncode == 2
    assert "cannot audit 'cProfile': no such profiler is known\nhint: known are early, late, cycles" in refused.stderr
    missing = run_sonde_here("audit", "gone.c", cwd=tmp_path)
    assert missing.returncode == 2 and "gone.c" in missing.stderr
