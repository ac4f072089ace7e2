"""The measured program's output, exit code and traceback are as without sonde."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from measuring import SONDE, calls_by_name, environment, measure, run_plainly, run_sonde

PROGRAMS = {
    "prints": "import sys; print('out'); print('err', file=sys.stderr)",
    "exits with a code": "import sys\ndef leave(): sys.exit(7)\nleave()",
    "exits with a message": "import sys; sys.exit('goodbye')",
    "raises": "def f(x):\n    return 1 / x\n\ndef g():\n    return f(0)\n\ng()",
    "raises in a chain": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    "has a syntax error": "def f(:\n  pass",
    "leaves by os._exit": "import os\ndef f(): os._exit(3)\nf()",
    "has an atexit function": "import atexit\n@atexit.register\ndef bye(): print('bye')\nprint('hi')",
    "raises in a thread": "import threading\ndef f(): 1/0\nt = threading.Thread(target=f)\nt.start(); t.join()",
    "has a finalizer": "class A:\n    def __del__(self): print('gone')\na = A()",
    "asks about itself": (
        "import sys, os, site\n"
        "print(sys.argv, __name__, __file__, __spec__, sys.path, sorted(k for k in os.environ if 'PYTHON' in k))\n"
        "print(sys.flags, sys.orig_argv[1:], 'sitecustomize' in sys.modules)\n"
        "print([m for m in sys.modules if 'sonde' in m])\n"
        "print(__import__('threading').active_count(), __import__('gc').get_threshold(), sys.getrecursionlimit())"
    ),
    "reads its standard input": "import sys; print(sys.stdin.read().upper())",
    "recurses too deep": (
        "def f(n):\n    global depth\n    depth = n\n    f(n + 1)\n"
        "try:\n    f(0)\nexcept RecursionError:\n    print(depth)"
    ),
    "uses warnings": "import warnings; warnings.warn('careful')",
    "forks": (
        "import os\npid = os.fork()\n"
        "if pid: print(os.waitpid(pid, 0)[1])\nelse: print('child', flush=True); os._exit(4)"
    ),
    "profiles itself": "import cProfile\ncProfile.run('sum([1])', sort='name')\nprint('done')",
    "traces itself": (
        "import sys\nseen = []\ndef t(f, e, a): seen.append(e); return t\ndef g():\n    return 1\n"
        "sys.settrace(t); g(); sys.settrace(None); print(seen)"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_exit_code_and_traceback_are_the_same(name: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAMS[name])
    plain = run_plainly(script, "arg", "--flag")

    measured = run_sonde("contexts", "-o", tmp_path / "run.sonde", "--quiet", script, "arg", "--flag")

    assert measured.returncode == plain.returncode
    assert without_times(measured.stdout) == without_times(plain.stdout)
    said_by_sonde = [line for line in measured.stderr.splitlines() if line.startswith(("sonde: nothing", "hint: "))]
    stderr = "\n".join(line for line in measured.stderr.splitlines() if line not in said_by_sonde)
    assert stderr == plain.stderr.rstrip("\n")
    # From 3.13 on, tracebacks are printed by Python code: calls, and so a profile.
    assert (said_by_sonde != []) == (name == "has a syntax error" and sys.version_info < (3, 13))


def without_times(text: str) -> str:
    """cProfile prints how long things took."""
    return "" if "function calls" in text else text


def test_a_module_and_a_code_string_run_as_they_do_without_sonde(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("def hello(): return __name__")
    (tmp_path / "package" / "__main__.py").write_text(
        "import sys\nfrom package import hello\nprint(hello(), sys.argv[1:])"
    )

    module = run_sonde("contexts", "--quiet", "-o", "m.sonde", "-m", "package", "-x", "--", "y", cwd=tmp_path)
    code = run_sonde("contexts", "--quiet", "-o", "c.sonde", "-c", "import sys; print(sys.argv)", "z", cwd=tmp_path)

    assert (module.stdout, module.stderr) == ("package ['-x', '--', 'y']\n", "")
    assert (code.stdout, code.stderr) == ("['-c', 'z']\n", "")


def test_a_command_that_starts_python_is_measured(tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_text(f"#!{sys.executable}\ndef f(): return 1\nprint(f())")
    script.chmod(0o755)

    measured = measure(tmp_path, "--", script, "--", "more")

    assert measured.stdout == "1\n"
    assert calls_by_name(measured.profile)["f"] == 1


def test_the_programs_own_sitecustomize_still_runs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif sys.orig_argv[-1].endswith('program.py') and 'sonde' not in sys.orig_argv: print('customized')"
    )
    script = tmp_path / "program.py"
    script.write_text("import sitecustomize, os; print(sitecustomize.__file__, os.environ['PYTHONPATH'])")

    measured = measure(tmp_path, script, PYTHONPATH=str(tmp_path))

    assert measured.stdout == f"customized\n{tmp_path / 'sitecustomize.py'} {tmp_path}\n"


SLEEPER = """
import signal, sys, time
def work():
    time.sleep(30)
