"""All tasks of asyncio as seen from outside, compared with what programs see of themselves, on each CPython."""

import json
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from measuring import run_sonde
from sampled_pythons import PROGRAMS, looked_at, on_each_python, running
from sonde._native import TaskSampler
from sonde.instruments.contexts.analyses import task_contexts
from sonde.instruments.contexts.analysis.awaited_places import waiting_groups
from sonde.instruments.contexts.analysis.task_graph import TaskState
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Run, read_profile
from sonde.instruments.contexts.sources.sampling import Found
from sonde.instruments.contexts.verb.sampled_run import processes_of

_FEW_LOOKS = 40
"""With fewer, nothing is said of times."""
_FAR_OFF = 0.15
"""Of a share: some looks are enough to be nearer."""


def _seen(pid: int) -> tuple[TaskSampler, dict[str, tuple[list[list[object]], int, list[str]]]]:
    """The sampler; and by name of each task: its chain, its state, who awaits it."""
    sampler = TaskSampler(1)
    assert sampler.add(pid) == Found.FOUND
    sampler.look(time.monotonic_ns())
    names = [name for name, _, _, _, _ in sampler.functions()]
    tasks = sampler.seen()
    return sampler, {
        name: ([[names[function], line] for function, line in frames], state, [tasks[each][0] for each in awaiters])
        for name, state, frames, _, _, awaiters in tasks
    }


@on_each_python
def test_what_tasks_await_is_what_the_program_sees_itself(python: Path) -> None:
    with running(python, "awaiting.py") as process:
        assert process.stdout is not None
        truth = json.loads(process.stdout.readline())
        sampler, seen = _seen(process.pid)
        assert {name: chain for name, (chain, _, _) in seen.items()} == truth["chains"]
        assert len(truth["chains"]) == 26
        awaiters = {name: awaited_by for name, (_, _, awaited_by) in seen.items() if awaited_by}
        assert awaiters == truth["awaiters"]
        waits_for_tasks = {name for name, (_, state, _) in seen.items() if state == TaskState.WAITS_FOR_TASKS}
        assert waits_for_tasks == {name for names in truth["awaiters"].values() for name in names}
        assert {state for _, state, _ in seen.values()} <= {TaskState.WAITS, TaskState.WAITS_FOR_TASKS}
        sums = sampler.sums()
        assert (sums["torn"], sums["not_in_c"], sums["without_room"]) == (0, 0, 0)


