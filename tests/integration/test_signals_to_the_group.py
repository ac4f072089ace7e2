"""Signals that reach sonde and its program at once, as a terminal or `timeout` sends them, or sonde alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from measuring import SONDE, environment

PROGRAM = """
import os, signal, sys
count = 0
def on_interrupt(*_):
    global count
    count += 1
    os.write(1, b"interrupted\\n")
signal.signal(signal.SIGINT, on_interrupt)
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(10 + count))
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""

LAUNCHERS = {
    "contexts": ["contexts", "--quiet", "-o", "run.sonde", "waits.py"],
    "capture": ["decisions", "capture", "-o", "run", "--", "waits.py"],
}


@contextmanager
def ended_at_last(process: "subprocess.Popen[str]") -> Iterator[None]:
    """Whatever fails, nothing is left stopped or waiting."""
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("to_the_group", [False, True])
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_signal_reaches_the_program_once(launcher: str, to_the_group: bool, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(PROGRAM)
    with (
        subprocess.Popen(
            [*SONDE, *LAUNCHERS[launcher]],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment(),
        ) as process,
        ended_at_last(process),
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if to_the_group:
            # Sonde learns of it only when the program has dealt with it: a second one would count.
            process.send_signal(signal.SIGSTOP)
            os.killpg(process.pid, signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            process.send_signal(signal.SIGCONT)
        else:
            process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGUSR1)  # sonde takes the lower number first, and so does the program
        assert process.wait() == 11


EARLY = """
import os, signal, sys
from sonde.launch.signal_relay import SignalRelay
if sys.argv[1] == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with SignalRelay() as relay:
    os.killpg(0, signal.SIGTERM)
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", "import signal; signal.pause()"], os.environ,
                         setsigmask=relay.mask_before, setsigdef=[signal.SIGTERM])
    relay.begin()
    print(relay.wait(pid), relay.asked_to_end_by)
"""


@pytest.mark.parametrize(("how", "asked"), [("heeded", signal.SIGTERM), ("ignored", 0)])
def test_a_signal_that_the_group_had_before_the_program_was_there_is_passed_on(how: str, asked: int) -> None:
    command = [sys.executable, "-c", EARLY, how]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment(), timeout=60
    )

    assert done.stdout == f"{int(signal.SIGTERM)} {int(asked)}\n"
