"""What profilers write is read: own times add up, time in C functions is its callers', damage is told."""

import cProfile
import json
import marshal
import pstats
from pathlib import Path

import pytest

from sonde.instruments.audit.profile import Profiler
from sonde.instruments.audit.sources import CodeName, Driver, UnreadableAnswer
from sonde.instruments.contexts.profile import COLLECTING, write_profile
from sonde.registry import entries
from tree_builder import profile_of

DRIVERS: dict[str, Driver] = {name: entry.load() for name, entry in entries("profiler-driver").items()}
OTHERS = [name for name in DRIVERS if not name.startswith("sonde")]


def file_of(driver: str, folder: Path, content: bytes) -> Path:
    """What the profiler leaves, where it leaves it."""
    output = folder / "answer"
    written = {"viztracer": "answer.json", "scalene": "answer.json"}.get(driver, "answer")
    (folder / written).write_bytes(content)
    return output


def test_pstats_are_charged_to_python_functions(tmp_path: Path) -> None:
    profile = cProfile.Profile()
    profile.runcall(lambda: [sorted(range(1000), key=lambda v: -v) for _ in range(50)])
    profile.dump_stats(tmp_path / "answer")

    told = DRIVERS["cProfile"].read(tmp_path / "answer")

    stats = pstats.Stats(str(tmp_path / "answer"))
    python = {(file, line, name) for file, line, name in stats.stats if file != "~"}  # type: ignore[attr-defined]
    assert set(told.own) == {CodeName(*key) for key in python}
    total = stats.total_tt  # type: ignore[attr-defined]
    assert told.total_ns == pytest.approx(total * 1e9)
    # all but the roots: disabling the profiler is a call that nobody made
    assert sum(told.own.values()) == pytest.approx(total, rel=0.05)
    for name, own in told.own.items():
        assert own >= stats.stats[tuple(name)][2]  # type: ignore[attr-defined]


def test_c_functions_that_call_one_another_are_those_of_the_python_function_above(tmp_path: Path) -> None:
    f, g = ("a.py", 1, "f"), ("a.py", 9, "g")
    outer, inner = ("~", 0, "<map>"), ("~", 0, "<len>")
    stats = {
        f: (1, 1, 1.0, 9.0, {}),
        g: (1, 1, 1.0, 9.0, {}),
        outer: (4, 4, 2.0, 6.0, {f: (3, 3, 1.5, 4.5), g: (1, 1, 0.5, 1.5)}),
        inner: (4, 4, 4.0, 4.0, {outer: (4, 4, 4.0, 4.0)}),
    }
    (tmp_path / "answer").write_bytes(marshal.dumps(stats))
    told = DRIVERS["cProfile"].read(tmp_path / "answer")
    assert told.own == {CodeName(*f): 1 + 1.5 + 3, CodeName(*g): 1 + 0.5 + 1}
    assert told.total_ns == 8_000_000_000


def test_profile_tells_how_often_callers_called(tmp_path: Path) -> None:
    f, g, c = ("a.py", 1, "f"), ("a.py", 9, "g"), ("~", 0, "<len>")
    stats = {f: (1, 1, 1.0, 1.0, {}), g: (1, 1, 1.0, 1.0, {}), c: (4, 4, 2.0, 2.0, {f: 3, g: 1})}
    (tmp_path / "answer").write_bytes(marshal.dumps(stats))
    assert DRIVERS["profile"].read(tmp_path / "answer").own == {CodeName(*f): 2.5, CodeName(*g): 1.5}


def test_pyinstrument_sessions(tmp_path: Path) -> None:
    frames = ["main\0app.py\x001\x01l3", "sorted\0<built-in>\x000", "[self]\0\x000"]
    records = [[[frames[0]], 0.25], [frames, 0.5], [[], 0.25]]
    path = file_of("pyinstrument", tmp_path, json.dumps({"frame_records": records}).encode())
    told = DRIVERS["pyinstrument"].read(path)
    assert told.own == {CodeName("app.py", 1, "main"): 0.75}
    assert told.total_ns == 1_000_000_000


