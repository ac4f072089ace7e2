"""Commands run as processes: how they end, what they use, and that nothing of them is left."""

import os
import pty
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from sonde import _agent
from sonde.base.errors import MissingCapability, SondeError, UsageError
from sonde.instruments.bench.invocations import Command, run_command
from sonde.instruments.bench.invocations.counters import available_counters
from sonde.instruments.bench.invocations.launcher import launcher_path
from sonde.instruments.bench.invocations.shell_words import split_words
from sonde.instruments.bench.printed_metric import PrintedMetric

PATIENCE_S = 120.0
"""For what takes milliseconds on a machine that is not busy."""


def shell(script: str, **more: object) -> Command:
    return Command.parse(script, shell=True, **more)  # type: ignore[arg-type]


def python(script: str, **more: object) -> Command:
    return Command((sys.executable, "-S", "-c", script), **more)  # type: ignore[arg-type]


def running(mark: str) -> list[int]:
    """Processes with this in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def wait_until_gone(mark: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while running(mark):
        assert time.monotonic() < deadline, f"still there: {running(mark)}"
        time.sleep(0.01)


def test_a_command_takes_the_time_it_takes() -> None:
    before, started = time.time(), time.monotonic()

    got = run_command(Command.parse("sleep 0.1"))

    assert 0.1 <= got.values[0] < time.monotonic() - started
    assert (got.outcome, got.detail, got.loops, got.warmups) == ("ok", "", 1, None)
    assert before <= (got.started or 0) <= time.time() - 0.1


def test_processor_time_is_that_of_the_command_and_its_children() -> None:
    script = "import time, os\nt = time.process_time\nif not os.fork():\n  while t() < .1: pass\nelse: os.wait()"

    got = run_command(python(script))

    assert got.process["user"] + got.process["system"] == pytest.approx(0.1, abs=0.08)
    assert got.process["user"] + got.process["system"] > 0.09


def test_peak_memory_is_that_of_the_command_and_not_ours() -> None:
    ours = bytearray(200 << 20)  # touched: it counts as this process' peak
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 200 << 10

    small = run_command(Command.parse("true")).process["peak-memory"]
    large = run_command(python("x = bytearray(64 << 20)")).process["peak-memory"]

    assert len(ours) == 200 << 20
    assert 100 << 10 < small < 8 << 20
    assert 64 << 20 < large < 96 << 20


def test_each_metric_of_a_process_is_there() -> None:
    process = run_command(Command.parse("true")).process

    names = {
        "user",
        "system",
        "peak-memory",
        "minor-faults",
        "major-faults",
        "voluntary-switches",
        "involuntary-switches",
    }
    assert names | set(available_counters()) == set(process)
    assert set(process) == set(run_command(Command.parse("true"), counters=False).process) | set(available_counters())


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("exit 3", "exit code 3"),
        ("echo working; echo 'no: data' >&2; exit 4", "exit code 4: no: data"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("no-such-program-at-all", "exit code 127: "),
    ],
)
def test_a_failure_is_an_invocation_without_a_value(script: str, detail: str) -> None:
    got = run_command(shell(script))

    assert got.outcome == "failed"
    assert got.detail.startswith(detail)
    assert len(got.values) == 0
    assert got.process["peak-memory"] > 0


def test_an_exit_code_can_be_ignored_and_a_signal_cannot() -> None:
    ignored = run_command(shell("exit 3"), ignore_failure=True)
    killed = run_command(shell("kill -9 $$"), ignore_failure=True)

    assert (ignored.outcome, ignored.detail, len(ignored.values)) == ("ok", "exit code 3 (ignored)", 1)
    assert (killed.outcome, len(killed.values)) == ("failed", 0)


def test_a_program_that_the_kernel_refuses_is_told_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\x00\x01 no program")
    (tmp_path / "odd").chmod(0o755)

    got = run_command(Command(("./odd",), folder=tmp_path))

    assert (got.outcome, got.detail) == ("failed", "could not be executed: Exec format error")


def test_a_script_sees_its_name_as_it_was_typed(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\necho $0\n")
    (tmp_path / "script").chmod(0o755)

    run_command(Command(("./script",), folder=tmp_path, output=tmp_path / "out"))

    assert (tmp_path / "out").read_text() == "./script\n"


def test_arguments_that_are_too_long_are_told() -> None:
    with pytest.raises(SondeError, match="cannot run 'true': Argument list too long"):
        run_command(Command(("true", "x" * 10_000_000)))


def test_a_command_out_of_time_is_ended_with_all_that_it_started() -> None:
    mark = "3600.0625"
    script = f"trap '' TERM; sleep {mark} & setsid sh -c 'sleep {mark}' & while :; do sleep 0.01; done"
    started = time.monotonic()

    got = run_command(shell(script), timeout_s=0.3, grace_s=0.1)

    assert (got.outcome, got.detail, len(got.values)) == ("timeout", "ended after 0.3 s", 0)
    assert time.monotonic() - started < PATIENCE_S
    assert running(mark) == []


def test_what_outlives_the_command_is_ended_and_counted_and_not_waited_for() -> None:
    mark = "3600.125"

    got = run_command(shell(f"sleep {mark} & setsid sleep {mark} & sleep 0.2"))

    assert (got.outcome, got.detail) == ("ok", "2 processes that outlived it were ended")
    assert got.values[0] < PATIENCE_S
    assert got.process["left-behind"] == 2
    assert running(mark) == []


@pytest.mark.parametrize("output", ["discard", "drain"])
def test_megabytes_of_output_never_block(output: str) -> None:
    script = (
        "import sys\n"
        "for stream in sys.stdout, sys.stderr:\n"
        "  for _ in range(100): stream.write('x' * 99999 + '\\n')\n"
        "sys.exit('the end')"
    )

    got = run_command(python(script, output=output), timeout_s=PATIENCE_S * 3)

    assert (got.outcome, got.detail) == ("failed", "exit code 1: the end")


def test_streams_that_are_closed_do_no_harm() -> None:
    got = run_command(shell("exec <&- >&- 2>&-; sleep 0.05; exit 2", output="drain"))

    assert got.detail == "exit code 2"


def test_standard_input_is_empty_or_a_file_read_anew_each_time(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("42\n")
    command = shell("read x; exit $x", stdin=tmp_path / "data")

    assert run_command(shell("! read x")).outcome == "ok"
    assert [run_command(command).detail for _ in range(2)] == ["exit code 42"] * 2
    with pytest.raises(UsageError):
        run_command(shell("true", stdin=tmp_path / "none"))


def test_output_goes_where_it_is_to_go(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.txt"
    run_command(shell("echo a long first line", output=path))
    run_command(shell("echo second", output=path))
    run_command(shell("echo unseen"))
    assert path.read_text() == "second\n"
    assert capfd.readouterr() == ("", "")

    got = run_command(shell("echo seen; echo error >&2; exit 1", output="show"))

    assert capfd.readouterr() == ("seen\n", "error\n")
    assert got.detail == "exit code 1"
    with pytest.raises(SondeError, match="cannot write"):
        run_command(shell("true", output=tmp_path / "none" / "x"))


def test_surroundings_are_as_asked(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    script = 'echo "$PWD|$COLOUR|$PYTHONHASHSEED|${#SONDE_PADDING}|$HOME"'
    path = tmp_path / "out.txt"
    command = shell(script, folder=folder, environment={"COLOUR": "blue"}, output=path)

    run_command(command, hash_seed=17, padding_bytes=321)

    assert path.read_text() == f"{folder}|blue|17|321|{os.environ.get('HOME', '')}\n"


ON_TERMINAL = """
import os, sys
from sonde.instruments.bench.invocations import Command, run_command
os.close(os.open("/dev/tty", os.O_RDWR))
sys.exit(run_command(Command((sys.executable, "-S", "-c", sys.argv[1])), timeout_s=20).detail or 0)
"""


def test_the_command_has_a_group_of_its_own_and_no_terminal() -> None:
    script = "import os, sys\ntry: open('/dev/tty')\nexcept OSError: sys.exit(os.getpid() != os.getpgrp())\nsys.exit(5)"
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", ON_TERMINAL, script])
    said = b""
    with suppress(OSError):  # which is how the end of a terminal looks
        while part := os.read(terminal, 1000):
            said += part
    os.close(terminal)

    assert said == b""
    assert os.waitpid(child, 0)[1] == 0


def test_a_processor_can_be_chosen() -> None:
    usable = sorted(os.sched_getaffinity(0))
    script = "import os, sys; sys.exit(os.sched_getaffinity(0) != {%d})"

    assert run_command(python(script % usable[-1]), pin=usable[-1]).outcome == "ok"
    assert os.sched_getaffinity(0) == set(usable)
    with pytest.raises(MissingCapability) as refused:
        run_command(Command.parse("true"), pin=4000)
    assert refused.value.slug == "cannot-pin"


def test_memory_is_laid_out_at_random_unless_asked(tmp_path: Path) -> None:
    def stack(number: int, *, aslr: bool) -> str:
        path = tmp_path / str(number)
        run_command(shell("grep stack /proc/self/maps", output=path), aslr=aslr)
        return path.read_text().split()[0]

    assert len({stack(number, aslr=True) for number in range(4)}) > 1
    try:
        fixed = {stack(number, aslr=False) for number in range(4)}
    except MissingCapability:
        pytest.skip("the layout of memory may not be changed here")
    assert len(fixed) == 1


def test_hashes_differ_from_one_invocation_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)

    def printed(number: int, seed: int | None) -> str:
        path = tmp_path / str(number)
        run_command(python("print(hash('sonde'))", output=path), hash_seed=seed)
        return path.read_text()

    assert len({printed(number, None) for number in range(3)}) > 1
    assert len({printed(number, 5) for number in range(3)}) == 1


def test_nothing_of_ours_is_inherited_and_nothing_is_left_open() -> None:
    path = Path("/proc/self/fd")
    run_command(Command.parse("true"))
    before = sorted(path.iterdir())
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)

    got = run_command(python("import os, sys; sys.exit(len(os.listdir('/proc/self/fd')) != 4)"))  # 0, 1, 2, the folder

    os.close(reading)
    os.close(writing)
    assert got.detail == ""
    assert sorted(path.iterdir()) == before


def test_signals_are_as_usual_in_the_command() -> None:
    script = (
        "import signal, sys\n"
        "lines = dict(l.split(':', 1) for l in open('/proc/self/status'))\n"
        "sys.exit(bool(int(lines['SigBlk'], 16)) or bool(int(lines['SigIgn'], 16) & ~(1 << 12 | 1 << 24)))"
    )  # Python itself ignores the 13th and the 25th

    assert run_command(python(script)).detail == ""
    assert run_command(shell("yes | head -1", output="drain")).outcome == "ok"


def test_threads_may_run_commands_at_once() -> None:
    got: list[float] = []

    def work() -> None:
        got.extend(run_command(Command.parse("sleep 0.05")).values)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 8
    assert min(got) >= 0.05


INTERRUPTED = """
import sys
from sonde.instruments.bench.invocations import Command, run_command
try:
    run_command(Command.parse(sys.argv[1], shell=True), grace_s=float(sys.argv[2]))
