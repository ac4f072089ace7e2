"""`sonde sample --live` on a terminal, with keys, and where there is none."""

import codecs
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

from sampled_pythons import running


class Session:
    """A command on a pseudo-terminal of 80 x 24."""

    def __init__(self, terminal: int, pid: int) -> None:
        self.terminal, self.pid = terminal, pid
        self.seen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        """A character may come in two parts."""

    def wait_for(self, pattern: str) -> str:
        """Wait until the terminal got this, and forget all until then."""
        end = time.monotonic() + 60
        while not (found := re.search(pattern, self.seen, re.DOTALL)):
            assert time.monotonic() < end, self.seen[-3000:]
            if select.select([self.terminal], [], [], 1)[0]:
                self.seen += self._decoder.decode(os.read(self.terminal, 1 << 16))
        self.seen = self.seen[found.end() :]
        return found[0]

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def ended(self) -> int:
        """Its exit code."""
        while True:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.terminal], [], [], 0.01)[0]:
                try:
                    self.seen += self._decoder.decode(os.read(self.terminal, 1 << 16))
                except OSError:  # nobody has it open any more
                    time.sleep(0.01)


@contextmanager
def on_a_terminal(*words: str) -> Iterator[Session]:
    pid, terminal = pty.fork()
    if not pid:
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        environment.pop("COLUMNS", None)
        os.execvpe(sys.executable, [sys.executable, "-m", "sonde", "sample", *words], environment)
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        yield Session(terminal, pid)
    finally:
        os.close(terminal)
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def test_keys_choose_what_is_shown_and_the_report_follows() -> None:
    with running(Path(sys.executable), "restless.py") as process:
        with on_a_terminal("--live", "--pid", str(process.pid)) as session:
            before = termios.tcgetattr(session.terminal)[3]
            session.wait_for(r"processors busy.*function.*restless\.py:\d.*q quit")
            assert not termios.tcgetattr(session.terminal)[3] & (termios.ECHO | termios.ICANON)
            session.press("t")
            session.wait_for(r"most of it in.*MainThread")
            session.press("l")
            session.wait_for(r"self all.*source")
            session.press("s")
            session.wait_for("sort by last seconds")
            session.press("p")
            session.wait_for("paused")
            session.press("q")
            session.wait_for("(is|are) (the )?(hottest|about)")
            assert session.ended() == 0
            assert termios.tcgetattr(session.terminal)[3] == before
        assert process.poll() is None


def test_ctrl_c_ends_the_view_and_the_report_follows() -> None:
    with running(Path(sys.executable), "restless.py") as process:
        with on_a_terminal("--live", "--what", "wall", "--pid", str(process.pid)) as session:
            session.wait_for("threads · .*q quit")
            session.press("\x03")
            session.wait_for("hottest functions")
            assert session.ended() == 0
        assert process.poll() is None


def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was() -> None:
    with running(Path(sys.executable), "restless.py") as process:
        with on_a_terminal("--live", "--pid", str(process.pid)) as session:
            before = termios.tcgetattr(session.terminal)[3]
            session.wait_for("processors busy.*q quit")
            os.kill(session.pid, signal.SIGTERM)
            assert session.ended() == -signal.SIGTERM
            assert termios.tcgetattr(session.terminal)[3] == before
            assert session.seen.endswith("\x1b8")  # the page is taken away, the cursor where it was
        assert process.poll() is None


def test_what_a_program_reads_from_the_terminal_is_its_own(tmp_path: Path) -> None:
    script = tmp_path / "asks.py"
    script.write_text(
        "import threading\n"
        "def spin():\n    while True: pass\n"
        "threading.Thread(target=spin, daemon=True).start()\nprint('got', input())\nraise SystemExit(5)\n"
    )
    with on_a_terminal("--live", str(script)) as session:
        session.wait_for(r"processors busy.*no keys")
        session.press("quit\r")
        session.wait_for("got quit")
        session.wait_for("hottest functions")
        assert session.ended() == 5


def test_without_a_terminal_there_is_a_line_now_and_then() -> None:
    with running(Path(sys.executable), "restless.py") as process:
        command = [sys.executable, "-m", "sonde", "sample", "--live", "--pid", str(process.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL) as looking:
            assert looking.stderr is not None
            first = looking.stderr.readline()
            looking.send_signal(signal.SIGINT)
            said = first + looking.stderr.read()
    assert looking.returncode == 0, said
    assert re.match(r"sonde: .* sampled, .* processors busy, .* stacks?, hottest .*%\n", first)
    assert "hottest functions" in said and "\x1b" not in said
