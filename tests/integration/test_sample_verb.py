"""`sonde sample` as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sampled_pythons import running
from sonde.base.errors import MissingCapability
from sonde.instruments.contexts.sources.sampling import Found, StackSampling
from sonde.instruments.contexts.verb.sampled_process import why_not

SPIN = """
import os, time
from pathlib import Path
def sleeps(pid=os.getpid()):
    while b"sonde\\0sample" not in Path(f"/proc/{{pid}}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[1])
    told = [each.read_text().split() for each in Path(f"/proc/{{pid}}/task").glob("*/status")]
    return sum(int(each[each.index("voluntary_ctxt_switches:") + 1]) for each in told)
end, late, enough = time.process_time() + {}, time.monotonic() + 60, sleeps() + 200
while time.process_time() < end or sleeps() < enough and time.monotonic() < late: pass
"""
"""Works for some seconds of processor time at least, and until sonde, which sleeps between two looks, has looked: on a
busy machine it may be late."""


def sample(*words: str, **more: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sonde", "sample", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)  # type: ignore[call-overload, no-any-return]


def test_a_program_runs_undisturbed_and_its_exit_code_is_passed_on(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        SPIN.format(0.3) + "import sys\nprint('out', sys.argv)\nprint('err', file=sys.stderr)\nsys.exit(7)\n"
    )
    kept = tmp_path / "run.sonde"
    ended = sample("-o", str(kept), str(script), "--json", "x")
    assert (ended.returncode, ended.stdout) == (7, f"out ['{script}', '--json', 'x']\n")
    assert ended.stderr.startswith("err\n")
    assert "app.py" in ended.stderr and "is hottest" in ended.stderr
    assert "no calls" not in ended.stderr
    viewed = subprocess.run(
        [sys.executable, "-m", "sonde", "view", str(kept)], capture_output=True, text=True, check=True
    )
    assert "times estimated from" in viewed.stdout


def test_what_is_printed_for_programs_says_that_it_is_an_estimate(tmp_path: Path) -> None:
    ended = sample("--json", "-r", "500Hz", "-c", SPIN.format(0.5))
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    text = json.dumps(report)
    for said in ("has_calls", "asked_interval", "process-memory", "is hottest"):
        assert said in text


def test_a_signal_that_ends_the_program_ends_sonde(tmp_path: Path) -> None:
    ended = sample("-c", SPIN.format(0.2) + "import os\nos.kill(os.getpid(), 15)")
    assert ended.returncode == -signal.SIGTERM
    assert "killed by SIGTERM" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_looking_and_not_the_process(number: signal.Signals) -> None:
    with running(Path(sys.executable), "restless.py") as process:
        assert process.stdout is not None
        process.stdout.readline()
        command = [sys.executable, "-m", "sonde", "sample", "--pid", str(process.pid), "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as looking:
            while looking.poll() is None and len(list(Path(f"/proc/{looking.pid}/task").iterdir())) < 2:
                time.sleep(0.01)  # until it looks
            time.sleep(0.5)
            looking.send_signal(number)
            out, err = looking.communicate(timeout=600)
            assert looking.returncode == (0 if number == signal.SIGINT else -number), err
        assert process.poll() is None
        assert json.loads(out)


def test_processes_that_a_program_starts_are_followed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys\n"
        f"def in_the_child(): {SPIN.format(0.4)!r}\n"
        f"subprocess.run([sys.executable, '-c', 'def of_the_child():\\n ' + {SPIN.format(0.4)!r}.replace('\\n', '\\n ')"
        " + '\\nof_the_child()'], check=True)\n"
    )
    assert "of_the_child" in sample("--follow", "--", "/bin/sh", "-c", f"{sys.executable} {script}; true").stderr
    ended = sample("--", "/bin/sh", "-c", f"{sys.executable} -c 'import time; time.sleep(0.2)'; true")
    assert ended.returncode == 3
    assert "ran no CPython" in ended.stderr and "--follow" in ended.stderr


def test_a_program_that_replaces_itself_is_found_again(tmp_path: Path) -> None:
    spin = SPIN.format(0.4).replace("\n", "\n    ")
    (tmp_path / "second.py").write_text(f"def of_the_second():\n    {spin}\nof_the_second()\nprint('done')\n")
    first = tmp_path / "first.py"
    first.write_text(SPIN.format(0.2) + "import os, sys\nos.execv(sys.executable, [sys.executable, 'second.py'])\n")
    ended = sample("--json", "first.py", cwd=tmp_path)
    assert ended.returncode == 0 and ended.stdout.startswith("done\n")
    assert "first.py" in ended.stdout and "of_the_second" in ended.stdout


def test_what_waits_is_told_with_wall_only(tmp_path: Path) -> None:
    waits = SPIN.format(0) + "def waits(): time.sleep(0.5)\nwaits()"
    assert "waits" in sample("--what", "wall", "--threads", "-c", waits).stderr
    ended = sample("-r", "100Hz", "-c", "pass")
    assert ended.returncode in (0, 3)  # it may just have been seen


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "neither a program nor a process"),
        (("--pid", "1", "app.py"), 2, "one of them"),
        (("--pid", "999999999"), 1, "there is none of that number"),
        (("--pid", "many"), 2, "is not the number of a process"),
        (("-r", "1MHz", "app.py"), 2, "out of reach"),
        (("-r", "fast", "app.py"), 2, "is not a rate"),
        (("--native", "--what", "tasks", "app.py"), 2, "cannot use --native with --what tasks"),
        (("--now", "--native", "--pid", "1"), 2, "cannot use --now with --native"),
        (("no-such.py",), 2, "no such file"),
        (("--", "/bin/sleep", "0.2"), 3, "ran no CPython"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], code: int, said: str) -> None:
    ended = sample(*words)
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr


def test_a_process_that_is_no_python_is_told() -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        try:
            ended = sample("--pid", str(process.pid))
        finally:
            process.kill()
    assert ended.returncode == 1 and "it runs no CPython" in ended.stderr


def test_a_process_without_a_program_is_told() -> None:
    with subprocess.Popen(["/bin/true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and we have not asked how
        ended = sample("--pid", str(process.pid))
    assert ended.returncode == 1 and "it has ended" in ended.stderr


def test_a_process_that_ended_or_is_older_than_3_11_is_told(tmp_path: Path) -> None:
    old = list((Path.home() / ".pyenv" / "versions").glob("3.10*/bin/python"))
    if not old:
        pytest.skip("there is no Python 3.10 here")
    with subprocess.Popen(
        [old[0], "-c", "import time; print(flush=True); time.sleep(60)"], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            ended = sample("--pid", str(process.pid))
        finally:
            process.kill()
    assert ended.returncode == 1 and "no CPython 3.11" in ended.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_who_may_not_read_a_process_is_told_what_to_change() -> None:
    with running(Path(sys.executable), "restless.py") as process:
        look = StackSampling(1_000_000, is_processor=True)
        child = os.fork()
        if not child:
            os.setgroups([])
            os.setuid(65534)
            os._exit(look.try_pid(process.pid))
        _, status = os.waitpid(child, 0)
    found = Found(os.waitstatus_to_exitcode(status))
    assert found is Found.FORBIDDEN
    error = why_not(found, 1)
    assert isinstance(error, MissingCapability) and error.hint is not None