def test_raw_stacks_of_py_spy(tmp_path: Path) -> None:
    lines = "main (app.py:1);Counter.tick (my dir/app.py:6) 30\nmain (app.py:1) 69\n 1\n"
    told = DRIVERS["py-spy"].read(file_of("py-spy", tmp_path, lines.encode()))
    assert told.own == {CodeName("my dir/app.py", 6, "Counter.tick"): 30, CodeName("app.py", 1, "main"): 69}
    assert told.total_ns == 1_000_000_000


def test_lines_of_scalene(tmp_path: Path) -> None:
    line = {"lineno": 3, "n_cpu_percent_python": 10.0, "n_cpu_percent_c": 5.0, "n_sys_percent": 1.0}
    idle = {"lineno": 4, "n_cpu_percent_python": 0.0, "n_cpu_percent_c": 0.0, "n_sys_percent": 0.0}
    content = {"files": {"/app.py": {"lines": [line, idle], "functions": []}}}
    told = DRIVERS["scalene"].read(file_of("scalene", tmp_path, json.dumps(content).encode()))
    assert (told.own, told.total_ns) == ({CodeName("/app.py", 3): 16.0}, None)


def test_traces_of_viztracer_by_hand(tmp_path: Path) -> None:
    def event(name: str, ts: float, dur: float, tid: int = 1) -> dict[str, object]:
        return {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": ts, "dur": dur}

    events = [
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name"},
        event("g (a.py:9)", 20.0, 10.0),
        event("f (a.py:1)", 0.0, 50.0),
        event("builtins.len", 40.0, 5.0),  # in f
        event("h (a.py:30)", 22.0, 3.0),
        event("f (a.py:1)", 0.0, 7.0, tid=2),
    ]
    content = json.dumps({"traceEvents": events}).encode()
    told = DRIVERS["viztracer"].read(file_of("viztracer", tmp_path, content))
    assert told.own == {
        CodeName("a.py", 1, "f"): 40.0 + 7.0,
        CodeName("a.py", 9, "g"): 7.0,
        CodeName("a.py", 30, "h"): 3.0,
    }
    assert told.total_ns == 57_000


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("content", [b"", b"nonsense\n", b"[1, 2]", b'{"a": 1}', marshal.dumps(5), marshal.dumps([1])])
def test_what_is_something_else_is_told(name: str, content: bytes, tmp_path: Path) -> None:
    path = file_of(name, tmp_path, content)
    if name == "py-spy" and not content:
        assert DRIVERS[name].read(path).own == {}  # a program without one sample
        return
    with pytest.raises(UnreadableAnswer, match="answer"):
        DRIVERS[name].read(path)


@pytest.mark.parametrize("name", DRIVERS)
def test_what_is_not_there_is_no_answer(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DRIVERS[name].read(tmp_path / "answer")


def test_a_profiler_is_known_by_its_name() -> None:
    assert all(driver.name == name for name, driver in DRIVERS.items())
    assert Profiler("cProfile").clock == "wall"


def test_what_a_profiler_says_of_itself_is_left_out() -> None:
    told = DRIVERS["pyinstrument"]
    assert "/pyinstrument/" in told.own_code
    from sonde.instruments.audit.sources import Told

    said = Told({CodeName("/lib/pyinstrument/profiler.py", 1, "f"): 1.0, CodeName("/app.py", 1, "g"): 2.0})
    assert said.without(told.own_code).own == {CodeName("/app.py", 1, "g"): 2.0}


def test_collecting_garbage_is_charged_to_who_came_to_do_it_as_other_profilers_do(tmp_path: Path) -> None:
    outline = "main 10\n  makes @101 20\n    gc @201 70"
    write_profile(tmp_path / "answer", profile_of(outline, functions={"gc": COLLECTING}))
    told = DRIVERS["sonde-sample"].read(tmp_path / "answer")
    assert {name.name: ns for name, ns in told.own.items()} == {"main": 10, "makes": 90}
    assert {name.name: ns for name, ns in told.charged.items()} == {"main": 100}
