"""The agent in a Python that runs in Valgrind: what it tells is true, and outside of sonde's tool it does nothing."""

import os
import shutil
import subprocess
import sys
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

import pytest

import request_log
from request_log import RequestLog, log_of, settings
from sonde.base.errors import MissingCapability
from sonde.valgrind.c_compiler import find_c_compiler

PROGRAM = """
import gc, sys, threading

class Node:
    class Inner(tuple): pass
    def __init__(self, value): self.value, self.list = value, [value]

nodes = [Node(i) for i in range(200)]
gc.collect()
thread = threading.Thread(target=lambda: nodes.extend(object() for _ in range(3000)))
thread.start(), thread.join()

def listed():
    seen, todo = {}, [*gc.get_objects(), *sys.modules.values()]
    while todo:
        o = todo.pop()
        if id(o) not in seen and type(o) is not type(listed):
            seen[id(o)] = o
            todo += gc.get_referents(o)
            if type(o) is dict: todo += o
    return seen

seen = listed()
for o in seen.values():
    t = type(o)
    name = t.__qualname__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__qualname__}"
    size = object.__sizeof__(o)  # of others, sys.getsizeof counts what lies in other blocks, too
    if isinstance(o, int): size = int.__sizeof__(o)
    elif t in (float, complex, bytes, tuple) or t is str and o.isascii(): size = t.__sizeof__(o)
    elif isinstance(o, (type, str)): size = 0
    elif name in ("datetime.time", "datetime.datetime") and not o.tzinfo: size -= 8  # it counts room that is not there
    print(id(o), size, name)
"""
UNSEEN_SHARE = 0.003
"""Strings that only C code holds when the agent looks, and static types of modules that are imported later."""


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("requests")
    try:
        request_log.build(folder)
    except MissingCapability as missing:
        pytest.skip(missing.message)
    return folder


@pytest.fixture(scope="module")
def log(tool: Path, tmp_path_factory: pytest.TempPathFactory) -> RequestLog:
    spool = tmp_path_factory.mktemp("spool")
    program = spool / "program.py"
    program.write_text(PROGRAM)
    log = log_of(tool, spool, str(program))
    assert log.exit_code == 0, log.output
    assert not list(spool.glob("*.refused"))
    return log


def test_every_object_lies_in_a_block_that_was_told_and_has_the_type_that_was_told(log: RequestLog) -> None:
    names = {request.arguments[0]: request.name for request in log.of("type")}
    blocks = dict[int, tuple[int, int]]()
    for what, _, (a, b, c, d, _), _ in log.requests:
        match what:
            case "object":
                assert c in names
                assert blocks.get(a, (0, 0))[1] == 0, "it was told twice, or lies over another"
                blocks[a] = (b, 0 if d else c)
            case "allocate":
                assert blocks.get(a, (0, 0))[1] == 0
                blocks[a] = (b, 0)
            case "reallocate":
                blocks.pop(a, None)  # it may be older than the hooks
                blocks[b] = (c, 0)
            case "free":
                blocks.pop(a, None)
            case "window-close":
                break
    starts = sorted(blocks)
    assert all(a + blocks[a][0] <= b for a, b in pairwise(starts)), "blocks overlap"
    lines = [line.split(" ", 2) for line in log.output.splitlines()]
    assert len(lines) > 5000
    unseen = list[str]()
    for address, size, name in lines:
        at = bisect_right(starts, int(address)) - 1
        start = starts[at] if at >= 0 else 0
        length, type_address = blocks.get(start, (0, 0))
        if not start <= int(address) < start + length:
            unseen.append(name)
            continue
        assert start + length >= int(address) + int(size), (name, length, size)
        if type_address:
            assert names[type_address] == name
    assert len(unseen) <= UNSEEN_SHARE * len(lines), unseen


def test_every_free_is_of_a_block_that_is_there_or_was_before_the_hooks(log: RequestLog) -> None:
    told, live = set[int](), set[int]()
    for what, _, (a, b, *_), _ in log.requests:
        if what in ("allocate", "object"):
            live.add(a)
            told.add(a)
        elif what == "reallocate":
            assert a in live or a not in told
            live.discard(a)
            live.add(b)
            told.add(b)
        elif what == "free":
            assert a in live or a not in told, "freed twice"
            live.discard(a)


def test_types_have_their_full_names_at_the_end(log: RequestLog) -> None:
    close = next(i for i, request in enumerate(log.requests) if request.what == "window-close")
    names = {request.name for request in log.requests[close:] if request.what == "type"}
    assert {"__main__.Node", "__main__.Node.Inner", "int", "collections.abc.Hashable", "types.SimpleNamespace"} <= names


def test_free_listed_and_metaclass_types_are_marked(log: RequestLog) -> None:
    flags = {request.name: request.arguments[2] for request in log.of("type")}
    of_3_14 = ("int", "list_iterator", "tuple_iterator", "range", "range_iterator", "method")
    assert {name for name, flag in flags.items() if flag & 1} == {
        *("float", "tuple", "list", "dict", "slice", "_contextvars.Context"),
        *("async_generator_asend", "async_generator_wrapped_value"),
        *((*of_3_14, "builtin_function_or_method", "builtin_method") if sys.version_info >= (3, 14) else ()),
        *(("complex",) if sys.version_info >= (3, 15) else ()),
    }
    metaclasses = {name for name, flag in flags.items() if flag & 2}
    assert {"type", "abc.ABCMeta"} <= metaclasses and not metaclasses & {"object", "int", "__main__.Node"}


