"""Watched in bursts: the program is as without sonde, and a tenth of it tells of the whole."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from measuring import (
    FAST_MECHANISM,
    MECHANISMS,
    SONDE,
    Measured,
    calls_by_name,
    environment,
    measure,
    paths_of_rows,
    run_plainly,
    run_sonde,
    run_sonde_here,
)
from sonde.instruments.contexts.profile import read_profile

BURST = ["--burst", "20ms/2ms"]

SECOND = """
import sys, time
def work():  # takes long enough that watching it does not slow it down by much
    return sum(range(1000))
def part():
    for _ in range(50): work()
began, used = time.perf_counter(), time.thread_time()
parts = 0
while time.perf_counter() < began + float(sys.argv[1]):
    part()
    parts += 1
print(parts, (time.thread_time() - used) / (time.perf_counter() - began))
"""
ALONE = 0.95
"""Of the time the program had a processor: then what it does in a burst is like what it does outside."""


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.py"
    path.write_text(text)
    return path


def estimate_and_truth(measured: Measured) -> tuple[int, int]:
    """Calls of `work`, and how many there really were."""
    return calls_by_name(measured.profile)["work"], 50 * int(measured.stdout.split()[0])


def skip_unless_alone(measured: Measured) -> None:
    """A tenth of the time is a tenth of the work only while the program has a processor for itself."""
    share = float(measured.stdout.split()[1])
    if share < ALONE:
        pytest.skip(f"the program had a processor {share:.0%} of the time: bursts cannot tell")


@pytest.mark.parametrize(
    "options",
    [[], ["--metric", "calls"], ["--metric", "calls", "--space-saving"], ["--no-time"], ["--memory", "20k"]],
    ids=" ".join,
)
def test_what_a_part_of_a_run_shows_is_scaled_up_by_that_part(options: list[str], tmp_path: Path) -> None:
    measured = measure(tmp_path, *BURST, *options, script(tmp_path, SECOND), "0.6")

    profile = measured.profile
    assert (measured.returncode, profile.losses) == (0, ())
    assert profile.sampling is not None
    assert (profile.sampling.interval_ns, profile.sampling.burst_ns) == (20_000_000, 2_000_000)
    # A burst lasts until the thread that ends it gets a processor: on a busy machine that is much of the run.
    assert 0 < profile.sampling.fraction < 1
    assert 1 <= profile.sampling.bursts <= 1 + profile.run.duration_ns / 20e6
    estimate, truth = estimate_and_truth(measured)
    assert 0 < estimate * profile.sampling.fraction <= truth
    assert len(profile.contexts.calls_deviation) == len(profile.contexts)


@pytest.mark.timing
@pytest.mark.parametrize("adaptive", [[], ["--adaptive", "25%"]], ids=["all", "a quarter left out"])
def test_a_tenth_of_a_run_tells_how_often_a_hot_function_was_called(adaptive: list[str], tmp_path: Path) -> None:
    """The tolerance is in bursts, not in seconds: a machine ten times slower does a tenth of the work in each."""
    measured = measure(tmp_path, "--burst", "10ms/1ms", *adaptive, script(tmp_path, SECOND), "1")

    skip_unless_alone(measured)
    sampling = measured.profile.sampling
    assert sampling is not None
    assert sampling.fraction < 0.35
    assert sampling.bursts >= 10
    estimate, truth = estimate_and_truth(measured)
    # A hundred samples: chance alone is a few per cent, with a quarter of them half as many again.
    assert 0.5 * truth < estimate < 1.5 * truth


def test_bursts_that_are_left_out_are_fewer_and_said(tmp_path: Path) -> None:
    measured = measure(tmp_path, "--burst", "10ms/1ms", "--adaptive", "25%", script(tmp_path, SECOND), "0.6")

    sampling = measured.profile.sampling
    assert sampling is not None
    assert sampling.adaptive == pytest.approx(0.25)
    assert 1 <= sampling.bursts <= 1 + measured.profile.run.duration_ns / 10e6
    estimate, truth = estimate_and_truth(measured)
    assert 0 < estimate * sampling.fraction <= truth


def test_a_program_shorter_than_a_burst_is_seen_as_a_whole(tmp_path: Path) -> None:
    program = script(tmp_path, "def f(): pass\nfor _ in range(1000): f()\nprint('ran')")

    measured = measure(tmp_path, "--burst", "600s/60s", program)

    assert measured.stdout == "ran\n"
    assert measured.profile.sampling is not None
    assert measured.profile.sampling.bursts == 1
    # The burst ends a little before the program does, at its exit.
    assert 0 < measured.profile.sampling.fraction <= 1
    assert calls_by_name(measured.profile)["f"] * measured.profile.sampling.fraction == pytest.approx(1000, abs=1)


PROGRAMS = {
    "recursion": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint([fib(19) for _ in range(6)])",
    "deep recursion": (
        "import sys\nsys.setrecursionlimit(10**6)\ndef down(n): return n and down(n - 1)\n"
        "def leaf(): return 1\n"
        "def bottom(n): return bottom(n - 1) if n else sum(leaf() for _ in range(60_000))\n"
        "print([down(15_000) for _ in range(5)], bottom(800))"
    ),
    "generators": (
        "def numbers(n):\n    for i in range(n): yield i\n"
        "def relay(n): yield from numbers(n)\n"
        "total = 0\n"
        "for _ in range(150): total += sum(relay(300))\n"
        "kept = [relay(5) for _ in range(100)]\nfor one in kept: next(one)\n"
        "for _ in range(150): total += sum(relay(300))\n"
        "print(total, [list(one) for one in kept][:2])"
    ),
    "exceptions": (
        "def fail(n):\n    if n == 0: raise ValueError(n)\n    try: fail(n - 1)\n    finally: clean()\n"
        "def clean(): pass\n"
        "caught = 0\n"
        "for _ in range(4000):\n    try: fail(12)\n    except ValueError as error: caught += len(str(error))\n"
        "print(caught)\nfail(3)"
    ),
    "coroutines": (
        "import asyncio\nasync def leaf(i):\n    await asyncio.sleep(0)\n    return i\n"
        "async def branch(n): return sum([await leaf(i) for i in range(n)])\n"
        # Else -X dev tells of a step that took longer than 0.1 s, which on a busy machine any may.
        "async def main():\n    asyncio.get_running_loop().slow_callback_duration = 3600\n"
        "    return await asyncio.gather(*(branch(60) for _ in range(60)))\n"
        "print(asyncio.run(main()))"
    ),
    "threads": (
        "import threading\nresults = []\ndef work(n): results.append(sum(step(i) for i in range(n)))\n"
        "def step(i): return i\n"
        "for _ in range(15):\n"
        "    threads = [threading.Thread(target=work, args=(2000,)) for _ in range(6)]\n"
        "    [t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(sum(results))"
    ),
    "collections and finalizers": (
        "import gc\nclass Node:\n    def __init__(self): self.me = self\n    def __del__(self): count()\n"
        "gone = 0\ndef count():\n    global gone; gone += 1\n"
        "for _ in range(30_000): Node()\ngc.collect(); print(gone)"
    ),
    "short-lived code": (
        "total = 0\nfor i in range(3000):\n    space = {}\n    exec(f'def f(x): return x + {i % 7}', space)\n"
        "    total += space['f'](1)\nprint(total)"
    ),
    "signals": (
        "import signal\nseen = []\ndef on_alarm(*_): seen.append(1)\nsignal.signal(signal.SIGALRM, on_alarm)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.004, 0.004)\ndef f(): pass\n"
        "while len(seen) < 40: f()\nsignal.setitimer(signal.ITIMER_REAL, 0)\nprint(len(seen) >= 40)"
    ),
    "leaves by os._exit": (
        "import os\ndef f(): pass\nfor _ in range(300_000): f()\nprint('out', flush=True)\nos._exit(3)"
    ),
    "its own profiler": (
        "import sys\nseen = 0\ndef p(frame, event, arg):\n    global seen\n    seen += event == 'call'\ndef f(): pass\n"
        "sys.setprofile(p)\nfor _ in range(100_000): f()\nsys.setprofile(None)\nprint(seen)"
    ),
    "its own tracer": (
        "import sys\nlines = 0\n"
        "def t(frame, event, arg):\n    global lines\n    lines += event == 'line'\n"
        "    return t\n"
        "def f():\n    a = 1\n    return a\n"
        "sys.settrace(t)\nfor _ in range(20_000): f()\nsys.settrace(None)\nprint(lines)"
    ),
    "a function at exit": (
        "import atexit\ndef f(): return 1\n"
        "@atexit.register\ndef bye(): print('bye', sum(f() for _ in range(100_000)))\n"
        "print('hi')"
    ),
    "a thread that goes on": (
        "import threading, time\ndef f(): pass\ndef forever():\n    while True: f()\n"
        "threading.Thread(target=forever, daemon=True).start()\ntime.sleep(0.1)\nprint('left')"
    ),
    "waiting": (
        "import threading, time\ndef f(): return sum(range(30))\nlock = threading.Lock(); lock.acquire()\n"
        "time.sleep(0.05)\nfor _ in range(1000): f()\nprint(lock.acquire(timeout=0.05), sorted(range(400_000))[-1])\n"
        "for _ in range(1000): f()\nprint('done')"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_exit_code_and_traceback_are_those_of_the_program_alone(name: str, tmp_path: Path) -> None:
    program = script(tmp_path, PROGRAMS[name])
    plain = run_plainly("-X", "dev", program)

    measured = run_sonde(
        *("contexts", "--quiet", "-o", tmp_path / "run.sonde", "--burst", "3ms/1ms", "--"),
        *(sys.executable, "-X", "dev", program),
    )

    assert (measured.returncode, measured.stdout, measured.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    profile = read_profile(tmp_path / "run.sonde")
    profile.check_valid()
    assert profile.sampling is not None
    assert len(profile.contexts) > 0


def test_no_context_is_deeper_than_the_program_ever_was(tmp_path: Path) -> None:
    """What was entered unseen also ends unseen, where the hook is not asked about what began without it."""
    program = script(
        tmp_path,
        "import sys\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "for _ in range(int(sys.argv[1])): fib(20)\n",
    )

    for times in ("10", "100", "1000"):  # until a burst has come while it ran
        measured = measure(tmp_path, "--burst", "5ms/1ms", program, times)
        deepest = max(sum(name == "fib" for name, *_ in path) for path in paths_of_rows(measured.profile))
        assert deepest <= 20
        if deepest > 1:
            break
    assert deepest > 1


@pytest.mark.timing
def test_a_stack_deeper_than_the_tree_costs_no_walk_for_every_call(tmp_path: Path) -> None:
    """A walk through 8,000 frames for each of 20,000 calls takes a hundred times as long, on any machine."""
    program = script(
        tmp_path,
        "import sys\nsys.setrecursionlimit(10**6)\ndef leaf(): pass\n"
        "def down(n):\n    if n: down(n - 1)\n    else:\n        for _ in range(20_000): leaf()\n"
        "down(int(sys.argv[1]))\nprint('done')",
    )
    took = []
    for depth in ("80", "8000"):
        began = time.monotonic()
        assert measure(tmp_path, "--memory", "20k", program, depth).stdout == "done\n"
        took.append(time.monotonic() - began)

    assert took[1] < 10 * took[0]


COUNT_CHANGES = """
was_watched, changes, patience = is_watched(), 0, time.perf_counter() + 60
while changes < 20 and time.perf_counter() < patience:
    f()
    if was_watched != is_watched():
        was_watched, changes = not was_watched, changes + 1
