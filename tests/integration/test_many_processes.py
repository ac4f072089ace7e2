"""Forks, pools and subprocesses: followed when asked, left alone when not; threads in all shapes."""

from pathlib import Path

import pytest

from measuring import MECHANISMS, calls_by_name, calls_by_path, measure, replay, run_plainly

FORKS = """
import os, sys
def work(n):
    return sum(step(i) for i in range(n))
def step(i):
    return i
def deep(n, then):
    return deep(n - 1, then) if n else then()
def child():
    pid = os.fork()
    if pid == 0:
        work(10)
        os._exit(0)
    os.waitpid(pid, 0)
    work(3)
work(5)
for _ in range(4):
    deep(3, child)
pid = os.fork()
work(7)
if pid:
    os.waitpid(pid, 0)
"""

GROWING_FORKS = """
import os, threading
def f(n):
    return n if n < 1 else f(n - 1)
for turn in range(8):
    f(10 + turn)
    pid = os.fork()
    if pid == 0:
        f(50)
        os._exit(0)
    os.waitpid(pid, 0)
"""

POOL = """
import multiprocessing, sys
def work(n):
    return sum(step(i) for i in range(n))
def step(i):
    return i
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(2) as pool:
        print(pool.map(work, [10] * 6))
        pool.close()
        pool.join()
"""

SUBPROCESSES = """
import subprocess, sys
def work():
    pass
work()
for _ in range(3):
    subprocess.run([sys.executable, "-c", "def work(): pass\\nwork(); work()"], check=True)
"""


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.py"
    path.write_text(text)
    return path


def test_forked_children_are_counted_once_with_follow(tmp_path: Path) -> None:
    measured = measure(tmp_path, "--follow", script(tmp_path, FORKS))

    calls = calls_by_name(measured.profile)
    assert measured.returncode == 0
    assert calls["work"] == 1 + 4 + 4 + 2
    assert calls["step"] == 5 + 4 * (10 + 3) + 2 * 7
    assert calls["deep"] == 4 * 4
    assert len(measured.profile.processes) == 6
    assert measured.profile.losses == ()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_child_whose_tree_has_grown_since_the_last_fork_counts_on(mechanism: str, tmp_path: Path) -> None:
    # What the interpreter runs in the child first, of `threading` for instance, is not counted in its parent's cells.
    measured = measure(tmp_path, "--follow", "--mechanism", mechanism, script(tmp_path, GROWING_FORKS))

    assert measured.returncode == 0
    assert calls_by_name(measured.profile)["f"] == sum(11 + turn for turn in range(8)) + 8 * 51
    assert len(measured.profile.processes) == 9


def test_forked_children_leave_the_parents_counts_alone_without_follow(tmp_path: Path) -> None:
    measured = measure(tmp_path, script(tmp_path, FORKS))

    calls = calls_by_name(measured.profile)
    assert calls["work"] == 1 + 4 + 1
    assert calls["step"] == 5 + 4 * 3 + 7
    assert len(measured.profile.processes) == 1


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_is_followed(method: str, tmp_path: Path) -> None:
    program = script(tmp_path, POOL)

    measured = measure(tmp_path, "--follow", program, method)

    assert measured.stdout == run_plainly(program, method).stdout
    calls = calls_by_name(measured.profile)
    assert (calls["work"], calls["step"]) == (6, 60)


def test_a_pool_runs_as_without_sonde_when_it_is_not_followed(tmp_path: Path) -> None:
    program = script(tmp_path, POOL)

    measured = measure(tmp_path, program, "fork")

    assert measured.stdout == run_plainly(program, "fork").stdout
    assert calls_by_name(measured.profile)["work"] == 0


def test_subprocesses_that_run_python_are_followed(tmp_path: Path) -> None:
    measured = measure(tmp_path, "--follow", script(tmp_path, SUBPROCESSES))

    assert calls_by_name(measured.profile)["work"] == 1 + 3 * 2
    assert len(measured.profile.processes) == 4


def test_a_fork_inside_a_thread_is_followed(tmp_path: Path) -> None:
    text = (
        "import os, threading, warnings\nwarnings.simplefilter('ignore')\n"
        "def leaf(): pass\n"
        "def run():\n"
        "    pid = os.fork()\n"
        "    leaf()\n"
        "    if pid == 0: os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
        "t = threading.Thread(target=run); t.start(); t.join()\nleaf()"
    )
    measured = measure(tmp_path, "--follow", script(tmp_path, text))

    assert calls_by_name(measured.profile)["leaf"] == 3


