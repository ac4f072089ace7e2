"""Memory is bounded beforehand, whatever the program does; what is known stays right."""

from pathlib import Path

import pytest

from measuring import Counted, Measured, calls_by_name, calls_by_path, counted_by_path, measure, run_plainly, run_sonde
from sonde.instruments.contexts.profile import merge_profiles, read_profile

PATHS = """
import random, sys
random.seed(int(sys.argv[1]))
def a(n): return n and random.choice((a, b, c))(n - 1)
def b(n): return n and random.choice((a, b, c))(n - 1)
def c(n): return n and random.choice((a, b, c))(n - 1)
for _ in range(int(sys.argv[2])): a(14)
import os
maps = open("/proc/self/maps").read().split()
print(os.stat(next(word for word in maps if word.endswith(".cells"))).st_size)
"""
"""Three to the power of fourteen contexts: nearly every call makes a new one."""

METHODS = {"time": [], "calls": ["--metric", "calls"], "space-saving": ["--metric", "calls", "--space-saving"]}


def new_paths(tmp_path: Path, rounds: int, *options: str) -> Measured:
    script = tmp_path / "paths.py"
    script.write_text(PATHS)
    return measure(tmp_path, *options, script, "1", str(rounds))


@pytest.mark.parametrize("method", METHODS)
def test_a_program_that_never_stops_making_contexts_takes_no_more_memory(method: str, tmp_path: Path) -> None:
    short, long = (new_paths(tmp_path, rounds, "--memory", "200k", *METHODS[method]) for rounds in (2000, 12_000))

    assert int(long.stdout) == int(short.stdout) < 600_000  # bytes of the cell file, functions included
    profile = long.profile
    assert profile.approximation is not None
    assert len(profile.contexts) <= 200_000 / 128
    assert profile.total_calls >= 12_000 * 15  # none is lost: what is pruned counts for its caller
    assert calls_by_name(profile)["a"] < profile.total_calls


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("memory", ["152", "400", "3k", "20k"])
def test_any_budget_will_do(memory: str, method: str, tmp_path: Path) -> None:
    script = tmp_path / "paths.py"
    script.write_text(PATHS)

    done = run_sonde(
        "contexts", "--quiet", "-o", tmp_path / "r.sonde", "--memory", memory, *METHODS[method], script, "1", "50"
    )

    assert done.returncode == 0, done.stderr
    assert "bug" not in done.stderr
    profile = read_profile(tmp_path / "r.sonde")
    profile.check_valid()
    lost = sum(loss.amount for loss in profile.losses if loss.kind == "contexts-not-stored")
    assert profile.total_calls + lost >= 50 * 15


EXECUTED = """
def run(i):
    space = {}
    exec(f"def f{i % 50}(x): return g(x)\\ndef g(x): return x", space)
    return space[f"f{i % 50}"](i)
print(sum(run(i) for i in range(6000)))
"""


@pytest.mark.parametrize(
    "options", [["--memory", "20k"], ["--memory", "20k", "--metric", "calls", "--space-saving"]], ids=" ".join
)
def test_functions_that_come_and_go_by_the_thousand(options: list[str], tmp_path: Path) -> None:
    script = tmp_path / "executed.py"
    script.write_text(EXECUTED)

    measured = measure(tmp_path, *options, script)

    assert (measured.returncode, measured.stdout) == (0, run_plainly(script).stdout)
    assert measured.profile.total_calls >= 18_000


