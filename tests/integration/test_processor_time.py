"""`--clock cpu`: each function has the processor time that the system says it had, and what it waited is nobody's.

Processor times are compared with processor times, sonde's with the system's of the same run: how slow or busy the
machine is matters to neither.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import MECHANISMS, Measured, measure, measure_elsewhere
from sonde.instruments.contexts.profile import ContextProfile

PROGRAM = """
import hashlib, json, threading, time
used, clock = {}, time.thread_time_ns
def told(function):
    def step(*arguments):
        began = clock()
        function(*arguments)
        used[function.__name__] = used.get(function.__name__, 0) + clock() - began
    return step
def spins(ns):
    end = clock() + ns
    while clock() < end: pass
def sleeps(times, seconds):
    for _ in range(times): time.sleep(seconds)
def holds(): spins(60_000_000)
def waits_for_lock():
    with lock: pass
def waits_for_others():
    for thread in threads: thread.join()
def small(): pass
def calls():
    for _ in range(200_000): small()
def hashes():
    for _ in range(40): hashlib.sha256(text)
def holding():
    with lock:
        held.set()
        time.sleep(0.1)
        holds()
text = bytes(1 << 20)
lock, held = threading.Lock(), threading.Event()
threads = [threading.Thread(target=holding)]
threads[0].start()
held.wait()
told(waits_for_lock)()
threads += [threading.Thread(target=spins, args=(60_000_000,)) for _ in range(2)]
threads.append(threading.Thread(target=told(hashes)))
for thread in threads[1:]: thread.start()
calls()
told(waits_for_others)()
told(sleeps)(1, 0.3)
told(sleeps)(100, 0.001)
told(spins)(60_000_000)
print(json.dumps(used | {"spins": used["spins"] + 180_000_000}))
"""
WATCHED = ("spins", "hashes", "sleeps", "waits_for_lock", "waits_for_others")
TOLERANCE = 0.1
"""Of the whole: what the system says of a function includes part of calling it, and of watching that."""
MODES = {
    "exact": ["--exact"],
    "bounded": ["--phi", "0.01", "--memory", "16K"],
    "with C functions": ["--exact", "--builtins", "--raw"],
}

IN_PARTS = """
import json, time
used, clock = {}, time.thread_time_ns
def sleeps(): time.sleep(0.01)
def sums(): sum(range(800_000))
def spins():
    end = clock() + 5_000_000
    while clock() < end: small()
def small(): pass
for _ in range(40):
    for part in sleeps, spins, sums:
        began = clock()
        part()
        used[part.__name__] = used.get(part.__name__, 0) + clock() - began
print(json.dumps(used))
"""

FORKS = """
import os, time
def spins(ns):
    end = time.thread_time_ns() + ns
    while time.thread_time_ns() < end: pass
spins(50_000_000)
child = os.fork()
time.sleep(0.2)
spins(50_000_000)
if child: os.waitpid(child, 0)
"""


def own_ns(profile: ContextProfile) -> Counter[str]:
    """Time outside callees, by name; that of C functions is their callers'."""
    tree, own = profile.contexts, Counter[str]()
    for row, self_ns in enumerate(tree.self_ns):
        while profile.functions[tree.function[row]].kind == "builtin":
            row = tree.parent[row]
        own[profile.functions[tree.function[row]].name] += self_ns
    return own


def script(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text)
    return path


def check_against_system(measured: Measured) -> None:
    assert measured.returncode == 0, measured.stderr
    told, own = json.loads(measured.stdout), own_ns(measured.profile)
    off = {name: (own[name], told[name]) for name in WATCHED if abs(own[name] - told[name]) > TOLERANCE * own.total()}
    assert off == {}
    assert measured.profile.is_processor_time
    assert measured.profile.run.unseen_wait_ns > 0


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("mode", MODES)
def test_functions_have_the_time_that_the_system_says_they_ran(tmp_path: Path, mode: str, mechanism: str) -> None:
    if "--builtins" in MODES[mode] and mechanism == "cpython-eval-hook":
        pytest.skip("a frame evaluator sees no C functions")

    options = (*MODES[mode], "--mechanism", mechanism)

    check_against_system(measure(tmp_path, "--clock", "cpu", *options, script(tmp_path, PROGRAM)))


