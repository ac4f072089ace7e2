"""Tasks of asyncio: how long each ran, awaited, and was ready, against programs whose waits are known."""

import ast
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from interpreters import build_agent, measured_pythons
from measuring import MECHANISMS, PROGRAMS, Measured, environment, measure, measure_elsewhere, run_plainly, run_sonde
from sonde.instruments.contexts.profile import (
    ContextProfile,
    TaskGroup,
    TaskTimes,
    merge_profiles,
    read_profile,
    write_profile,
)

SCRIPT = PROGRAMS / "timed" / "known_waits.py"
HELD_NS = 60_000_000
SLEPT_NS = {"sleeper": 50_000_000, "ticker": 5_000_000}


@dataclass(frozen=True)
class Told:
    """What the profile and the program say."""

    profile: ContextProfile
    tasks: TaskTimes
    stdout: str
    by_twin: dict[str, tuple[int, int, int]]
    """Of a coroutine: nanoseconds run and suspended, and steps, as the program measured them itself."""

    def group(self, coroutine: str, name: str = "", made_in: str = "") -> TaskGroup:
        """The only group of tasks of a coroutine, with a name, made in a function; 3.13.0 says `None` for no name."""
        functions = self.profile.functions
        (found,) = (
            each
            for each in self.tasks.groups
            if (functions[each.coroutine].name, each.name.replace("None", "")) == (coroutine, name)
            and made_in in ("", functions[each.made_in].name)
        )
        return found

    def awaits(self, group: TaskGroup) -> Iterator[tuple[int, str, str]]:
        """Line, coroutine function and thing of each place at which tasks of a group awaited."""
        for each in self.tasks.awaits:
            if self.tasks.groups[each.task] is group:
                awaited = self.profile.functions[each.awaited].name if each.awaited >= 0 else ""
                yield each.line, awaited, each.thing


def told_of(measured: Measured) -> Told:
    assert measured.profile.tasks is not None, measured.stderr
    twin = {}
    for line in measured.stderr.splitlines():
        if line.startswith("('"):
            name, run, suspended, steps = ast.literal_eval(line)
            twin[name] = (run, suspended, steps)
    return Told(measured.profile, measured.profile.tasks, measured.stdout, twin)


@pytest.fixture(scope="module", params=MECHANISMS)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("tasks")
    return told_of(measure(folder, "--raw", "--threads", "--mechanism", request.param, SCRIPT))


def line_of(text: str) -> int:
    """The number of the only line with this text."""
    (found,) = [at for at, line in enumerate(SCRIPT.read_text(encoding="utf-8").splitlines(), 1) if text in line]
    return found


def check_known_waits(told: Told) -> None:
    for group in told.tasks.groups:
        assert group.life_ns == group.run_ns + group.awaited_ns + group.ready_ns
        assert group.tasks == group.ended
    in_main, by_factory = told.group("sleeper", made_in="main"), told.group("sleeper", made_in="main.<locals>.<lambda>")
    for sleeper in (in_main, by_factory):
        # A timer begins before the step in which it is made ends.
        assert sleeper.awaited_ns + sleeper.run_ns >= SLEPT_NS["sleeper"]
        assert sleeper.steps == 3
    cancelled, failed = told.group("endless", made_in="main"), told.group("failing")
    assert [(each.ended, each.cancelled, each.failed) for each in (cancelled, failed)] == [(1, 1, 0), (1, 0, 1)]
    holder, ticker = told.group("twin", "the holder"), told.group("twin")
    assert holder.longest_step_ns >= HELD_NS
    assert holder.run_ns >= 3 * HELD_NS
    # What it sleeps, 5 ms, is over long before the holder, which it wakes, gives the loop back after 60 ms.
    assert ticker.ready_ns >= 2 * (HELD_NS - SLEPT_NS["ticker"])
    loops = told.tasks.loops
    assert loops.loops == 3
    assert HELD_NS <= loops.longest_step_ns <= loops.held_ns <= loops.span_ns
    assert sum(group.run_ns for group in told.tasks.groups) == pytest.approx(loops.held_ns, abs=100)
    assert told.tasks.groups[loops.longest_of].longest_step_ns == loops.longest_step_ns


def test_the_life_of_a_task_is_what_it_ran_awaited_and_was_ready(told: Told) -> None:
    check_known_waits(told)


def test_tasks_agree_with_twins_that_measure_themselves(told: Told) -> None:
    for name, task in (("holder", told.group("twin", "the holder")), ("ticker", told.group("twin"))):
        run, suspended, steps = told.by_twin[name]
        assert task.steps == steps
        # The twin is within its task: it begins to run later, and begins to wait earlier.
        assert run <= task.run_ns
        assert task.run_ns + task.awaited_ns + task.ready_ns == task.life_ns >= run + suspended
        before_first_step_ns = task.life_ns - run - suspended
        assert task.awaited_ns + task.ready_ns <= suspended + before_first_step_ns


