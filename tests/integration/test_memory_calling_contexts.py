"""Calling contexts of memory accesses, against a profile function that keeps the stack and counts walks over an array.

Each walk reads an array that is far larger than the nearest cache from its beginning to its end: it misses once a line.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from measuring import run_plainly, run_sonde
from needed import needs
from sonde.instruments.memory.profile import MemoryProfile, read_memory_profile
from sonde.instruments.memory.profile.contexts import context_totals
from sonde.instruments.memory.profile.memory_profile import NO_CALLER, NO_FUNCTION
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

LINE = 64
LINES_OF_A_WALK = 4096
CACHES = ("--l1", "32K,8,64", "--l2", "128K,8,64", "--levels", "2")
OTHER_MISSES = 0.4
"""Those of the interpreter, which finds its data gone from the caches, as a part of those of one walk."""

PROGRAM = f"""\
import functools
import threading

ARRAY = bytes({LINE * LINES_OF_A_WALK})


def walk(times=1):
    for _ in range(times):
        ARRAY.count(1)


def values(count):
    for number in range(count):
        walk()
        yield number


def deep(depth):
    if depth:
        deep(depth - 1)
    else:
        walk(2)


def fails(depth):
    if not depth:
        raise ValueError
    try:
        fails(depth - 1)
    finally:
        if depth == 2:
            ARRAY.count(1)  # while it is unwound


class Ordered:
    def __init__(self, key):
        self.key = key

    def __lt__(self, other):
        ARRAY.count(1)
        return self.key < other.key


def sorts():
    return sorted([Ordered(2), Ordered(1)])


def sums():
    return sum(values(3))  # resumed by C code


def loops():
    found = []
    for number in values(2):
        found.append(number)
        ARRAY.count(1)
    return found


def half_used():
    first = values(5)
    next(first)
    return first


def goes_on(generator):
    next(generator)


def delegates():
    yield from values(2)


def caught():
    try:
        fails(3)
    except ValueError:
        ARRAY.count(1)


def in_thread():
    walk()
    sums()


def main():
    sums()
    loops()
    deep(40)
    sorts()
    goes_on(half_used())
    list(delegates())
    caught()
    functools.reduce(lambda one, other: walk(), range(3))
    threads = [threading.Thread(target=in_thread) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
"""

TWIN = """\
import collections, json, sys, threading

walks, local = collections.Counter(), threading.local()


def look(frame, event, argument):
    stack = local.__dict__.setdefault("stack", [])
    if event == "call":
        stack.append(frame.f_code.co_qualname)
    elif event == "return":
        stack.pop()
    elif event == "c_call" and argument.__name__ == "count":
        walks[tuple(stack)] += 1


with open(sys.argv[1], encoding="utf-8") as file:
    code = compile(file.read(), sys.argv[1], "exec")
threading.setprofile(look)
sys.setprofile(look)
exec(code, {"__name__": "__main__"})
sys.setprofile(None)
print(json.dumps([[path, count] for path, count in walks.items()]))
"""

Path_ = tuple[str, ...]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = tmp_path_factory.mktemp("contexts") / "app.py"
    script.write_text(PROGRAM, encoding="utf-8")
    return script


@pytest.fixture(scope="module")
def profile(script: Path, cache: str) -> MemoryProfile:
    output = script.with_name("run.sonde")
    done = run_sonde("memory", "--quiet", *CACHES, "-o", output, script, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    return read_memory_profile(output)


def test_contexts_miss_what_a_profile_function_says_that_they_walk_over(profile: MemoryProfile, script: Path) -> None:
    twin = script.with_name("twin.py")
    twin.write_text(TWIN, encoding="utf-8")
    walks = {tuple(path): count for path, count in json.loads(run_plainly(twin, script).stdout)}
    assert sum(walks.values()) == 26
    paths, own, below = _paths(profile), Counter[Path_](), Counter[Path_]()
    for path, context, total in zip(paths, profile.contexts, context_totals(profile.contexts), strict=True):
        own[path] += context.misses[-1]
        below[path] += total.misses[-1]
    for path, walked in walks.items():
        assert path in own, path
        assert abs(own[path] / LINES_OF_A_WALK - walked) < OTHER_MISSES, path
    for path, misses in own.items():
        if path not in walks and path[1:2] == ("main",):
            assert misses < OTHER_MISSES * LINES_OF_A_WALK, path
    for above in {path[:depth] for path in walks for depth in range(2, len(path))}:
        walked = sum(count for path, count in walks.items() if path[: len(above)] == above)
        assert abs(below[above] / LINES_OF_A_WALK - walked) < OTHER_MISSES * max(walked / 2, 1), above


def test_all_contexts_together_have_all_accesses_and_misses(profile: MemoryProfile) -> None:
    contexts = profile.contexts
    assert sum(each.accesses for each in contexts) == profile.totals["loads"] + profile.totals["stores"]
    assert tuple(map(sum, zip(*(each.misses for each in contexts), strict=True))) == profile.total_misses
    outermost = [each for each in context_totals(contexts) if contexts[each.context].parent == NO_CALLER]
    assert sum(each.accesses for each in outermost) == profile.accesses
    assert not any(loss.kind == "contexts-not-kept" for loss in profile.losses)


def test_functions_have_what_their_lines_have(profile: MemoryProfile) -> None:
    """At a call out of C code, a few accesses are of another line for a moment."""
    by_lines, by_contexts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for line in profile.python_lines:
        by_lines[_dropper(profile, profile.places[line.place].frames[0][0])] += line.loads + line.stores
    for context in profile.contexts:
        if context.function != NO_FUNCTION:
            by_contexts[_dropper(profile, context.function)] += context.accesses
    for function, accesses in by_lines.items():
        assert abs(by_contexts[function] - accesses) <= 0.05 * accesses + 100, function


def _dropper(profile: MemoryProfile, number: int) -> tuple[str, str]:
    """File and name of a function. Of those that `types` makes generators and coroutines of, and drops before they have
    begun, it is the module's: to close them, some 300 accesses, is done in its context."""
    function = profile.functions[number]
    is_dropped = Path(function.file).name == "types.py" and function.name in ("_g", "_c", "_ag")
    return function.file, "<module>" if is_dropped else function.name


def _paths(profile: MemoryProfile) -> list[Path_]:
    """Names from the outermost call; in threads, from where their profile function begins."""
    paths: list[Path_] = []
    for each in profile.contexts:
        name = () if each.function == NO_FUNCTION else (profile.functions[each.function].name,)
        paths.append((*(() if each.parent == NO_CALLER else paths[each.parent]), *name))
    own = ("Thread._bootstrap", "Thread._bootstrap_inner", "Thread.run")
    return [path[2:] if path[:3] == own else path for path in paths]