def on_term(*_):
    print("term", flush=True)
    sys.exit(5)
if len(sys.argv) > 1:
    signal.signal(signal.SIGTERM, on_term)
def tick(): pass
for _ in range(1000): tick()
print("ready", flush=True)
work()
"""


def start_sleeper(tmp_path: Path, *arguments: str, **options: object) -> "subprocess.Popen[str]":
    script = tmp_path / "sleeper.py"
    script.write_text(SLEEPER)
    command = [*SONDE, "contexts", "-o", str(tmp_path / "run.sonde"), "--quiet", str(script), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_to_sonde_ends_the_program_and_keeps_what_was_counted(number: signal.Signals, tmp_path: Path) -> None:
    process = start_sleeper(tmp_path)

    process.send_signal(number)
    _, stderr = process.communicate(timeout=600)

    # An interpreter that dies of Ctrl-C prints a traceback and then lets the signal kill it.
    assert process.returncode == -number
    assert ("KeyboardInterrupt" in stderr) == (number == signal.SIGINT)
    assert calls_by_name(read(tmp_path))["tick"] == 1000


def test_a_handled_signal_gives_the_programs_exit_code(tmp_path: Path) -> None:
    process = start_sleeper(tmp_path, "handle")

    process.send_signal(signal.SIGTERM)
    stdout, _ = process.communicate(timeout=600)

    assert (stdout, process.returncode) == ("term\n", 5)
    assert calls_by_name(read(tmp_path))["on_term"] == 1


def test_nothing_is_lost_when_the_program_is_killed(tmp_path: Path) -> None:
    process = start_sleeper(tmp_path)
    (child,) = children_of(process.pid)

    os.kill(child, signal.SIGKILL)
    process.communicate(timeout=600)

    assert process.returncode == -signal.SIGKILL
    profile = read(tmp_path)
    assert calls_by_name(profile)["tick"] == 1000
    assert profile.run.ended == "killed by SIGKILL"


def test_a_killed_sonde_takes_the_program_with_it_and_the_run_is_recovered(tmp_path: Path) -> None:
    process = start_sleeper(tmp_path)
    (child,) = children_of(process.pid)

    process.kill()
    process.communicate(timeout=600)
    for _ in range(100):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.05)

    assert not Path(f"/proc/{child}").exists()
    viewed = run_sonde("view", tmp_path / "run.sonde")
    assert viewed.returncode == 0, viewed.stderr
    assert "sleeper" in viewed.stdout
    assert calls_by_name(read(tmp_path))["tick"] == 1000


def children_of(pid: int) -> list[int]:
    """Children that run the sleeper; sonde has another child, which watches the process group."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in children if b"\0contexts\0" not in Path(f"/proc/{child}/cmdline").read_bytes()]


def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    from sonde.instruments.contexts.profile import read_profile

    profile = read_profile(tmp_path / "run.sonde")
    profile.check_valid()
    return profile
