"""`sonde contexts --threads`: the same counts, and whose they are."""

from collections import Counter
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import (
    MECHANISMS,
    PROGRAMS,
    ContextPath,
    calls_by_oracle,
    calls_by_path,
    comparable,
    counted_by_path,
    measure,
    measure_elsewhere,
    replay,
    run_plainly,
    run_sonde,
    run_sonde_here,
)
from sonde.instruments.contexts.profile import ContextProfile, by_thread, check_threads

SCRIPTS = sorted(PROGRAMS.glob("*.py"))

WORKERS = """
import threading, _thread, os, sys, time

class Odd(threading.Thread):
    def __getattribute__(self, name):
        if name == "_name":
            print("asked", flush=True)
        return super().__getattribute__(name)

def work(count):
    for i in range(count):
        step(i)

def step(i):
    return i

def run(count, name, kind=threading.Thread):
    thread = kind(target=work, args=(count,), name=name)
    thread.start()
    thread.join()

def nameless(done):
    work(7)
    done.release()

run(30, "first")
run(20, "second")
run(5, "first")
run(3, "odd", Odd)
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(nameless, (done,))
done.acquire()
if sys.argv[1:] == ["fork"]:
    if not os.fork():
        run(11, "in the child")
        work(2)
        sys.exit()
    os.wait()
if sys.argv[1:] == ["many"]:
    for _ in range(300):
        run(1, "one of many")
work(4)
"""


