"""Functions called again and again in processes of their own."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from interpreters import other_pythons
from sonde.base.errors import InputError, SondeError, UsageError
from sonde.instruments.bench.invocations import SteadyCall, check_steady, run_steady
from sonde.instruments.bench.measurements import Invocation
from sonde.stats.steady_state import steady_window

PATIENCE_S = 300.0
"""For what takes a second on a machine that is not busy."""

PROGRAM = textwrap.dedent("""
    import atexit, os, signal, sys, threading, time

    print("printed when imported")
    calls = 0

    def nap(): time.sleep(0.006)
    def quick(): pass
    def work(): sum(range(1000))
    def noisy(): print("x" * 100); work()
    def raises(): raise ValueError("no data\\nat all")
    def exits(): sys.exit("enough")
    def leaves(): os._exit(0)
    def arguments(): assert sys.argv[1:] == ["a", "--b"], sys.argv; nap()
    def surroundings(): assert (os.getcwd(), os.environ["COLOUR"]) == (sys.path[0], "blue"); nap()
    def unchanged(): assert __name__ == "program" and "sonde" not in sys.modules and "numpy" not in sys.modules; nap()

    def dies():
        global calls
        calls += 1
        if calls > 12:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.001 * calls)

    def hangs():
        global calls
        calls += 1
        time.sleep(3600 if calls > 5 else 0.006)

    def warms_up():
        global calls
        calls += 1
        time.sleep(0.01 + 0.02 * max(0, 6 - calls))

    def leaves_thread():
        threading.Thread(target=time.sleep, args=(3600,)).start() if threading.active_count() == 1 else nap()

    def garbage():
        for _ in range(3000):
            x = []
            x.append(x)

    class Thing:
        def method(self): nap()
        class Inner:
            @staticmethod
            def function(): nap()
        async def later(self): pass
        def __call__(self): nap()
    thing = Thing()
    number = 5
    needs = lambda a, b=1: a
    async def coroutine(): pass
    async def asynchronous(): yield
    def generator(): yield
    def returns_coroutine(): return coroutine()