def test_the_window_is_that_of_the_program(log: RequestLog) -> None:
    whats = [request.what for request in log.requests]
    assert whats.count("window-open") == whats.count("window-close") == 1
    assert log.stack == [], "the program's frame has no caller"
    assert whats.index("own-code") < whats.index("python") < whats.index("object") < whats.index("window-open")
    assert whats.count("pause") == whats.count("resume")
    start, stop = log.of("own-code")[0].arguments[:2]
    assert 0 < stop - start < 1 << 20


def test_collections_are_told_with_what_they_found(log: RequestLog) -> None:
    window = [request for request in log.requests if request.what.startswith("gc-")]
    for start, stop in zip(window[::2], window[1::2], strict=True):
        assert (start.what, stop.what) == ("gc-start", "gc-stop")
        assert start.arguments[0] == stop.arguments[0] <= 2
    assert 2 in [request.arguments[0] for request in log.of("gc-start")]


def test_a_thread_comes_with_its_own_state(log: RequestLog) -> None:
    states = {(request.thread, request.arguments[3]) for request in log.of("allocate")}
    threads = {thread for thread, _ in states}
    assert len(threads) == len(states) == 2, states
    assert len({state for _, state in states}) == 2 and 0 not in {state for _, state in states}
    assert log.of("thread-state")[0].arguments[0] in {state for thread, state in states if thread == 1}


def test_a_module_begins_behind_runpy(tool: Path, tmp_path: Path) -> None:
    (tmp_path / "some_module.py").write_text("import os\nos._exit(5)\n")
    log = log_of(tool, tmp_path, "-m", "some_module")
    assert log.exit_code == 5
    assert [name for name, _, _ in log.stack] == ["_run_code", "_run_module_as_main"]
    assert {file for _, file, _ in log.stack} == {"<frozen runpy>"}
    source = Path(os.__file__).with_name("runpy.py").read_text().splitlines()
    for _, _, line in log.stack:
        assert "exec(code, run_globals)" in source[line - 1] or "_run_code(" in source[line - 1]


def test_windows_are_opened_and_closed_by_hand(tool: Path, tmp_path: Path) -> None:
    code = (
        "import sonde._memory_agent as agent\n"
        "class Late: pass\n"
        "for _ in range(2): agent.open_window(), agent.open_window(), agent.close_window()\n"
    )
    log = log_of(tool, tmp_path, "-c", code, window="manual")
    assert log.exit_code == 0, log.output
    whats = [request.what for request in log.requests]
    assert (whats.count("window-open"), whats.count("window-close")) == (4, 2)
    opened = whats.index("window-open")
    assert "__main__.Late" in {request.name for request in log.requests[:opened]}


@pytest.mark.parametrize(("suffix", "standard"), [("c", "c99"), ("cpp", "c++11")])
def test_native_programs_say_where_to_count(tool: Path, tmp_path: Path, suffix: str, standard: str) -> None:
    source = tmp_path / f"program.{suffix}"
    source.write_text(
        '#include "sonde_window.h"\nint main(void) { SONDE_OPEN_WINDOW(); SONDE_CLOSE_WINDOW(); return 6; }\n'
    )
    flags = [f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{request_log.CORE.parent / 'include'}"]
    program = tmp_path / "program"
    subprocess.run([*find_c_compiler().command, *flags, str(source), "-o", str(program)], check=True)
    assert subprocess.run([program], check=False).returncode == 6
    log = log_of(tool, tmp_path, program=str(program))
    assert log.exit_code == 6
    assert [request.what for request in log.requests] == ["window-open", "window-close"]


def test_outside_of_the_tool_nothing_is_different(tmp_path: Path) -> None:
    code = (
        "import gc, sys, os, json\n"
        "print(json.dumps([gc.callbacks, gc.get_threshold(), sys.path, sorted(sys.modules), sys.flags, "
        "sorted(sys.path_importer_cache)]))\n"
        "print(json.dumps(sorted(os.environ)))\n"
        "raise SystemExit(9)"
    )
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    valgrind = shutil.which("valgrind")
    alone = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=False)
    for around in [[], [valgrind, "--tool=none", "-q"]] if valgrind else [[]]:
        command = [*around, sys.executable, "-c", code]
        done = subprocess.run(command, env=settings(tmp_path), capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (9, alone.stderr)
        lines = 1 if around else 2  # distributions start Valgrind by a script that sets variables of its own
        assert done.stdout.splitlines()[:lines] == alone.stdout.splitlines()[:lines]
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_is_noted_and_the_program_runs(tmp_path: Path) -> None:
    environment = settings(tmp_path, window="sideways")
    done = subprocess.run(
        [sys.executable, "-c", "print(1)"], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
    (note,) = tmp_path.glob("*.refused")
    executable, version, reason = note.read_text().splitlines()
    assert executable == sys.executable and version == sys.version.split()[0]
    assert reason == "ValueError: no window 'sideways': it is program, manual or all"


def test_settings_of_somebody_else_are_ignored(tmp_path: Path) -> None:
    environment = {**settings(tmp_path), "SONDE_START": "not hexadecimal"}
    done = subprocess.run(
        [sys.executable, "-c", "print(1)"], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