def test_a_program_that_replaces_itself_keeps_what_was_counted(tmp_path: Path) -> None:
    text = (
        "import os, sys\ndef before(): pass\ndef after(): pass\n"
        "if len(sys.argv) == 1:\n    before()\n    os.execv(sys.executable, [sys.executable, __file__, 'x'])\n"
        "after(); print('replaced')"
    )
    program = script(tmp_path, text)

    alone, followed = measure(tmp_path, program), measure(tmp_path, "--follow", program)

    assert alone.stdout == followed.stdout == "replaced\n"
    assert (calls_by_name(alone.profile)["before"], calls_by_name(alone.profile)["after"]) == (1, 0)
    assert (calls_by_name(followed.profile)["before"], calls_by_name(followed.profile)["after"]) == (1, 1)
    assert [loss.kind for loss in alone.profile.losses] == ["process-replaced"]
    assert followed.profile.losses == ()
    assert [process.ended for process in followed.profile.processes] == ["replaced by another program", "exited 0"]


@pytest.mark.parametrize("options", [[], ["--follow"], ["--follow", "--exact"], ["--follow", "--concurrent"]])
def test_the_time_of_a_program_ends_when_it_replaces_itself(options: list[str], tmp_path: Path) -> None:
    text = (
        "import os, sys, time\ndef replace(): os.execv(sys.executable, [sys.executable, __file__, 'x'])\n"
        "def rest(): time.sleep(0.5)\n"
        "def first(): time.sleep(0.1); replace()\n"
        "rest() if len(sys.argv) > 1 else first()"
    )

    profile = measure(tmp_path, *options, script(tmp_path, text)).profile

    # One thread at a time: what the sleep of the second program takes is not the first one's.
    assert profile.total_ns <= profile.run.duration_ns
    own = dict(
        zip((profile.functions[f].name for f in profile.contexts.function), profile.contexts.self_ns, strict=True)
    )
    assert own["replace"] <= profile.run.duration_ns - 600_000_000
    assert own["first"] >= 100_000_000


def test_a_program_that_could_not_replace_itself_goes_on(tmp_path: Path) -> None:
    text = (
        "import os\ndef after(): pass\n"
        "for function in (os.execv, os.execve):\n"
        "    try: function('/nowhere', ['x'], *([{}] if function is os.execve else []))\n"
        "    except OSError as error: print(error)\n"
        "try: os.execve(path='/nowhere', argv=['x'], env={})\nexcept OSError as error: print(error)\n"
        "try: os.execv()\nexcept TypeError as error: print(error)\n"
        "after()\nos._exit(3)\n"
    )
    program = script(tmp_path, text)

    measured = measure(tmp_path, "--exact", "--record", tmp_path / "t.trace", program)

    assert (measured.returncode, measured.stdout) == (3, run_plainly(program).stdout)
    assert measured.profile.losses == ()
    assert [process.ended for process in measured.profile.processes] == ["exited 3"]
    replayed = replay(tmp_path, "--exact", tmp_path / "t.trace")
    assert calls_by_path(replayed) == calls_by_path(measured.profile)
    assert calls_by_name(replayed)["after"] == 1


def test_thousands_of_short_threads_share_few_trees(tmp_path: Path) -> None:
    text = (
        "import threading\ndef work(): return leaf()\ndef leaf(): pass\n"
        "for _ in range(2000):\n    t = threading.Thread(target=work); t.start(); t.join()\n"
        "import os\nmaps = open('/proc/self/maps').read().split()\n"
        "print(os.stat(next(word for word in maps if word.endswith('.cells'))).st_size)\n"
    )
    measured = measure(tmp_path, script(tmp_path, text))

    assert calls_by_name(measured.profile)["leaf"] == 2000
    assert measured.profile.processes[0].threads == 2001
    assert int(measured.stdout) < 300_000  # bytes; a tree for each thread would take megabytes


def test_threads_not_made_by_the_threading_module_are_counted(tmp_path: Path) -> None:
    text = (
        "import _thread, time, ctypes\ndone = []\ndef work(n): leaf(); done.append(n)\ndef leaf(): pass\n"
        "for i in range(5): _thread.start_new_thread(work, (i,))\n"
        "while len(done) < 5: time.sleep(0.01)\n"
    )
    measured = measure(tmp_path, script(tmp_path, text))

    assert calls_by_name(measured.profile)["leaf"] == 5


def test_threads_of_c_libraries_that_come_and_go_are_counted(tmp_path: Path) -> None:
    """Each call back from a foreign thread makes and frees a thread state."""
    text = """
import ctypes
libc = ctypes.CDLL(None)
def leaf(): pass
def work(_):
    leaf()
    return 0
run = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(work)
for _ in range(200):
    thread = ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(thread), None, run, None)
    libc.pthread_join(thread, None)
"""
    measured = measure(tmp_path, script(tmp_path, text))

    calls = calls_by_name(measured.profile)
    assert (calls["work"], calls["leaf"]) == (200, 200)