def test_places_are_those_of_the_program(told: Told) -> None:
    functions = told.profile.functions
    assert told.group("consumer").made_at_line == line_of("group.create_task(consumer())")
    assert functions[told.group("consumer").made_in].name == "main"
    assert told.group("main").made_at_line == line_of("asyncio.run(main())")
    sleeper = told.group("sleeper", made_in="main")
    assert sorted(told.awaits(sleeper)) == [
        (line_of(f"await asyncio.sleep({seconds})"), "sleep", "") for seconds in (0.02, 0.03)
    ]
    assert set(told.awaits(told.group("locker"))) == {
        (line_of("async with lock"), "Lock.acquire", ""),
        (line_of("await asyncio.sleep(0.004)"), "sleep", ""),
    }
    assert (line_of("await group.create_task"), "consumer", "task") in told.awaits(told.group("main"))


def test_a_program_with_tasks_is_undisturbed(told: Told) -> None:
    assert told.stdout == run_plainly(SCRIPT).stdout
    assert told.profile.losses == ()


def test_tasks_are_merged_by_what_they_are(told: Told) -> None:
    both = merge_profiles([told.profile, told.profile])
    assert both.tasks is not None
    assert len(both.tasks.groups) == len(told.tasks.groups)
    assert [2 * each.life_ns for each in told.tasks.groups] == [each.life_ns for each in both.tasks.groups]
    assert [2 * each.times for each in told.tasks.awaits] == [each.times for each in both.tasks.awaits]
    assert both.tasks.loops.span_ns == 2 * told.tasks.loops.span_ns
    both.check_valid()


@pytest.mark.parametrize("python", measured_pythons(), ids=lambda python: python.parts[-3])
def test_tasks_of_other_pythons(python: Path, tmp_path: Path, cache: str) -> None:
    assert build_agent(python, tmp_path, cache)

    measured = measure_elsewhere(tmp_path, python, "--raw", SCRIPT)

    check_known_waits(told_of(measured))
    plain = subprocess.run([python, SCRIPT], capture_output=True, text=True, env=environment())
    assert measured.stdout == plain.stdout


_FORKS = """
import asyncio, os, signal, sys
async def child(): await asyncio.sleep(0.001)
async def parent():
    await asyncio.sleep(0.001)
    if not os.fork():
        asyncio._set_running_loop(None)
        asyncio.run(child())
        os._exit(0)
    os.wait()
asyncio.run(parent())
async def killed():
    await asyncio.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1:]: asyncio.run(killed())
"""


def test_forked_children_and_killed_programs_have_tasks(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(_FORKS, encoding="utf-8")

    measured = measure(tmp_path, "--follow", script, "killed")

    assert measured.returncode == -signal.SIGKILL
    told = told_of(measured)
    assert [told.group(name).ended for name in ("parent", "child", "killed")] == [1, 1, 0]
    assert told.group("killed").awaited_ns > 0
    assert measure(tmp_path, script).stderr == ""


def test_what_no_task_of_asyncio_runs_is_not_told_of(tmp_path: Path) -> None:
    by_hand = (
        "import asyncio\n"
        "async def one(): await asyncio.sleep(0)\n"
        "coroutine = one()\n"
        "try:\n    while True: coroutine.send(None)\nexcept StopIteration: pass\n"
        "loop = asyncio.new_event_loop()\n"
        "loop.run_until_complete(asyncio.tasks._PyTask(one(), loop=loop))\nloop.close()\n"
    )
    run = tmp_path / "run.sonde"
    assert run_sonde("contexts", "--quiet", "-o", run, "-c", by_hand).returncode == 0
    assert read_profile(run).tasks is None

    refused = run_sonde("view", run, "--tasks")

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "this profile has none of asyncio" in refused.stderr


def test_the_answer_says_who_holds_the_loop(told: Told, tmp_path: Path) -> None:
    run = tmp_path / "run.sonde"
    write_profile(run, told.profile)

    text = run_sonde("view", run, "--tasks").stdout
    answer = json.loads(run_sonde("view", run, "--tasks", "--json").stdout)

    first = " ".join(text.splitlines()[1:4])
    assert "Loops were held" in first
    assert re.search(r"longest [\d.]+ m?s by twin\s+\(known_waits\.py:\d+\),\s+mostly in\s+parse", first)
    assert all(len(line) <= 80 for line in text.splitlines())
    (table,) = (block for block in answer["blocks"] if block["key"] == "tasks")
    (awaits,) = (block for block in answer["blocks"] if block["key"] == "task_awaits")
    assert len(table["rows"]) == len(told.tasks.groups)
    assert len(awaits["rows"]) == len(told.tasks.awaits)


def test_a_task_of_a_tool_that_is_all_installed_is_made_by_the_tool_not_by_what_starts_it(tmp_path: Path) -> None:
    tool = tmp_path / "site-packages" / "tool"
    tool.mkdir(parents=True)
    (tool / "__main__.py").write_text(
        "import asyncio\nasync def main(): pass\ndef start(): asyncio.run(main())\nstart()\n"
    )

    told = told_of(measure(tmp_path, "-m", "tool", PYTHONPATH=str(tool.parent)))

    main = told.group("main")
    assert (told.profile.functions[main.made_in].name, main.made_at_line) == ("start", 3)