print(changes)
"""
"""In and out of ten bursts, however long they take to come."""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
def test_between_bursts_nothing_is_watched(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        "import sys, time\ndef f(): pass\n"
        "tool = [i for i in range(6) if sys.monitoring.get_tool(i) == 'sonde'][0]\n"
        "def is_watched(): return sys.monitoring.get_events(tool) != 0\n" + COUNT_CHANGES,
    )

    measured = measure(tmp_path, *BURST, program)

    assert measured.stdout == "20\n"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sys.monitoring can be asked for the hook itself")
def test_between_bursts_the_interpreters_own_evaluator_is_back(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        "import ctypes, time\n"
        "api = ctypes.pythonapi\napi.PyInterpreterState_Get.restype = ctypes.c_void_p\n"
        "get = api._PyInterpreterState_GetEvalFrameFunc\n"
        "get.restype = ctypes.c_void_p; get.argtypes = [ctypes.c_void_p]\n"
        "state = api.PyInterpreterState_Get()\n"
        "default = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value\n"
        "def f(): pass\ndef is_watched(): return get(state) != default\n" + COUNT_CHANGES,
    )

    measured = measure(tmp_path, *BURST, program)

    assert measured.stdout == "20\n"


FORKS = """
import os
def work(n):
    for _ in range(n): step()
