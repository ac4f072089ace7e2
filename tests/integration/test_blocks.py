"""Blocks of running programs, in every CPython of this machine: calls are counted exactly."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import sonde
from interpreters import build_agent, measured_pythons
from jit_pythons import with_jits
from measuring import environment
from sonde.api.block_profile import clock_rate, profile_of_block
from sonde.instruments.contexts.profile import ContextProfile, read_profile

PROGRAM = Path(__file__).parents[1] / "block_programs" / "blocks.py"
PACKAGE = Path(sonde.__file__).parent
FIB = [1, 1, 3, 5, 9, 15, 25]
"""Calls that `fib` of 0, 1, 2 ... takes."""
EXPECTED = {
    "outer": {"fib": FIB[6] + FIB[5] + FIB[4]},
    "inner": {"fib": FIB[5]},
    "raising": {"fall": 22},
    "generator": {"numbers": 2, "fib": 2 * FIB[2]},
    "threads": {"fib": 4 * FIB[6]},
    "awaited": {"awaited": 8, "fib": 2 * (FIB[4] + FIB[5])},
    "recursive": {"recursive": 4, "fib": 1},
    "loop": {"leaf": 2_000},
    "started": {"fib": 5 * FIB[3] + FIB[2]},
    "parent": {"fib": 2 * FIB[2]},
    "child": {"fib": FIB[6]},
}
"""Calls of the program's own functions; of coroutines and generators, how often they went on."""


@pytest.mark.parametrize(("python", "jit"), with_jits([Path(sys.executable), *measured_pythons()]))
def test_each_block_has_its_calls_and_no_others(python: Path, jit: str, tmp_path: Path, cache: str) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    found_at = PACKAGE.parent if python == Path(sys.executable) else package_for(python, tmp_path, cache)

    done = run(python, PROGRAM, marks, TMPDIR=str(tmp_path), PYTHONPATH=str(found_at), PYTHON_JIT=jit)

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "0\n")
    found = {name: profile_of(marks, name) for name in EXPECTED}
    assert {name: own_calls(profile) for name, profile in found.items()} == EXPECTED
    for profile in found.values():
        profile.check_valid()
        assert not profile.losses
        assert not [each for each in profile.functions if each.module.startswith("sonde")]
        assert profile.contexts.parent[0] == -1


def test_no_signal_is_handled_while_the_cost_of_watching_is_measured() -> None:
    program = (
        "import signal\n"
        "from sonde.api.own_agent import start_agent\n"
        "seen = set()\n"
        "signal.signal(signal.SIGALRM, lambda _, frame: seen.add(frame.f_code.co_name))\n"
        "signal.setitimer(signal.ITIMER_REAL, 1e-5, 1e-5)\n"
        "assert start_agent()\n"
        "signal.setitimer(signal.ITIMER_REAL, 0)\n"
        "print(sorted(seen & {'calls', 'empty', 'empty_loop'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=60
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_program_tells_and_saves_what_its_block_counted(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        "import sonde\n"
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "with sonde.profile() as p:\n"
        "    fib(16)\n"
        "    p.save('open.sonde')\n"
        "    fib(3)\n"
        "p.report()\n"
        "p.save('run.sonde')\n"
        "try:\n"
        "    p.save('run.sonde')\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error.slug, error.hint)\n"
        "sonde.profile().report()\n"
        "assert '<html' in p.html() and p.markdown().startswith('#')\n"
        "import sys\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'__main__'}))\n"
    )

    done = run(Path(sys.executable), "-S", script, cwd=tmp_path, PYTHONPATH=str(PACKAGE.parent))

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "fib" in lines[1]
    assert lines[-4:] == [
        "UsageError output-exists add force=True to overwrite it",
        "cannot tell of a block: it has counted nothing",
        "hint: enter it first: with sonde.profile() as p: ...",
        "['sonde']",
    ]
    assert own_calls(read_profile(tmp_path / "open.sonde")) == {"fib": 3193}
    assert own_calls(read_profile(tmp_path / "run.sonde")) == {"fib": 3198}


def test_what_is_left_of_a_process_without_an_orderly_end_is_removed_by_the_next(tmp_path: Path) -> None:
    counting = "import os, sonde\nwith sonde.profile(): pass\n"

    run(Path(sys.executable), "-c", f"{counting}os._exit(0)", TMPDIR=str(tmp_path))
    left = list(tmp_path.iterdir())
    done = run(Path(sys.executable), "-c", counting, TMPDIR=str(tmp_path))

    assert len(left) == 1
    assert (done.stderr, list(tmp_path.iterdir())) == ("", [])


def test_under_sonde_contexts_a_block_is_the_whole_runs(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        "import sonde\n"
        "with sonde.profile() as p: abs(1)\n"
        "p.report()\n"
        "p.save('own.sonde')\n"
        "print(p.text() + p.markdown() + p.html(), end='')\n"
        "try: p.measured()\n"
        "except Exception as error: print(error.slug)\n"
    )

    command = ("-m", "sonde", "contexts", "--quiet", "-o", tmp_path / "run.sonde", script)
    done = run(Path(sys.executable), *command, cwd=tmp_path)

    assert done.returncode == 0
    assert done.stderr.startswith("sonde: wrote no 'own.sonde': sonde measures this whole process already")
    why = "cannot tell of a block: sonde measures this whole process already, and that profile has what the block did"
    text, markdown, page = f"{why}\n", f"## sonde.profile()\n\n**{why}**\n", "<!doctype html>"
    assert done.stdout.startswith(text + text + markdown + page)
    assert why in done.stdout.partition(page)[2]
    assert done.stdout.endswith("</html>\nnothing-counted\n")


def test_what_an_ended_block_tells_stays_and_has_nothing_of_others_however_the_clock_is_estimated(
    tmp_path: Path,
) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        "import sonde\n"
        "from sonde.instruments.contexts.sources.spool import recording\n"
        "def other(n): return n if n < 2 else other(n - 1) + other(n - 2)\n"
        "with sonde.profile(): other(12)\n"
        "with sonde.profile() as p: x = 5\n"
        "read, seconds = recording.ticks_now, iter(range(1, 100))\n"
        "def read_at_another_rate():\n"
        "    ticks, now_ns = read()\n"
        "    return ticks, now_ns + 10**9 * next(seconds)\n"
        "recording.ticks_now = read_at_another_rate\n"
        "first = p.measured()\n"
        "with sonde.profile(): other(12)\n"
        "print(first.total_calls, *[each.name for each in first.functions], p.measured() == first)\n"
        "with p: other(3)\n"
        "print(p.measured().total_calls)\n"
    )

    done = run(Path(sys.executable), script)

    assert (done.stderr, done.stdout) == ("", "0 <module> True\n5\n")


