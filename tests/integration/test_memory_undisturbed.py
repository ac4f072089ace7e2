"""`sonde memory`: output, exit code and signals of a program are as without sonde; the tool is built by the way."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from measuring import SONDE, environment, run_plainly, run_sonde
from needed import needs
from sonde.instruments.memory.source import check_tool

pytestmark = needs(check_tool)

PROGRAMS = {
    # One for all that a program may ask and do before its end: it takes a second or two to start under Valgrind, and
    # `signal`, `subprocess` and `ctypes`, whose imports are measured, take as long again.
    "asks about itself, has threads, forks, and exits with a code": (
        "import sys, os, gc, threading\n"
        "print(sys.argv, __name__, __file__, sys.path, sys.flags, sys.orig_argv[1:], sys.executable)\n"
        "print('sitecustomize' in sys.modules, [m for m in sys.modules if 'sonde' in m])\n"
        "print(threading.active_count(), gc.get_threshold(), sys.getrecursionlimit(), os.getcwd())\n"
        "print({k: v for k, v in os.environ.items() if k != 'XDG_CACHE_HOME'})\n"
        "print('err', file=sys.stderr); print(sys.stdin.read().upper(), flush=True)\n"
        "pid = os.fork()\n"
        "if not pid: print('child', flush=True); os._exit(4)\n"
        "print(os.waitpid(pid, 0)[1])\n"
        "def f(n): print(sum(range(n)))\n"
        "for n in (1000, 2000):\n    t = threading.Thread(target=f, args=(n,)); t.start(); t.join()\n"
        "sys.exit(7)"
    ),
    "raises, and has an atexit function": (
        "import atexit\n@atexit.register\ndef bye(): print('bye')\nprint('hi')\ndef f(x):\n    return 1 / x\n\nf(0)"
    ),
    "runs others, and leaves by os._exit": (
        "import os, sys\n"
        "child = os.posix_spawn(sys.executable, [sys.executable, '-c', 'print(6 * 7)'], os.environ)\n"
        "print(os.waitpid(child, 0)[1], flush=True); os._exit(3)"
    ),
    "runs others as most programs do": (
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6 * 7)']).returncode)"
    ),
    "kills itself": "import os; os.kill(os.getpid(), 9)",
    "crashes": "import faulthandler; print('here', flush=True); faulthandler._read_null()",
}
SWEPT = "runs others as most programs do"
"""To import `subprocess` takes most of the run; what it does to children, `posix_spawn` does."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.sweep if name == SWEPT else ()) for name in PROGRAMS]
)
def test_output_exit_code_and_traceback_are_the_same(name: str, tmp_path: Path, cache: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAMS[name], encoding="utf-8")
    plain = run_plainly(script, "arg", "--flag")
    output = tmp_path / "run.sonde"

    measured = run_sonde("memory", "-o", output, "--quiet", script, "arg", "--flag", XDG_CACHE_HOME=cache)

    said_by_sonde = [line for line in measured.stderr.splitlines() if line.startswith(("sonde: ", "hint: "))]
    stderr = [line for line in measured.stderr.splitlines() if line not in said_by_sonde]
    assert (measured.returncode, measured.stdout, stderr) == (
        plain.returncode,
        plain.stdout,
        plain.stderr.splitlines(),
    )
    assert output.exists()
    assert [path.name for path in tmp_path.iterdir() if path not in (script, output)] == []


def test_a_module_runs_as_it_does_without_sonde(tmp_path: Path, cache: str) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("def hello(): return __name__", encoding="utf-8")
    (tmp_path / "package" / "__main__.py").write_text(
        "import sys\nfrom package import hello\nprint(hello(), sys.argv[1:])", encoding="utf-8"
    )
    module = run_sonde("memory", "--quiet", "-o", "m.sonde", "-m", "package", "-x", cwd=tmp_path, XDG_CACHE_HOME=cache)
    assert (module.returncode, module.stdout, module.stderr) == (0, "package ['-x']\n", "")


def test_a_signal_sent_to_sonde_reaches_the_program(tmp_path: Path, cache: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import _signal as signal, sys, time\n"  # `signal` would import `enum`
        "def f(number, frame):\n    print('got', number, flush=True); sys.exit(5)\n"
        "signal.signal(signal.SIGTERM, f)\nprint('ready', flush=True)\ntime.sleep(100)",
        encoding="utf-8",
    )
    command = [*SONDE, "memory", "--quiet", "-o", str(tmp_path / "run.sonde"), str(script)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment(XDG_CACHE_HOME=cache), start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == f"got {signal.SIGTERM.value}\n"
        assert process.wait(60) == 5
    assert (tmp_path / "run.sonde").exists()


def test_a_script_that_names_its_python_by_env_is_measured(tmp_path: Path, cache: str) -> None:
    script = tmp_path / "tool"
    script.write_text("#!/usr/bin/env python3\nimport sys; print(sys.argv)\n", encoding="utf-8")
    script.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    words = ("memory", "--quiet", "-o", tmp_path / "run.sonde", "--", script, "a")
    done = run_sonde(*words, PATH=path, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{[str(script), 'a']}\n", "")


def test_a_native_program_is_measured(tmp_path: Path, cache: str) -> None:
    compiler = shutil.which("cc") or "cc"
    source = tmp_path / "walk.c"
    source.write_text(
        "#include <stdio.h>\nstatic volatile int cells[1 << 16];\n"
        "int main(void) {\n    long sum = 0;\n"
        "    for (int i = 0; i < 1 << 16; i++) sum += cells[i];\n"
        '    printf("%ld\\n", sum);\n    return 3;\n}\n',
        encoding="utf-8",
    )
    for options, static in ((), False), (("-static",), True):
        subprocess.run([compiler, "-g", "-O1", *options, source, "-o", tmp_path / "walk"], check=True)
        done = run_sonde("memory", "--", tmp_path / "walk", XDG_CACHE_HOME=cache)
        assert (done.returncode, done.stdout) == (3, "0\n")
        assert "walk.c" in done.stderr and "cells" in done.stderr
        assert ("is static: what it allocates is seen only if it has its symbols" in done.stderr) is static


def test_a_launcher_that_becomes_the_program_is_told_of(tmp_path: Path, cache: str) -> None:
    done = run_sonde("memory", "--", "env", "A=1", "echo", "hello", XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (3, "hello\n")
    assert "the command became another program" in done.stderr


def test_a_code_string_runs_as_without_sonde_and_options_for_other_tools_are_not_for_this_one(
    tmp_path: Path, cache: str
) -> None:
    (tmp_path / ".valgrindrc").write_text("--no-such-option=yes\n", encoding="utf-8")
    done = run_sonde(
        *("memory", "--quiet", "-o", "run.sonde", "-c", "import sys; print(sys.argv)", "z"),
        cwd=tmp_path,
        XDG_CACHE_HOME=cache,
        VALGRIND_OPTS="--leak-check=full",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "['-c', 'z']\n", "")