@on_each_python
def test_who_awaits_whom_is_what_cpython_says_itself(python: Path) -> None:
    with running(python, "awaiting.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        command = [str(python), "-m", "asyncio", "ps", str(process.pid)]
        told = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if told.returncode or "task name" not in told.stdout:
            pytest.skip("this CPython, or this user, cannot look at tasks of another process")
        _, seen = _seen(process.pid)
    head, _, *lines = told.stdout.splitlines()
    begin = {title: head.index(title) for title in ("task name", "coroutine stack", "awaiter name", "awaiter id")}
    named = {
        line[begin["task name"] : begin["coroutine stack"]].strip():
        line[begin["awaiter name"] : begin["awaiter id"]].strip()
        for line in lines if len(line) < begin["awaiter id"] + 20
    }  # fmt: skip
    assert len(named) > 20  # the others have chains that are wider than their column
    assert all(([*seen[name][2], ""])[0] == awaiter for name, awaiter in named.items())


@on_each_python
def test_no_await_is_invented_of_tasks_that_change_all_the_time(python: Path) -> None:
    source = (PROGRAMS / "restless_tasks.py").read_text().splitlines()
    awaits = {line: text.partition("# awaits ")[2] for line, text in enumerate(source, 1) if "# awaits " in text}
    who_awaits = {"short": "root", "root": "main"}
    seen: Counter[str] = Counter()
    with running(python, "restless_tasks.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        sampler = TaskSampler(1)
        assert sampler.add(process.pid) == Found.FOUND
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            sampler.look(time.monotonic_ns())
            functions, tasks = sampler.functions(), sampler.seen()
            for name, state, frames, _, _, awaiters in tasks:
                chain = [(functions[function][0], functions[function][1], line) for function, line in frames]
                seen[chain[0][0]] += 1
                for (_, file, line), below in pairwise(chain):
                    if file.endswith("restless_tasks.py") and state != TaskState.RUNS:
                        assert awaits[line] == below[0], (name, chain)
                if chain[-1][1].endswith("restless_tasks.py") and state in (TaskState.WAITS, TaskState.WAITS_FOR_TASKS):
                    assert awaits[chain[-1][2]] == "nothing", (name, chain)
                for each in awaiters:
                    above = functions[tasks[each][2][0][0]][0]
                    assert above == who_awaits[chain[0][0]], (name, chain, above)
        sums = sampler.sums()
    assert set(seen) <= {"main", "root", "short"} and sums["not_in_c"] == 0
    assert sums["torn"] < 0.2 * (sums["stacks"] + sums["torn"] + 100)


@on_each_python
def test_where_tasks_wait_has_the_time_that_they_measure(python: Path) -> None:
    with running(python, "known_waits.py") as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        seen = looked_at(process.pid, seconds=1.0, rate=200.0, of_tasks=True)
        process.stdin.close()
        truth = json.loads(process.stdout.readline())
    run = Run(time_kind="tasks", duration_ns=seen.ended_ns - seen.began_ns)
    profile = task_contexts(seen.sampler, run, processes_of(seen), period_ns=seen.period_ns)
    profile.check_valid()
    assert profile.sampling is not None
    groups = {group.name: group for group in waiting_groups(profile)}
    assert sum(group.time.whole_ns for group in groups.values()) == _whole(profile)
    if profile.sampling.bursts < _FEW_LOOKS:
        return
    worker = groups["tasks of worker"]
    of_functions = dict.fromkeys(truth, 0)
    for place, spent in worker.places.items():
        name = profile.functions[place.function].name
        if name in of_functions:
            of_functions[name] += spent.awaited_ns
    whole, found = sum(truth.values()), sum(of_functions.values())
    assert abs(of_functions["waits_long"] / found - truth["waits_long"] / whole) < _FAR_OFF
    # Who gathers them waits for tasks, all the time.
    main = groups["tasks of main"].time
    assert main.for_tasks_ns > 0.8 * main.whole_ns
    # Workers stand below who awaits them.
    tree, names = profile.contexts, [function.name for function in profile.functions]
    above = {names[tree.function[up]] for function, up in zip(tree.function, tree.parent, strict=True)
             if names[function] == "worker" and up != NO_PARENT}  # fmt: skip
    assert above == {"main"}


def _whole(profile: ContextProfile) -> int:
    assert profile.threads is not None
    return sum(profile.threads.contexts.self_ns)


def _sonde(*words: str) -> "subprocess.CompletedProcess[str]":
    return run_sonde(*words)


def test_a_picture_of_now_names_circles(tmp_path: Path) -> None:
    with running(Path(sys.executable), "awaiting.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        told = _sonde("sample", "--now", "--pid", str(process.pid))
        assert told.returncode == 0, told.stderr
        assert "3 tasks await each other in a circle" in told.stdout
        assert "first (awaiting.py" in told.stdout.replace("\n", " ").replace("   ", " ")
        answer = json.loads(_sonde("sample", "--now", "--json", "--pid", str(process.pid)).stdout)
        (table,) = (block for block in answer["blocks"] if block["key"] == "tasks_now")
        assert table["rows"]
        refused = _sonde("sample", "--now", "app.py")
        assert refused.returncode == 2 and "cannot use --now with 'app.py'" in refused.stderr
    with running(Path(sys.executable), "lock_held.py") as process:
        told = _sonde("sample", "--now", "--pid", str(process.pid))
        assert told.returncode == 1 and "has not imported asyncio" in told.stderr


def test_profiles_of_tasks_are_kept_viewed_compared_and_merged(tmp_path: Path) -> None:
    one, other, both = (tmp_path / name for name in ("one.sonde", "other.sonde", "both.sonde"))
    with running(Path(sys.executable), "awaiting.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        for path in (one, other):
            words = ("--what", "tasks", "--for", "0.3s", "-o", str(path))
            told = _sonde("sample", "--pid", str(process.pid), *words)
            assert told.returncode == 0, told.stderr
            assert "at once, waited" in told.stderr.replace("\n ", "")
    profile = read_profile(one)
    assert profile.run.time_kind == "tasks" and profile.threads is not None
    assert "task deep" in _sonde("view", str(one)).stdout
    assert _sonde("diff", str(one), str(other)).returncode in (0, 1, 4)
    assert _sonde("merge", str(one), str(other), "-o", str(both)).returncode == 0
    merged = read_profile(both)
    assert merged.total_ns == sum(read_profile(path).total_ns for path in (one, other))
    page = tmp_path / "page.html"
    assert _sonde("view", str(both), "--html", str(page)).returncode == 0
    assert "waiting_tasks" in page.read_text()
