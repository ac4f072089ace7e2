"""Calls that are all counted, with times that are sampled from outside."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import SONDE, Measured, environment, measure, measure_elsewhere, run_sonde, run_sonde_here
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, function_totals, read_profile

NAPS = Path(__file__).parents[1] / "sampled_programs" / "naps.py"
NAP_NS = 50_000_000
WHERE = (
    "after_a_call main",
    "after_a_deep_call main",
    "made consumer",
    "made beside_a_generator",
    "beside_a_generator main",
    "callback sorts",
    "handler main",
    "unwinding unwinding",
    "Holder.__init__ constructs",
    "awaited task",
    "in_a_thread Thread.run",
)
"""Function and caller of each nap."""
CHILDREN = """\
import os, subprocess, sys, threading, time
def naps():
    time.sleep(0.05)
def in_child():
    naps()
def in_other():
    naps()
if len(sys.argv) > 1:
    in_other()
    sys.exit()
child = os.fork()
if not child:
    in_child()
    os._exit(0)
os.waitpid(child, 0)
subprocess.run([sys.executable, __file__, "other"])
thread = threading.Thread(target=naps, name="worker")
thread.start()
thread.join()
naps()
"""
KILLS = """\
import os, signal, time
def naps():
    time.sleep(0.05)
naps()
os.kill(os.{}(), signal.SIGKILL)
time.sleep(9)
"""


def naps(profile: ContextProfile) -> dict[str, int]:
    """Own nanoseconds by function and caller."""
    tree, found = profile.contexts, dict[str, int]()
    for above, number, ns in zip(tree.parent, tree.function, tree.self_ns, strict=True):
        caller = profile.functions[tree.function[above]].name if above != NO_PARENT else ""
        name = f"{profile.functions[number].name} {caller}"
        found[name] = found.get(name, 0) + ns
    return found


def check_naps(measured: Measured) -> None:
    profile, found = measured.profile, naps(measured.profile)
    assert {name: found.get(name, 0) for name in WHERE if found.get(name, 0) < NAP_NS / 2} == {}
    assert sum(ns for name, ns in found.items() if name.startswith(("tiny ", "deep "))) < NAP_NS
    assert (profile.run.clock, profile.has_calls) == ("sampled", True)
    assert profile.sampling is not None and profile.sampling.is_of_times_only
    assert len(profile.contexts.ns_deviation) == len(profile.contexts)
    # Of times: how busy the machine is.
    assert [loss for loss in profile.losses if not loss.kind.startswith("times-")] == []


@pytest.mark.parametrize("options", [[], ["--builtins"], ["--lines", "--live", "--tasks", "--every", "200us"]])
def test_each_context_has_the_time_that_passes_in_it(options: list[str], tmp_path: Path) -> None:
    script = tmp_path / "naps.py"
    script.write_text(NAPS.read_text().replace("float(sys.argv[1])", "0.05"))
    measured = measure(tmp_path, "--exact", "--time", "sampled", *options, script)
    profile = measured.profile
    if "--builtins" in options:
        assert naps(profile)["time.sleep after_a_call"] > NAP_NS / 2
    else:
        check_naps(measured)
    if "--lines" in options:
        function = next(each for each in profile.functions if each.name == "after_a_call")
        assert profile.line_samples[function]
    if "--tasks" in options:
        assert profile.tasks is not None


@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_so_it_is_in_other_pythons(python: Path, tmp_path: Path, cache: str) -> None:
    assert build_agent(python, tmp_path, cache)
    script = tmp_path / "naps.py"
    script.write_text(NAPS.read_text().replace("float(sys.argv[1])", "0.05"))
    check_naps(measure_elsewhere(tmp_path, python, "--exact", "--time", "sampled", script))


def test_threads_and_processes_are_sampled_apart(tmp_path: Path) -> None:
    script = tmp_path / "children.py"
    script.write_text(CHILDREN)
    profile = measure(tmp_path, "--time", "sampled", "--follow", "--threads", script).profile
    found = naps(profile)
    for caller in ("in_child", "in_other", "Thread.run", "<module>"):
        assert found.get(f"naps {caller}", 0) > NAP_NS / 2, caller
    assert len(profile.processes) == 3
    trees = profile.threads
    assert trees is not None
    at_roots = {
        trees.threads[-1 - number].name: total
        for above, number, total in zip(
            trees.contexts.parent, trees.contexts.function, trees.contexts.total_ns, strict=True
        )
        if above == NO_PARENT
    }
    assert at_roots["worker"] > NAP_NS / 2


def test_of_processor_time_naps_have_little(tmp_path: Path) -> None:
    script = tmp_path / "naps.py"
    script.write_text(
        "import time\n"
        "def works():\n    end = time.thread_time() + 0.1\n    while time.thread_time() < end: pass\n"
        "def naps():\n    time.sleep(0.3)\n"
        "naps(); works()\n"
    )
    profile = measure(tmp_path, "--time", "sampled", "--clock", "cpu", script).profile
    found = naps(profile)
    assert profile.run.time_kind == "processor"
    assert found["naps <module>"] < 150_000_000
    assert found["works <module>"] > 50_000_000


def test_in_bounded_memory_what_is_hot_stays(tmp_path: Path) -> None:
    script = tmp_path / "many.py"
    script.write_text(
        "import time\n"
        "def leaf(): pass\n"
        "def naps():\n    time.sleep(0.1)\n"
        "source = 'def f{0}():\\n    leaf()\\n'\n"
        "names = {'leaf': leaf}\n"
        "for number in range(3000): exec(source.format(number), names)\n"
        "naps()\n"
        "for number in range(3000): names[f'f{number}']()\n"
        "naps()\n"
    )
    profile = measure(tmp_path, "--time", "sampled", "--memory", "200k", script).profile
    assert profile.approximation is not None and profile.approximation.floor >= 0
    assert profile.left_something_out or len(profile.contexts) < 3000
    assert naps(profile)["naps <module>"] > 100_000_000
    assert profile.total_calls >= 6003


def test_a_program_that_is_killed_keeps_its_times(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLS.format("getpid"))
    measured = measure(tmp_path, "--time", "sampled", script)
    assert measured.returncode == -signal.SIGKILL
    assert naps(measured.profile)["naps <module>"] > NAP_NS / 2


def test_so_does_a_run_whose_sonde_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "kills.py"
    script.write_text(KILLS.format("getppid"))
    run_sonde("contexts", "--time", "sampled", "-o", tmp_path / "run.sonde", script)
    told = run_sonde("view", tmp_path / "run.sonde", "--json")
    assert told.returncode == 0, told.stderr
    profile = read_profile(tmp_path / "run.sonde")
    assert not profile.run.complete
    assert naps(profile)["naps <module>"] > NAP_NS / 2
    assert profile.sampling is not None and profile.sampling.is_of_times_only


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--time", "sampled", "--no-time"], "cannot use --no-time with --time sampled"),
        (["--time", "sampled", "--record", "a.trace"], "cannot use --record with --time sampled"),
        (["--time", "sampled", "--concurrent"], "cannot use --concurrent with --time sampled"),
        (["--time", "sampled", "--burst", "20ms/2ms"], "cannot use --burst with --time sampled"),
        (["--every", "1ms"], "cannot use --every where times are measured"),
        (["--time", "both"], "cannot choose --time both without --cycles"),
        (["--stamps", "all"], "cannot choose --stamps without --cycles"),
    ],
)
def test_what_cannot_be_had_is_refused(options: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("pass\n")
    done = run_sonde_here("contexts", *options, "app.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


@pytest.mark.timing  # shares of elapsed time, as the program's own clock tells them: the machine's speed cancels out
def test_shares_are_those_that_the_program_measures_itself(tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    options = ["--quiet", "--time", "sampled", "-o", str(output)]
    command = [*SONDE, "contexts", *options, str(NAPS.with_name("known_shares.py")), "1.5", "wall"]
    done = subprocess.run(command, input="\n", capture_output=True, text=True, timeout=300, env=environment())
    known: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    totals = function_totals(profile := read_profile(output))
    found = {profile.functions[number].name: ns for number, ns in enumerate(totals.total_ns)}
    whole = sum(found[name] for name in known)
    for name, share in known.items():
        # Four times what chance alone makes of 1,500 looks: sqrt(0.25 / 1500).
        assert abs(found[name] / whole - share) < 0.052, (name, found[name] / whole, share)
