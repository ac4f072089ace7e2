"""`sonde sample --mechanism ...` and `sonde sample study` as a user runs them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from measuring import run_sonde_here

SPIN = """
import os, signal, sys, time
def spins(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
spins(0.1)
"""


def sample(*words: str, **more: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sonde", "sample", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)  # type: ignore[call-overload, no-any-return]


def losses(report: str) -> list[str]:
    """Kinds of what was lost, as JSON tells them."""
    return [notice["kind"] for block in json.loads(report)["blocks"] for notice in block.get("notices", ())]


@pytest.mark.parametrize("trigger", ["task-clock", "timer", "sleep"])
def test_a_program_that_samples_itself_is_undisturbed(tmp_path: Path, trigger: str) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        SPIN + "print('out', sys.argv, 'SONDE_START' in os.environ, os.environ.get('PYTHONPATH'), len(os.listdir(\n"
        "'/proc/self/task')), signal.getsignal(signal.SIGTRAP), signal.getsignal(16), [n for n in sys.modules if\n"
        "'sonde' in n or n == 'sitecustomize'])\nsys.exit(7)\n"
    )
    kept = tmp_path / "run.sonde"
    plain = subprocess.run([sys.executable, script, "x"], capture_output=True, text=True)
    words = ["--mechanism", "immediate", "--trigger", trigger, "-o", str(kept), "--", sys.executable, str(script), "x"]
    ended = sample(*words)
    assert (ended.returncode, ended.stdout) == (plain.returncode, plain.stdout)
    assert "spins (app.py:3) is hottest" in ended.stderr
    viewed = run_sonde_here("view", kept, "--json")
    assert f"immediate, {trigger}" in viewed.stdout
    assert losses(viewed.stdout) == []


@pytest.mark.parametrize(
    ("does", "code", "lost"),
    [
        ("os._exit(3)", 3, []),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, []),
        ("os.kill(os.getpid(), signal.SIGTRAP)", -signal.SIGTRAP, []),
        (
            "got = []\nsignal.signal(signal.SIGTRAP, lambda *_: got.append(1))\nspins(0.1)\nassert not got\n"
            "os.kill(os.getpid(), signal.SIGTRAP)\nsys.exit(len(got))",
            1,
            ["signal-taken"],
        ),
        (
            "signal.signal(signal.SIGTRAP, signal.SIG_IGN)\nos.kill(os.getpid(), signal.SIGTRAP)\n"
            "assert signal.signal(signal.SIGTRAP, signal.SIG_DFL) is signal.SIG_IGN\nspins(0.1)\n"
            "os.kill(os.getpid(), signal.SIGTRAP)",
            -signal.SIGTRAP,
            ["signal-taken"],
        ),
        (
            "assert not signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\nspins(0.1)\n"
            "sys.exit(len(signal.sigpending()))",
            0,
            ["signal-blocked"],
        ),
        ("os.closerange(3, 4096)\nspins(0.1)", 0, ["counter-closed"]),
        ("os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(9)'])", 9, ["program-replaced"]),
    ],
    ids=["leaves", "is killed", "traps", "handles", "ignores and resets", "blocks", "closes files", "becomes another"],
)
def test_what_a_program_does_with_signals_is_done_and_told(does: str, code: int, lost: list[str]) -> None:
    ended = sample("--json", "--mechanism", "immediate", "-c", SPIN + does)
    assert ended.returncode == code, ended.stderr
    assert [kind for kind in losses(ended.stdout) if kind != "samples-late"] == lost
    assert "spins" in ended.stdout


@pytest.mark.parametrize(
    ("mechanism", "does", "code"),
    [("polling", "", 0), ("immediate", "os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM)],
)
def test_nothing_is_left_on_the_disk(mechanism: str, does: str, code: int, tmp_path: Path) -> None:
    ended = sample("--mechanism", mechanism, "-c", SPIN + does, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert ended.returncode == code
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--trigger", "timer", "app.py"), 2, "cannot sample from outside by --trigger timer"),
        (("--mechanism", "immediate", "--pid", "1"), 2, "cannot use --mechanism immediate with --pid"),
        (("--mechanism", "polling", "--what", "wall", "app.py"), 2, "with --what wall"),
        (("--mechanism", "immediate", "--", "/bin/true"), 3, "ran no CPython that loads sonde"),
        (("--mechanism", "immediate", "-r", "0.1Hz", "-c", "pass"), 3, "no sample was due"),
        (("study",), 2, "no program was given"),
        (("study", "--rates", "1MHz", "app.py"), 2, "out of reach"),
        (("study", "--rounds", "2", "-c", "raise SystemExit('broken')"), 1, "it exited with 1: broken"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("")
    ended = run_sonde_here("sample", *words, cwd=tmp_path)
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr


def test_a_study_tells_which_ways_name_the_wrong_function() -> None:
    program = str(Path(__file__).parents[2] / "examples" / "polling_bias" / "program.py")
    ended = sample("study", "--rounds", "2", "--rates", "1kHz", "--json", program, "700")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    text = json.dumps(report)
    assert "does_nothing is hottest, where the dense profile has concatenates" in text
    (table,) = (block for block in report["blocks"] if block.get("key") == "ways")
    assert len(table["rows"]) in (8, 10)  # all but cycles, or all; and the dense one
