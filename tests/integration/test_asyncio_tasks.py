"""Tasks of asyncio told apart from outside, on each CPython."""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sampled_pythons import looked_at, on_each_python, profile_of, running
from sonde._native import python_layout
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile

_ASK = """
import asyncio, ctypes, json, sys
async def coroutine(): pass
async def main():
    task = asyncio.create_task(coroutine(), name="a name")
    words = (ctypes.c_size_t * 40).from_address(id(task))
    here = [list(words).index(id(each)) * 8 for each in (task.get_coro(), task.get_name())]
    await task
    runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
    told = ctypes.string_at(runtime, 1024).hex() if sys.version_info >= (3, 13) else ""
    print(json.dumps([sys.hexversion, told, here]))
asyncio.run(main())
"""


@on_each_python
def test_a_task_holds_its_coroutine_and_its_name_where_we_look_for_them(python: Path) -> None:
    version, told, (coroutine, name) = json.loads(subprocess.check_output([python, "-c", _ASK], text=True))
    layout = python_layout(version, bytes.fromhex(told))
    assert layout is not None
    if version >= 0x030E0000:  # the module tells it, once it is loaded
        assert layout["task_coroutine"] == layout["state_task"] == 0
        assert name == coroutine + 8
    else:
        assert (layout["task_coroutine"], layout["task_coroutine"] + 8) == (coroutine, name)


@on_each_python
def test_what_a_task_runs_is_its_own(python: Path) -> None:
    with running(python, "named_tasks.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(20):  # until all were seen
            profile = profile_of(looked_at(process.pid, seconds=0.5, is_processor=True, by_tasks=True))
            assert profile.threads is not None
            tree, names = profile.threads.contexts, [thread.name for thread in profile.threads.threads]
            if len(names) == (3 if profile.processes[0].python.startswith("3.11") else 4):
                break
    named, numbered, eager = "task fetches für alle", "tasks of numbered", "tasks of eager"
    has_eager = eager in names
    assert set(names) - {eager} == {"MainThread", named, numbered}
    assert has_eager == (not profile.processes[0].python.startswith("3.11"))
    task_of: list[str] = []
    found: dict[str, set[str]] = {name: set() for name in names}
    for above, number in zip(tree.parent, tree.function, strict=True):
        task_of.append(names[-1 - number] if above == NO_PARENT else task_of[above])
        if number >= 0:
            found[task_of[-1]].add(profile.functions[number].name)
    # The chain of coroutines is on the stack, below the loop.
    assert {"named", "of_first"} <= found[named]
    assert {"numbered", "goes_on", "of_second"} <= found[numbered]
    assert not found[named] & {"numbered", "goes_on", "of_second"}
    assert not found[numbered] & {"named", "of_first", "of_eager"}
    # A step is over before it can be asked whose it was: tasks that were seen before are known by their coroutines.
    of_first, of_eager = (_ns_by_task(profile, task_of, each) for each in ("of_first", "of_eager"))
    assert of_first[named] >= 0.8 * of_first.total()
    # A task that runs within a step of another one is told of itself, once one such was seen.
    assert not has_eager or "eager" in found[eager]
    assert of_eager[named] <= 0.1 * of_eager.total() + 5_000_000


def _ns_by_task(profile: ContextProfile, task_of: Sequence[str], name: str) -> "Counter[str]":
    """What a function has itself in each task."""
    assert profile.threads is not None
    tree, found = profile.threads.contexts, Counter[str]()
    for task, number, ns in zip(task_of, tree.function, tree.self_ns, strict=True):
        if number >= 0 and profile.functions[number].name == name:
            found[task] += ns
    return found