def test_a_server_counts_when_its_environment_or_a_signal_says_so(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(
        "import os, signal, sonde\n"
        "def work(n): return n\n"
        "print(sonde.start_if_asked())\n"
        "for n in range(6):\n"
        "    work(n)\n"
        "    if 'SONDE_SIGNAL' in os.environ and n < 5:\n"
        "        os.kill(os.getpid(), signal.SIGUSR2)\n"
    )

    plain = run(Path(sys.executable), script, cwd=tmp_path)
    whole = run(Path(sys.executable), script, cwd=tmp_path, SONDE_PROFILE="whole.sonde")
    turns = run(Path(sys.executable), script, cwd=tmp_path, SONDE_PROFILE="turn.sonde", SONDE_SIGNAL="usr2")

    assert (plain.stdout, plain.stderr, plain.returncode) == ("False\n", "", 0)
    assert (whole.stdout, whole.returncode) == ("True\n", 0)
    assert whole.stderr == f"sonde: wrote {tmp_path}/whole.sonde; sonde view {tmp_path}/whole.sonde\n"
    assert own_calls(read_profile(tmp_path / "whole.sonde")) == {"work": 6}
    assert (turns.stdout, turns.returncode) == ("True\n", 0)
    for name in ("turn.sonde", "turn-2.sonde", "turn-3.sonde"):  # the last one was open when the program ended
        assert own_calls(read_profile(tmp_path / name)) == {"work": 1}
        assert f"sonde: wrote {tmp_path / name};" in turns.stderr


def test_a_server_whose_environment_is_wrong_says_so_and_runs(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(
        "import os, threading, sonde\n"
        "for name in ('USR9', 'KILL'):\n"
        "    os.environ['SONDE_SIGNAL'] = name\n"
        "    print(sonde.start_if_asked())\n"
        "os.environ['SONDE_SIGNAL'] = 'USR2'\n"
        "thread = threading.Thread(target=sonde.start_if_asked)\n"
        "thread.start(); thread.join()\n"
    )

    done = run(Path(sys.executable), script, cwd=tmp_path, SONDE_PROFILE="run.sonde")

    assert (done.returncode, done.stdout) == (0, "True\nTrue\n")
    assert [line for line in done.stderr.splitlines() if "hint" not in line] == [
        "sonde: cannot wait for the signal 'USR9' of SONDE_SIGNAL: there is none of that name",
        "sonde: cannot wait for the signal 'KILL' of SONDE_SIGNAL: no program can catch it",
        "sonde: cannot wait for the signal 'USR2' of SONDE_SIGNAL: only the main thread can;"
        " sonde.start_if_asked() was called in another",
    ]


def run(python: Path, *words: str | Path, cwd: Path | None = None, **extra: str) -> "subprocess.CompletedProcess[str]":
    command = [str(python), *map(str, words)]
    extra = {"PYTHONDONTWRITEBYTECODE": "1", **extra}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=environment(**extra))


def package_for(python: Path, folder: Path, cache: str) -> Path:
    """A path on which another Python finds sonde, as it would if it were installed there, without what analyses."""
    package, built = folder / "lib" / "sonde", folder / "built"
    package.mkdir(parents=True)
    built.mkdir()
    assert build_agent(python, built, cache)
    for each in PACKAGE.iterdir():
        if each.suffix != ".so":
            (package / each.name).symlink_to(each)
    for each in built.glob("_agent*"):
        (package / each.name).symlink_to(each.resolve())
    return package.parent


def profile_of(marks: Path, name: str) -> ContextProfile:
    spans = [
        (os.fsencode(begin), os.fsencode(str(begin).removesuffix("begin") + "end"))
        for begin in sorted(marks.glob(f"{name}-*-begin"))
    ]
    rate = clock_rate(spans[0][1])
    return profile_of_block(spans, ns_per_tick=rate, started_at=0, duration_ns=0, ended="block ended")


def own_calls(profile: ContextProfile) -> dict[str, int]:
    """By name, of functions that are not the standard library's."""
    calls = Counter[str]()
    for function, count in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        if profile.functions[function].module == "__main__":
            calls[profile.functions[function].name] += count
    return {name: count for name, count in calls.items() if count}
