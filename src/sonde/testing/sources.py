"""The contract of a source, see `sonde.instruments.contexts.sources.source`."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.sources.source import Source
from sonde.registry import find
from sonde.testing.measuring import measure_with
from sonde.testing.trees import values_by_path

PROGRAMS = {
    "prints-and-exits": "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(7)\n",
    "raises": "def fail():\n    raise ValueError('no')\n\n\nfail()\n",
    "reads-its-arguments": "import sys\nprint(sys.argv[1:], __name__)\n",
    "names-in-unicode": "def naïve_名前():\n    return 'ü'\n\n\nprint(ascii([naïve_名前() for _ in range(3)]))\n",
    "looks-at-its-environment": (
        "import os\nimport sys\nprint(sorted(os.environ))\nprint(sys.path)\n"
        "print([name for name in sys.modules if 'sonde' in name])\n"
    ),
}
"""Programs that would show a disturbance."""

COUNTED = """
def leaf(n):
    return n

def twice(n):
    return leaf(n) + leaf(n)

def down(n):
    return leaf(n) if n == 0 else down(n - 1)

def fail(n):
    if n % 2:
        raise KeyError(n)

def numbers(n):
    for i in range(n):
        yield leaf(i)

for i in range(50):
    twice(i)
down(10)
for i in range(6):
    try:
        fail(i)
    except KeyError:
        pass
print(sum(numbers(5)))
"""
CALLS = {"leaf": 106, "twice": 50, "down": 11, "fail": 6}
"""How often the functions of `COUNTED` are called; how often a generator is resumed is for the source to say."""


@dataclass(frozen=True, slots=True)
class _Ran:
    stdout: bytes
    stderr: bytes
    status: int
    """As `os.waitpid` gives it."""


def check_source(source: Source | str, folder: Path) -> None:
    """Check every promise.

    Args:
        source: the source, or its name in the registry; it must not be `unavailable()`.
        folder: an empty one to work in.
    Raises:
        AssertionError: the first promise found broken.
    """
    checked = find("source", source) if isinstance(source, str) else source
    for name, check in SOURCE_CHECKS.items():
        work = folder / name
        work.mkdir()
        check(checked, work)


def _leaves_the_program_undisturbed(source: Source, folder: Path) -> None:
    for name, text in PROGRAMS.items():
        program = folder / f"{name}.py"
        program.write_text(text, encoding="utf-8")
        argv = (sys.executable, str(program), "one", "--two")
        plain = _run_plainly(argv)
        watched, _ = _run_watched(source, argv, folder / name)
        assert watched == plain, f"{name}: it ran as {watched}, without the source as {plain}"


def _counts_every_call(source: Source, folder: Path) -> None:
    _, profile = _run_counted(source, folder)
    profile.check_valid()
    counted: Counter[str] = Counter()
    for function, calls in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        counted[profile.functions[function].name] += calls
    wrong = {name: (counted[name], calls) for name, calls in CALLS.items() if counted[name] != calls}
    assert not wrong or profile.losses, f"(counted, called): {wrong}, and no loss says so"
    assert not wrong, f"(counted, called): {wrong}"


def _knows_contexts(source: Source, folder: Path) -> None:
    _, profile = _run_counted(source, folder)
    calls = {
        tuple(function.name for function, _ in path): values[0]
        for path, values in values_by_path(profile).items()
        if path[-1][0].name in ("leaf", "down")
    }
    roots = {path[0] for path in calls}
    assert len(roots) == 1, f"one program has one outermost frame, not {roots}"
    (root,) = roots
    below_down = (root, *["down"] * 11)
    assert calls.get(below_down) == 1, "recursion is a chain of contexts"
    assert calls.get((*below_down, "leaf")) == 1, "what recursion ends in hangs below it"
    lines = {path[-1][1] for path in values_by_path(profile) if path[-1][0].name == "down" and len(path) > 2}
    assert lines == {9}, f"calls come from line 9 of their caller, not {lines}"


def _determinism(source: Source, folder: Path) -> None:
    counts = []
    for run in ("first", "second"):
        (folder / run).mkdir()
        _, profile = _run_counted(source, folder / run, program=folder / "counted.py")
        counts.append({path: values[:2] for path, values in values_by_path(profile).items()})
    assert counts[0] == counts[1], "the same program twice, other calls"


def _reports_the_outcome(source: Source, folder: Path) -> None:
    program = folder / "dies.py"
    program.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n", encoding="utf-8")
    watched, _ = _run_watched(source, (sys.executable, str(program)), folder / "dies")
    assert os.WIFSIGNALED(watched.status), f"killed by a signal, reported as status {watched.status}"


SOURCE_CHECKS: dict[str, Callable[[Source, Path], None]] = {
    "leaves-the-program-undisturbed": _leaves_the_program_undisturbed,
    "counts-every-call": _counts_every_call,
    "knows-contexts": _knows_contexts,
    "determinism": _determinism,
    "reports-the-outcome": _reports_the_outcome,
}


def _run_counted(source: Source, folder: Path, *, program: Path | None = None) -> tuple[_Ran, ContextProfile]:
    program = program or folder / "counted.py"
    program.write_text(COUNTED, encoding="utf-8")
    ran, profile = _run_watched(source, (sys.executable, str(program)), folder / "spool")
    assert (ran.stdout, ran.status) == (b"10\n", 0), f"the program did not run: {ran}"
    return ran, profile


def _run_plainly(argv: tuple[str, ...]) -> _Ran:
    # Given its environment as sources give it: what C libraries of ours have added is not in it.
    done = subprocess.run(argv, capture_output=True, check=False, env=dict(os.environ))
    return _Ran(done.stdout, done.stderr, done.returncode << 8)


def _run_watched(source: Source, argv: tuple[str, ...], spool: Path) -> tuple[_Ran, ContextProfile]:
    """Run under the source; the program inherits our standard streams, so they lead to files meanwhile."""
    spool.mkdir()
    with (spool.parent / "stdout").open("w+b") as stdout, (spool.parent / "stderr").open("w+b") as stderr:
        with _redirected(1, stdout), _redirected(2, stderr):
            outcome, profile = measure_with(source, argv, spool)
        stdout.seek(0)
        stderr.seek(0)
        return _Ran(stdout.read(), stderr.read(), outcome.status), profile


@contextmanager
def _redirected(descriptor: int, file: IO[bytes]) -> Iterator[None]:
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(descriptor)
    try:
        os.dup2(file.fileno(), descriptor)
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