def step(): pass
work(40_000)
for _ in range(5):
    pid = os.fork()
    work(20_000)
    if pid == 0: os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
work(40_000)
"""


@pytest.mark.parametrize("options", [[], ["--follow"]], ids=["alone", "followed"])
def test_forks_raise_no_warning_and_are_watched_in_bursts_too(options: list[str], tmp_path: Path) -> None:
    program = script(tmp_path, FORKS)
    command = [sys.executable, "-W", "error", "-X", "dev", str(program)]

    measured = measure(tmp_path, *options, "--burst", "3ms/1ms", "--", *command)

    assert (measured.returncode, measured.stdout, measured.stderr) == (0, "4\n" * 5, "")
    assert len(measured.profile.processes) == (6 if options else 1)
    assert measured.profile.losses == ()


def test_several_threads_may_fork_at_once(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        "import os, threading, warnings\nwarnings.simplefilter('ignore')\ndef leaf(): pass\n"
        "def run():\n    for _ in range(12):\n        pid = os.fork()\n"
        "        if pid == 0: os._exit(0)\n        os.waitpid(pid, 0)\n        for _ in range(2000): leaf()\n"
        "threads = [threading.Thread(target=run) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\nprint('done')",
    )
    command = [*SONDE, "contexts", "--quiet", "-o", str(tmp_path / "run.sonde"), "--burst", "5ms/1ms", str(program)]

    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment(), check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_subprocesses_are_watched_in_bursts_of_their_own(tmp_path: Path) -> None:
    child = "def work():\\n  pass\\nfor _ in range(3_000_000): work()"
    program = script(
        tmp_path,
        "import subprocess, sys\n"
        f"for _ in range(2): subprocess.run([sys.executable, '-c', '{child}'], check=True, preexec_fn=lambda: None)",
    )

    measured = measure(tmp_path, "--follow", "--burst", "3ms/1ms", program)

    assert (measured.returncode, measured.stderr) == (0, "")
    assert len([process for process in measured.profile.processes if "-c" in process.command]) >= 2
    assert calls_by_name(measured.profile)["work"] > 0


@pytest.mark.parametrize("victim", ["program", "sonde"])
def test_what_a_killed_program_did_is_known_up_to_then(victim: str, tmp_path: Path) -> None:
    program = script(tmp_path, SECOND.replace("parts += 1", "print(time.thread_time() - used, flush=True)"))
    output = tmp_path / "run.sonde"
    command = [*SONDE, "contexts", "--quiet", "-o", str(output), *BURST, str(program), "60"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
    assert process.stdout is not None
    while float(process.stdout.readline()) < 0.6:  # of a processor, however busy it is
        pass
    if victim == "sonde":
        process.kill()
    else:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (child,) = (int(pid) for pid in children if b"\0contexts\0" not in Path(f"/proc/{pid}/cmdline").read_bytes())
        os.kill(child, signal.SIGKILL)
    process.communicate(timeout=600)
    time.sleep(0.2)

    viewed = run_sonde_here("view", output)

    assert viewed.returncode == 0, viewed.stderr
    assert process.returncode == -signal.SIGKILL
    profile = read_profile(output)
    profile.check_valid()
    assert profile.sampling is not None
    assert 0 < profile.sampling.fraction < 1
    assert calls_by_name(profile)["work"] > 0


def test_a_recording_of_bursts_gives_their_profile(tmp_path: Path) -> None:
    """Only what was looked at is recorded, so that the recording itself is not scaled up."""
    trace = tmp_path / "t.trace"
    measured = measure(tmp_path, *BURST, "--record", trace, script(tmp_path, SECOND), "0.5")

    done = run_sonde_here("replay", "--quiet", "--exact", "-o", tmp_path / "replayed.sonde", trace)

    assert done.returncode == 0, done.stderr
    recorded = calls_by_name(read_profile(tmp_path / "replayed.sonde"))["work"]
    assert measured.profile.sampling is not None
    assert recorded == pytest.approx(
        calls_by_name(measured.profile)["work"] * measured.profile.sampling.fraction, rel=0.01, abs=2
    )


@pytest.mark.parametrize("interval", ["20ms/2ms", "5ms/1ms"])
def test_a_recording_can_be_looked_at_in_bursts(interval: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    measured = measure(tmp_path, "--record", trace, "--exact", script(tmp_path, SECOND), "0.6")

    done = run_sonde_here("replay", "--quiet", "--burst", interval, "-o", tmp_path / "sampled.sonde", trace)

    assert done.returncode == 0, done.stderr
    profile = read_profile(tmp_path / "sampled.sonde")
    profile.check_valid()
    assert profile.sampling is not None
    assert profile.sampling.fraction == pytest.approx(0.1 if interval == "20ms/2ms" else 0.2, abs=0.03)
    seen = calls_by_name(profile)["work"] * profile.sampling.fraction
    assert 0 < seen < calls_by_name(measured.profile)["work"]


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != FAST_MECHANISM])
def test_a_mechanism_that_knows_no_bursts_is_refused_before_anything_runs(mechanism: str, tmp_path: Path) -> None:
    done = run_sonde_here("contexts", *BURST, "--mechanism", mechanism, script(tmp_path, "print('ran')"))

    assert (done.returncode, done.stdout) == (2, "")
    assert mechanism in done.stderr