def steps_by_thread(profile: ContextProfile) -> dict[tuple[int, str], list[int]]:
    """Calls of `step` of each thread, by the number of its process and its name."""
    assert profile.threads is not None
    steps: dict[tuple[int, str], list[int]] = {}
    tree = by_thread(profile).contexts
    names = [*(each.name for each in profile.functions), *(None for _ in profile.threads.threads)]
    root_of: list[int] = []
    calls = Counter[int]()
    for row, (parent, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        root_of.append(row if parent < 0 else root_of[parent])
        calls[root_of[row]] += tree.calls[row] if names[function] == "step" else 0
    for root, count in sorted(calls.items()):
        thread = profile.threads.threads[tree.function[root] - len(profile.functions)]
        steps.setdefault((thread.process, thread.label), []).append(count)
    return steps


def summed_over_threads(profile: ContextProfile) -> "Counter[ContextPath]":
    calls = Counter[ContextPath]()
    for path, count in calls_by_path(by_thread(profile)).items():
        calls[path[1:]] += count
    return calls


@pytest.fixture
def workers(tmp_path: Path) -> Path:
    script = tmp_path / "workers.py"
    script.write_text(WORKERS, encoding="utf-8")
    return script


@pytest.mark.parametrize("times", [[], ["--no-time"], ["--builtins"], ["--clock", "cpu"]], ids=" ".join)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_each_thread_has_what_it_ran(workers: Path, mechanism: str, times: list[str], tmp_path: Path) -> None:
    measured = measure(tmp_path, "--threads", *times, "--mechanism", mechanism, workers)

    check_threads(measured.profile)
    steps = steps_by_thread(measured.profile)
    assert steps.pop((0, "MainThread")) == [4]
    if mechanism != "cpython-set-profile":  # which sees threads of threading only
        assert steps.pop((0, "thread 6")) == [7]
    assert steps == {(0, "first"): [30, 5], (0, "second"): [20], (0, "odd"): [3]}
    assert summed_over_threads(measured.profile) == calls_by_path(measured.profile)
    assert measured.stdout == run_plainly(workers).stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_sums_are_what_the_oracle_counts(script: Path, tmp_path: Path) -> None:
    run_plainly(script)  # compiled files exist from now on
    expected, printed = calls_by_oracle(tmp_path, script)

    measured = measure(tmp_path, "--exact", "--threads", script)

    assert measured.stdout == printed
    assert comparable(calls_by_path(measured.profile)) == comparable(expected)
    assert summed_over_threads(measured.profile) == calls_by_path(measured.profile)


@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_threads_are_kept_apart_in_other_pythons(python: Path, workers: Path, tmp_path: Path, cache: str) -> None:
    assert build_agent(python, tmp_path, cache)

    measured = measure_elsewhere(tmp_path, python, "--threads", workers)

    check_threads(measured.profile)
    steps = steps_by_thread(measured.profile)
    assert steps.pop((0, "MainThread")) == [4]
    assert steps == {(0, "first"): [30, 5], (0, "second"): [20], (0, "odd"): [3], (0, "thread 6"): [7]}


def test_a_forked_child_has_threads_of_its_own(workers: Path, tmp_path: Path) -> None:
    measured = measure(tmp_path, "--threads", "--follow", workers, "fork")

    check_threads(measured.profile)
    steps = steps_by_thread(measured.profile)
    assert (steps[0, "MainThread"], steps[1, "MainThread"]) == ([4], [2])
    assert (steps[0, "first"], steps[1, "in the child"]) == ([30, 5], [11])
    assert not {(1, "first"), (0, "in the child")} & steps.keys()


def test_threads_beyond_the_limit_are_one(workers: Path, tmp_path: Path) -> None:
    measured = measure(tmp_path, "--threads", workers, "many")

    check_threads(measured.profile)
    steps = steps_by_thread(measured.profile)
    assert len(steps[0, "one of many"]) + steps[0, "(further threads)"][0] == 300
    assert sum(map(len, steps.values())) == 256


def test_bounds_hold_of_all_threads_together(tmp_path: Path) -> None:
    script, trace = PROGRAMS / "threads.py", tmp_path / "t.trace"
    options: list[str | Path] = ["--metric", "calls", "--memory", "4K", "--record", trace]

    hot = measure(tmp_path, "--threads", *options, script).profile

    truth = calls_by_path(replay(tmp_path, "--exact", trace))
    assert hot.approximation is not None
    assert hot.approximation.floor > 0
    counted = counted_by_path(hot)
    for path, calls in truth.items():
        if path in counted:
            assert counted[path].calls <= calls <= counted[path].calls + counted[path].error
        else:
            assert calls <= hot.approximation.floor
    assert by_thread(hot).total_calls == hot.total_calls == truth.total()


def test_what_cannot_be_told_apart_is_refused(workers: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.sonde"
    assert run_sonde("contexts", "-o", run, "--quiet", workers).returncode == 0

    refused = run_sonde_here("view", run, "--threads")
    concurrent = run_sonde_here("contexts", "--threads", "--concurrent", workers)
    focused = run_sonde_here("view", run, "--threads", "--from", "step")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "record it with sonde contexts --threads" in refused.stderr
    assert concurrent.returncode == 2
    assert "cannot keep threads apart that are counted concurrently" in concurrent.stderr
    assert focused.returncode == 2
    assert "--from and --threads exclude each other" in focused.stderr


def test_merged_runs_have_the_threads_of_both(workers: Path, tmp_path: Path) -> None:
    one, other, both = (tmp_path / f"{name}.sonde" for name in ("one", "other", "both"))
    for run in (one, other):
        assert run_sonde("contexts", "--threads", "-o", run, "--quiet", workers).returncode == 0

    assert run_sonde_here("merge", one, other, "-o", both).returncode == 0

    text = run_sonde_here("view", both, "--threads", COLUMNS="120").stdout
    table = text.split("threads  by thread time, waiting included\n")[1].split("\n\n")[0]
    assert table.count(" second ") == 2
    assert table.count("MainThread") == 2


_TIMED = """
import sys, threading, time

def watched(work):
    began, processor_began = time.monotonic_ns(), time.thread_time_ns()
    work()
    print(threading.current_thread().name, time.monotonic_ns() - began, time.thread_time_ns() - processor_began,
          file=sys.stderr)

def busy():
    until = time.thread_time() + 0.03
    while time.thread_time() < until:
        pass

threads = [threading.Thread(target=watched, args=(work,), name=name)
           for name, work in (("busy", busy), ("idle", lambda: threading.Event().wait(0.06)))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_a_thread_has_its_processor_time_by_any_clock(clock: str, tmp_path: Path) -> None:
    (tmp_path / "timed.py").write_text(_TIMED)

    measured = measure(tmp_path, "--threads", "--clock", clock, tmp_path / "timed.py")

    assert measured.profile.threads is not None
    threads = {thread.name: thread for thread in measured.profile.threads.threads}
    for name, *own in map(str.split, measured.stderr.splitlines()):
        elapsed_ns, processor_ns = map(int, own)
        thread = threads[name]
        assert thread.elapsed_ns is not None
        assert thread.processor_ns is not None
        # What the thread itself saw lies within; on a processor it is at most as long as it is there.
        assert elapsed_ns <= thread.elapsed_ns
        assert processor_ns <= thread.processor_ns <= thread.elapsed_ns + 1_000_000
    main = threads["MainThread"]
    assert main.elapsed_ns is not None
    assert main.elapsed_ns >= (threads["idle"].elapsed_ns or 0) > 0


def test_what_leaves_by_exit_at_once_has_its_threads_times_and_tasks(tmp_path: Path) -> None:
    """Nothing that is registered for the end runs then: children of multiprocessing leave so."""
    script = tmp_path / "program.py"
    script.write_text(
        "import asyncio, os, time\n"
        "async def job(): await asyncio.sleep(0.03)\n"
        "async def main():\n"
        "    await job()\n"
        "    end = time.thread_time() + 0.05\n"
        "    while time.thread_time() < end: pass\n"
        "    os._exit(3)\n"
        "asyncio.run(main())\n"
    )
    # Raw: the task's clock stands while it is watched, also within the 30 ms, which on a slow machine is much.
    measured = measure(tmp_path, "--raw", "--threads", script)
    assert measured.returncode == 3
    threads, tasks = measured.profile.threads, measured.profile.tasks
    assert threads is not None and tasks is not None
    (thread,) = threads.threads
    assert thread.elapsed_ns is not None and thread.processor_ns is not None
    assert thread.elapsed_ns >= 80_000_000 and 50_000_000 <= thread.processor_ns <= thread.elapsed_ns
    (group,) = tasks.groups
    assert group.life_ns == group.run_ns + group.awaited_ns + group.ready_ns >= 79_500_000
    # Two clocks of the system may run apart by some parts in ten thousand; on a fast machine nothing else is added.
    assert group.run_ns >= 49_500_000 and tasks.loops.span_ns >= tasks.loops.held_ns >= 49_500_000