""")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("steady")
    (place / "program.py").write_text(PROGRAM)
    (place / "broken.py").write_text("import no_such_module_of_any_name\n")
    (place / "wrong.py").write_text("def f(:\n")
    (place / "package").mkdir()
    (place / "package" / "__init__.py").write_text("")
    (place / "package" / "part.py").write_text("import time\ndef nap(): time.sleep(0.006)\n")
    return place


def run(folder: Path, name: str, least: int = 3, most: int = 15, **more: object) -> Invocation:
    call = SteadyCall(name if ":" in name else f"program:{name}", folder=folder)
    return run_steady(call, iterations=(least, most), timeout_s=600.0, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["nap", "thing.method", "Thing.Inner.function", "thing", "package.part:nap", "program.py:nap", "unchanged"]
)
def test_a_function_is_called_until_it_is_steady(folder: Path, name: str) -> None:
    got = run(folder, name, 3, 15, window=3, threshold=0.5)

    assert (got.outcome, got.detail, got.loops) == ("ok", "", 1)
    assert len(got.values) >= 3
    assert got.values.min() >= 0.006
    assert got.warmups == len(got.values) - 3
    assert got.process["settled"] == 1
    assert got.process["calibration-calls"] == 0
    assert got.process["peak-memory"] > 1 << 20


def test_it_stops_where_the_statistics_say(folder: Path) -> None:
    got = run(folder, "warms_up", 3, 40, window=5, threshold=0.05)
    found = steady_window(got.values, 5, 0.05)

    assert found is not None
    assert found.reached == (got.process["settled"] == 1)
    if found.reached:
        assert (got.warmups, len(got.values)) == (found.start, found.stop)
        assert found.start >= 3


def test_what_is_never_steady_is_iterated_as_often_as_allowed(folder: Path) -> None:
    got = run(folder, "nap", 3, 7, window=3, threshold=1e-12)

    assert (got.outcome, len(got.values), got.warmups, got.process["settled"]) == ("ok", 7, None, 0)


def test_a_quick_function_is_called_several_times_for_each_value(folder: Path) -> None:
    got = run(folder, "work", 5, 5, min_time_s=0.002)

    assert got.loops > 10
    assert got.process["calibration-calls"] >= got.loops
    assert 1e-6 < np.median(got.values) < 1e-3
    assert np.median(got.values) * got.loops > 0.001


def test_the_number_of_calls_can_be_fixed(folder: Path) -> None:
    once = run(folder, "work", 20, 20, loops=1)
    often = run(folder, "work", 5, 5, loops=50)

    assert (once.loops, len(once.values), once.process["calibration-calls"]) == (1, 20, 0)
    assert (often.loops, len(often.values), often.process["calibration-calls"]) == (50, 5, 1)


def test_the_collector_of_garbage_works_unless_it_is_switched_off(folder: Path) -> None:
    assert run(folder, "garbage", 5, 5, loops=1).process["garbage-collections"] > 0
    assert run(folder, "garbage", 5, 5, loops=1, collect_garbage=False).process["garbage-collections"] == 0


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("raises", "ValueError: no data at all"),
        ("exits", "SystemExit: enough"),
        ("leaves", "it ended by itself, with exit code 0, while calibrating"),
        ("returns_coroutine", "what it returns is to be awaited, and was not run"),
        ("coroutine", "calling an 'async def' runs none of it"),
        ("no_such_name", "no 'no_such_name'"),
        ("nowhere:f", "no module 'nowhere'"),
        ("broken:f", "ModuleNotFoundError: No module named 'no_such_module_of_any_name' (broken.py, line 1)"),
        ("wrong:f", "SyntaxError: invalid syntax (wrong.py, line 1)"),
    ],
)
def test_a_failure_is_told_with_its_reason(folder: Path, name: str, detail: str) -> None:
    got = run(folder, name)

    assert (got.outcome, got.detail, len(got.values)) == ("failed", detail, 0)


@pytest.mark.parametrize("loops", [1, 5])
def test_what_is_to_be_awaited_is_refused_however_often_it_is_called(folder: Path, loops: int) -> None:
    got = run(folder, "returns_coroutine", loops=loops)

    assert (got.outcome, got.detail) == ("failed", "what it returns is to be awaited, and was not run")


def test_what_was_measured_before_a_crash_is_kept(folder: Path) -> None:
    got = run(folder, "dies", 10, 50, loops=1)

    assert (got.outcome, got.detail, len(got.values)) == ("failed", "killed by SIGKILL", 12)
    assert got.values[-1] >= 0.012


def test_what_was_measured_before_a_time_out_is_kept(folder: Path) -> None:
    call = SteadyCall("program:hangs", folder=folder)

    got = run_steady(call, iterations=(10, 50), timeout_s=3.0, grace_s=0.2)

    assert (got.outcome, got.detail, len(got.values)) == ("timeout", "ended after 3 s", 5)


def test_threads_that_go_on_do_not_spoil_what_was_measured(folder: Path) -> None:
    call = SteadyCall("program:leaves_thread", folder=folder)

    got = run_steady(call, iterations=(3, 3), loops=1, timeout_s=3.0, grace_s=0.1)

    assert (got.outcome, len(got.values)) == ("ok", 3)


def test_surroundings_are_as_asked(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = SteadyCall("program:arguments", folder=folder, arguments=("a", "--b"))
    place = SteadyCall("program:surroundings", folder=folder, environment={"COLOUR": "blue"}, output="show")

    assert run_steady(words, iterations=(3, 3)).detail == ""
    assert run_steady(place, iterations=(3, 3)).detail == ""
    assert capfd.readouterr() == ("printed when imported\n", "")
    assert run(folder, "noisy").outcome == "ok"
    assert capfd.readouterr() == ("", "")


def test_old_interpreters_do(folder: Path) -> None:
    versions = set()
    for python in other_pythons():
        call = SteadyCall("program:work", interpreter=(str(python), "-B"), folder=folder)
        try:
            check_steady(call)
        except UsageError as refused:
            if refused.slug == "not-an-interpreter":  # a stub in place of one that is not installed
                continue
            raise
        got = run_steady(call, iterations=(3, 3), min_time_s=0.001)
        assert (got.outcome, len(got.values)) == ("ok", 3), f"{python}: {got.detail}"
        versions.add(str(python))
    if not versions:
        pytest.skip("there is no other interpreter on this machine")


def test_a_target_that_can_be_measured_is_not_refused(folder: Path) -> None:
    for target in (
        "program:nap",
        "program:thing.method",
        "program.py:thing",
        "package.part:nap",
        "json:JSONDecoder",
    ):
        check_steady(SteadyCall(target, folder=folder))


@pytest.mark.parametrize(
    ("target", "slug", "text"),
    [
        ("nowhere:f", "no-such-target", "no module 'nowhere'"),
        ("package.none:f", "no-such-target", "no module 'package.none'"),
        ("none.py:f", "no-such-target", "no such file"),
        ("program:napp", "no-such-target", "did you mean 'nap'"),
        ("program:thing.methot", "no-such-target", "did you mean 'method'"),
        ("program:number", "not-measurable", "of type int"),
        ("program:needs", "not-measurable", "takes arguments (missing a required argument: 'a')"),
        ("program:coroutine", "not-measurable", "async def"),
        ("program:thing.later", "not-measurable", "async def"),
        ("program:asynchronous", "not-measurable", "generator"),
        ("program:generator", "not-measurable", "generator"),
        ("broken:f", "broken-target", "No module named 'no_such_module_of_any_name' (broken.py, line 1)"),
        ("wrong.py:f", "broken-target", "SyntaxError: invalid syntax (wrong.py, line 1)"),
    ],
)
def test_a_target_that_cannot_be_measured_is_refused_before(folder: Path, target: str, slug: str, text: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_steady(SteadyCall(target, folder=folder))

    assert refused.value.slug == slug
    assert text in str(refused.value)


@pytest.mark.parametrize(
    ("words", "slug"), [(("true",), "not-an-interpreter"), (("no-such-python",), "no-such-command")]
)
def test_an_interpreter_that_is_none_is_refused(folder: Path, words: tuple[str, ...], slug: str) -> None:
    with pytest.raises(SondeError) as refused:
        check_steady(SteadyCall("program:nap", interpreter=words, folder=folder))

    assert refused.value.slug == slug


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": (0, 5)},
        {"iterations": (6, 5)},
        {"iterations": (1, 10**8)},
        {"window": 1},
        {"loops": 0},
        {"min_time_s": -1.0},
        {"min_time_s": float("nan")},
    ],
)
def test_options_that_make_no_sense_are_refused(folder: Path, options: dict[str, object]) -> None:
    with pytest.raises(InputError) as refused:
        run_steady(SteadyCall("program:nap", folder=folder), **options)  # type: ignore[arg-type]

    assert refused.value.slug == "bad-iterations"


def test_an_interpreter_that_does_not_know_the_workers_language_is_too_old(folder: Path, tmp_path: Path) -> None:
    old = tmp_path / "python2.7"
    old.write_text("#!/bin/sh\necho 'SyntaxError: invalid syntax' >&2\nexit 1\n")
    old.chmod(0o755)

    with pytest.raises(UsageError, match="it is older than Python") as refused:
        check_steady(SteadyCall("program:nap", interpreter=(str(old),), folder=folder))

    assert refused.value.slug == "not-an-interpreter"


def test_what_took_longer_than_the_time_out_is_none_of_the_sample(folder: Path) -> None:
    got = run_steady(SteadyCall("program:nap", folder=folder), iterations=(3, 3), timeout_s=1e-6)

    assert got.outcome == "timeout"


def test_an_interrupt_ends_the_worker(folder: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sonde.instruments.bench.invocations import SteadyCall, run_steady\n"
        "try: run_steady(SteadyCall('program:hangs', folder=Path(sys.argv[1])), grace_s=0.2)\n"
        "except KeyboardInterrupt: sys.exit(42)\n"
    )
    runner = subprocess.Popen([sys.executable, "-c", script, folder])
    deadline = time.monotonic() + PATIENCE_S
    while not any(b"target=program:hangs" in line for line in command_lines()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    runner.send_signal(signal.SIGINT)

    assert runner.wait(PATIENCE_S) == 42
    assert not any(b"target=program:hangs" in line for line in command_lines())


def command_lines() -> list[bytes]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            found.append((entry / "cmdline").read_bytes())
        except OSError:
            continue
    return found