def test_by_the_wall_clock_they_have_what_they_waited_too(tmp_path: Path) -> None:
    own = own_ns(measure(tmp_path, "--exact", script(tmp_path, PROGRAM)).profile)

    assert own["sleeps"] >= 400_000_000
    assert own["waits_for_lock"] >= 100_000_000


@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_so_it_is_in_other_pythons(python: Path, tmp_path: Path, cache: str) -> None:
    assert build_agent(python, tmp_path, cache)

    check_against_system(measure_elsewhere(tmp_path, python, "--clock", "cpu", "--exact", script(tmp_path, PROGRAM)))
    check_bursts(measure_elsewhere(tmp_path, python, *IN_BURSTS, script(tmp_path, IN_PARTS)))


IN_BURSTS = ("--clock", "cpu", "--burst", "7ms/2ms")


def check_bursts(measured: Measured) -> None:
    told, own = json.loads(measured.stdout), own_ns(measured.profile)
    whole = sum(own[name] for name in ("small", *told))
    assert 0.5 * sum(told.values()) < whole < 1.5 * sum(told.values())
    assert own["sleeps"] < 0.1 * whole
    assert own["sums"] > 0.5 * told["sums"] / sum(told.values()) * whole  # no burst begins while it keeps the GIL
    assert own["small"] + own["spins"] > 0.5 * told["spins"] / sum(told.values()) * whole


def test_bursts_tell_the_processor_time_of_the_whole(tmp_path: Path) -> None:
    check_bursts(measure(tmp_path, *IN_BURSTS, script(tmp_path, IN_PARTS)))


def test_bursts_that_are_left_out_leave_the_clocks_alone(tmp_path: Path) -> None:
    options = ("--clock", "cpu", "--burst", "5ms/1ms", "--adaptive", "5%")
    text = IN_PARTS.replace("range(40)", "range(100)").replace("spins, sums", "spins")

    profile = measure(tmp_path, *options, script(tmp_path, text)).profile

    assert profile.sampling is not None
    assert 0 < profile.sampling.fraction < 0.9  # a fifth, but for chance and late ends of bursts


def test_a_forked_child_has_a_clock_of_its_own(tmp_path: Path) -> None:
    profile = measure(tmp_path, "--clock", "cpu", "--follow", script(tmp_path, FORKS)).profile

    own = own_ns(profile)
    assert len(profile.processes) == 2
    assert own["spins"] * (1 + TOLERANCE) >= 150_000_000
    assert own["spins"] <= 150_000_000 * (1 + TOLERANCE)
    assert own["<module>"] < 0.5 * 200_000_000


RUNS_ON = """
import os, sys, time
end = time.thread_time() + 0.1
while time.thread_time() < end: pass
time.sleep(0.2)
"""


@pytest.mark.parametrize(
    "end",
    ["", "os._exit(0)", "os.execv(sys.executable, [sys.executable, '-c', ''])", "os.kill(os.getpid(), 9)"],
    ids=["end", "exit", "exec", "kill"],
)
def test_what_ran_since_the_last_call_counts_unless_the_program_ends_without_a_word(end: str, tmp_path: Path) -> None:
    # given a program that runs on after its last call, but for a wait
    text = f"{RUNS_ON}\n{end}"
    # when
    own = own_ns(measure(tmp_path, "--clock", "cpu", script(tmp_path, text)).profile)
    # then
    if "kill" in end:
        assert own["<module>"] < 50_000_000
    else:
        assert 100_000_000 / (1 + TOLERANCE) < own["<module>"] < 200_000_000


def test_the_launcher_knows_the_processor_time_of_a_program_and_its_children() -> None:
    """As the kernel tells it more finely: two hundredths of a second more at most."""
    spin = "import time\nwhile time.process_time() < 0.05: pass"
    program = f"import subprocess, sys\n{spin}\nsubprocess.run([sys.executable, '-c', {spin!r}])\ntime.sleep(0.05)"
    launched = f"""
import resource, sys
from sonde.launch import run_to_end
ran_ns = run_to_end([sys.executable, "-c", {program!r}]).processor_ns
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(ran_ns, round(1e9 * (usage.ru_utime + usage.ru_stime)))
"""
    done = subprocess.run([sys.executable, "-c", launched], stdout=subprocess.PIPE, text=True, check=True)
    ran_ns, told_ns = map(int, done.stdout.split())
    assert 100_000_000 <= told_ns <= ran_ns <= told_ns + 20_000_000
