"""--live: a part of the terminal while the program runs, a line a second where there is none."""

import os
import pty
import re
import struct
import subprocess
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest

from fake_terminal import FakeTerminal
from measuring import SONDE, calls_by_name, environment, run_sonde
from sonde.instruments.contexts.profile import read_profile

PROGRAM = """
import time
def f(): return sum(range(100))
for number in range(4):
    print("line", number, flush=True)
    end = time.monotonic() + 0.4
    while time.monotonic() < end: f(), time.sleep(0.001)
print("end")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("options", [[], ["--concurrent"], ["--burst", "20ms/2ms"]], ids=" ".join)
def test_without_a_terminal_there_is_a_line_a_second(options: list[str], program: Path, tmp_path: Path) -> None:
    done = run_sonde("contexts", "--live", "--quiet", *options, "-o", tmp_path / "run.sonde", program)

    assert (done.returncode, done.stdout) == (0, "".join(f"line {i}\n" for i in range(4)) + "end\n")
    lines = done.stderr.splitlines()
    assert 1 <= len(lines) <= 3
    assert all(re.match(r"sonde: [\d.]+ s elapsed, [\d.,]+[kM]? calls", line) for line in lines)
    assert calls_by_name(read_profile(tmp_path / "run.sonde"))["f"] > 0


def on_a_terminal(command: list[str], rows: int, columns: int) -> tuple[int, str]:
    """Exit code, and what came out of a pseudo-terminal."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment(TERM="xterm"), start_new_session=True
    )
    os.close(slave)
    output = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # the last process that had the terminal has ended
            break
        if not part:
            break
        output += part
    os.close(master)
    return process.wait(timeout=600), output.decode()


@pytest.mark.parametrize("rows", [24, 6])
def test_a_terminal_is_left_clean_and_has_all_the_program_printed(rows: int, program: Path, tmp_path: Path) -> None:
    command = [*SONDE, "contexts", "--live", "--quiet", "-o", str(tmp_path / "run.sonde"), str(program)]

    code, output = on_a_terminal(command, rows, 80)

    terminal = FakeTerminal(columns=80, rows=rows)
    terminal.write(output.replace("\r\n", "\n"))
    shown = [line for line in [*terminal.scrolled_off, *terminal.screen] if line]
    if rows < 10:  # too low for a report: a line a second, as without a terminal
        shown = [line for line in shown if not line.startswith("sonde: ")]
    assert code == 0
    assert shown == [*(f"line {i}" for i in range(4)), "end"]
    assert terminal.scrolls_wholly
    assert "elapsed" in output  # it was there in between


def test_a_terminal_is_left_clean_when_the_program_dies(tmp_path: Path) -> None:
    script = tmp_path / "dies.py"
    script.write_text(
        "import os, signal, time\ndef f(): return sum(range(100))\nprint('begin', flush=True)\n"
        "end = time.monotonic() + 1.5\nwhile time.monotonic() < end: f(), time.sleep(0.001)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )

    code, output = on_a_terminal(
        [*SONDE, "contexts", "--live", "--quiet", "-o", str(tmp_path / "r.sonde"), str(script)], 24, 80
    )

    terminal = FakeTerminal(columns=80, rows=24)
    terminal.write(output.replace("\r\n", "\n"))
    assert code == -9
    assert terminal.scrolls_wholly
    assert [line for line in terminal.screen if line] == ["begin"]


def test_live_shows_a_run_of_many_contexts(tmp_path: Path) -> None:
    """Snapshots are taken while the tree is pruned."""
    script = tmp_path / "many.py"
    script.write_text(
        "import random, time\ndef a(n): return n and random.choice((a, b, c))(n - 1)\n"
        "def b(n): return n and random.choice((a, b, c))(n - 1)\n"
        "def c(n): return n and random.choice((a, b, c))(n - 1)\n"
        "end = time.process_time() + 1.6\nwhile time.process_time() < end: a(12)\n"
    )
    began = time.monotonic()

    done = run_sonde("contexts", "--live", "--quiet", "--memory", "200k", "-o", tmp_path / "run.sonde", script)

    assert done.returncode == 0
    assert "bug" not in done.stderr
    assert 1 <= len(done.stderr.splitlines()) <= 2 + (time.monotonic() - began), done.stderr