except KeyboardInterrupt:
    sys.exit(42)
"""


def interrupted(script: str, mark: str, *signals: int, grace_s: float = 0.2) -> int:
    """Have a Python run this, and send it signals once it does; its exit code when all has gone."""
    runner = subprocess.Popen([sys.executable, "-c", INTERRUPTED, script, str(grace_s)], start_new_session=True)
    deadline = time.monotonic() + PATIENCE_S
    while len(running(f"sleep\0{mark}")) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for number in signals:
        os.killpg(runner.pid, number)  # as a terminal would
        time.sleep(0.1)
    code = runner.wait(PATIENCE_S)
    wait_until_gone(mark)
    return code


def test_an_interrupt_ends_the_command_and_is_passed_on() -> None:
    mark = "3600.25"
    assert interrupted(f"sleep {mark} & setsid sleep {mark} & wait", mark, signal.SIGINT) == 42


def test_a_second_interrupt_ends_a_command_that_will_not_end() -> None:
    mark = "3600.5"
    script = f"trap '' TERM INT; sleep {mark} & sleep {mark} & while :; do wait; done"
    started = time.monotonic()

    code = interrupted(script, mark, signal.SIGINT, signal.SIGINT, grace_s=3600.0)

    assert code in (42, -signal.SIGINT)
    assert time.monotonic() - started < 2 * PATIENCE_S


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_sonde_itself_is_ended(number: int) -> None:
    mark = f"3600.{number}"
    assert interrupted(f"sleep {mark} & setsid sleep {mark} & wait", mark, number) == -number


def test_a_launcher_that_is_killed_is_a_failed_invocation() -> None:
    got = []
    runner = threading.Thread(target=lambda: got.append(run_command(Command.parse("sleep 3600.75"))))
    runner.start()
    deadline = time.monotonic() + PATIENCE_S
    while len(both := running("sleep\x003600.75")) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(min(both), signal.SIGKILL)  # which was started first
    runner.join(PATIENCE_S)

    assert [invocation.outcome for invocation in got] == ["failed"]
    assert "launcher was killed" in got[0].detail
    wait_until_gone("sleep\x003600.75")


def test_the_launcher_is_installed_where_the_agent_is() -> None:
    assert launcher_path().parent == Path(_agent.__file__).parent


def test_words_are_split_as_a_real_shell_splits_them() -> None:
    random = Random(5)
    texts = ["".join(random.choices(" \tab=:~#!{,}^%@'\"\\\n", k=random.randint(1, 12))) for _ in range(3000)]
    split = {}
    for text in texts:
        with suppress(UsageError):
            split[text] = list(split_words(text))
    script = "".join(f"printf '%s\\0' {text}\nprintf '\\1\\0'\n" for text in split)

    done = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)

    assert len(split) > 300
    assert [part.split("\0")[:-1] for part in done.stdout.split("\1\0")[:-1]] == list(split.values())


def test_a_launcher_of_another_version_says_which() -> None:
    done = subprocess.run([launcher_path(), "0"], capture_output=True, text=True, check=False)

    assert done.returncode == 64
    assert done.stderr.startswith("sonde launcher: version 1, asked for 0")


def test_without_a_launcher_nothing_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    launcher_path.cache_clear()
    monkeypatch.setattr("sonde.instruments.bench.invocations.launcher.find_spec", lambda name: None)
    try:
        with pytest.raises(MissingCapability) as refused:
            run_command(Command.parse("true"))
    finally:
        launcher_path.cache_clear()

    assert refused.value.slug == "no-launcher"


def test_what_took_longer_than_the_time_out_is_none_of_the_sample() -> None:
    for _ in range(12):
        got = run_command(Command(("true",)), timeout_s=1e-6, ignore_failure=True)

        assert (got.outcome, len(got.values)) == ("timeout", 0)


def test_a_limit_on_open_files_that_is_too_low_is_said() -> None:
    script = (
        "import resource\n"
        "from sonde.instruments.bench.invocations import Command, run_command\n"
        "from sonde.base.errors import SondeError\n"
        "run_command(Command(('true',)))\n"
        "for limit in range(5, 12):\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, 64))\n"
        "    try: run_command(Command(('true',)))\n"
        "    except SondeError as error: assert error.slug == 'too-many-open-files', error\n"
        "    else: assert limit > 5\n"
    )

    assert subprocess.run([sys.executable, "-c", script], timeout=PATIENCE_S, check=False).returncode == 0


SCORE = PrintedMetric("score", "score: (.*)", "ops/s", "higher")


def test_what_a_command_prints_is_measured_and_its_time_is_kept() -> None:
    got = run_command(shell("echo score: 5; echo score: 6.5; echo score: 7 >&2"), metric=SCORE)

    assert (got.outcome, got.values.tolist()) == ("ok", [5.0, 6.5])
    assert got.process["wall"] > 0.0


def test_what_is_printed_into_a_file_is_measured_and_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "out"

    got = run_command(shell("echo score: 5", output=path), metric=SCORE)

    assert got.values.tolist() == [5.0]
    assert path.read_text() == "score: 5\n"


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        (":", "no 'score' was printed: it printed nothing"),
        ("echo usage: bench N; echo; echo oops >&2", "the last line of its output is 'usage: bench N'"),
        ("echo score: fast", "the 'score' that was printed is no number: 'fast'"),
        ("echo score: 5; exit 3", "exit code 3"),
    ],
)
def test_an_invocation_without_a_value_has_failed(script: str, detail: str) -> None:
    got = run_command(shell(script), metric=SCORE)

    assert (got.outcome, len(got.values)) == ("failed", 0)
    assert detail in got.detail
    assert "user" in got.process


def test_a_metric_leaves_no_descriptor_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))

    run_command(shell("echo score: 5"), metric=SCORE)

    assert len(list(Path("/proc/self/fd").iterdir())) == before