DEEP = """
import sys
sys.setrecursionlimit(10**6)
def down(n): return n and down(n - 1)
def leaf(): pass
for _ in range(3): down(20_000)
for _ in range(1000): leaf()
print("done")
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_stack_deeper_than_the_tree_loses_calls_only_while_it_is_so_deep(method: str, tmp_path: Path) -> None:
    script = tmp_path / "deep.py"
    script.write_text(DEEP)

    measured = measure(tmp_path, "--memory", "100k", *METHODS[method], script)

    assert (measured.returncode, measured.stdout) == (0, "done\n")
    lost = sum(loss.amount for loss in measured.profile.losses if loss.kind == "contexts-not-stored")
    assert measured.profile.total_calls + lost >= 61_000
    assert 0 < calls_by_name(measured.profile)["leaf"] <= 1000


def test_two_hundred_threads_share_a_small_tree(tmp_path: Path) -> None:
    script = tmp_path / "threads.py"
    script.write_text(
        "import threading\ndef work(n):\n    return n and (left if n % 2 else right)(n - 1)\n"
        "def left(n): return work(n)\ndef right(n): return work(n)\n"
        "def run(): [work(30) for _ in range(20)]\n"
        "for _ in range(4):\n    threads = [threading.Thread(target=run) for _ in range(50)]\n"
        "    [t.start() for t in threads]; [t.join() for t in threads]\nprint('done')"
    )

    measured = measure(tmp_path, "--memory", "100k", script)

    assert (measured.returncode, measured.stdout) == (0, "done\n")
    assert measured.profile.processes[0].threads == 201
    assert measured.profile.total_calls >= 200 * 20 * 60


def test_processes_that_are_followed_keep_their_bounds_together(tmp_path: Path) -> None:
    script = tmp_path / "paths.py"
    # The random module seeds itself anew in a child.
    fork = "import os\npid = os.fork()\nrandom.seed(3 if pid else 4)\nfor _ in"
    script.write_text(PATHS.replace("import os\n", "").replace("for _ in", fork, 1) + "if pid: os.waitpid(pid, 0)\n")
    exact = measure(tmp_path, "--exact", "--follow", script, "3", "400").profile
    hot = measure(tmp_path, "--follow", "--metric", "calls", "--phi", "0.01", script, "3", "400").profile

    assert hot.approximation is not None
    assert len(hot.processes) == 2
    assert hot.total_calls == exact.total_calls
    truth, floor = calls_by_path(exact), hot.approximation.floor
    seen = counted_by_path(hot)
    for path, calls in truth.items():
        value = seen.get(path, Counted(error=floor))
        assert value.calls <= calls <= value.calls + value.error, path
    assert 0 < hot.approximation.floor <= 2 * hot.approximation.epsilon * hot.total_calls


def test_greenlets_switch_under_a_small_tree(tmp_path: Path) -> None:
    pytest.importorskip("greenlet", reason="greenlet is not installed")
    script = tmp_path / "switching.py"
    script.write_text(
        "from greenlet import greenlet, getcurrent\nmain = getcurrent()\n"
        "def f(n):\n    if n: return f(n - 1)\n    main.switch()\n    return leaf()\ndef leaf(): return 1\n"
        "for _ in range(50):\n"
        "    lets = [greenlet(f) for _ in range(10)]\n"
        "    for i, let in enumerate(lets): let.switch(i)\n    for let in lets: let.switch()\nprint('done')"
    )

    measured = measure(tmp_path, "--memory", "5k", script)

    assert (measured.returncode, measured.stdout) == (0, "done\n")


def test_runs_of_any_kind_are_merged_in_any_order(tmp_path: Path) -> None:
    script = tmp_path / "paths.py"
    script.write_text(PATHS)
    kinds = {"exact": ["--exact"], "hot": ["--phi", "0.01"], "other": ["--phi", "0.05", "--memory", "50k"]}
    for name, options in kinds.items():
        assert (
            run_sonde("contexts", "--quiet", "-o", tmp_path / f"{name}.sonde", *options, script, "5", "200").returncode
            == 0
        )
    parts = {name: read_profile(tmp_path / f"{name}.sonde") for name in kinds}

    one, other = (
        run_sonde("merge", *(f"{name}.sonde" for name in order), "-o", output, cwd=tmp_path)
        for order, output in ((list(kinds), "one.sonde"), (list(kinds)[::-1], "two.sonde"))
    )

    assert (one.returncode, other.returncode) == (0, 0), one.stderr + other.stderr
    merged = [read_profile(tmp_path / name) for name in ("one.sonde", "two.sonde")]
    assert merged[0].total_calls == merged[1].total_calls == sum(part.total_calls for part in parts.values())
    assert merged[0].approximation is not None
    floors = sum(part.approximation.floor for part in parts.values() if part.approximation)
    assert merged[0].approximation.floor >= floors
    assert merge_profiles(list(parts.values())).total_calls == merged[0].total_calls


def test_runs_of_different_programs_or_metrics_are_not_merged(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\nfor _ in range(100): f()")
    (tmp_path / "b.py").write_text("def g(): pass\nfor _ in range(100): g()")
    for name, *options in (("a",), ("b",), ("a", "--metric", "calls")):
        output = f"{name}{len(options)}.sonde"
        assert run_sonde("contexts", "--quiet", "-o", output, *options, f"{name}.py", cwd=tmp_path).returncode == 0

    programs = run_sonde("merge", "a0.sonde", "b0.sonde", "-o", "x.sonde", cwd=tmp_path)
    metrics = run_sonde("merge", "a0.sonde", "a2.sonde", "-o", "x.sonde", cwd=tmp_path)

    assert (programs.returncode, metrics.returncode) == (1, 1)
    assert "they are of different programs" in programs.stderr
    assert "one is hot by" in metrics.stderr
    assert not (tmp_path / "x.sonde").exists()
