"""Running sonde as a user does, and reading what it counted as plain dictionaries."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from sonde._agent import recommended
from sonde.cli.main import main
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, read_profile

PROGRAMS = Path(__file__).with_name("programs")
ORACLE = Path(__file__).with_name("oracles") / "count_calls.py"
SONDE = [sys.executable, "-m", "sonde"]
FAST_MECHANISM = recommended(False)
MECHANISMS = sorted({FAST_MECHANISM, "cpython-set-profile"})

ContextPath = tuple[tuple[str, str, int, int], ...]
"""(name, file, first line, call line) from the outermost call."""


@dataclass(frozen=True)
class Measured:
    """One run under sonde."""

    profile: ContextProfile
    stdout: str
    stderr: str
    returncode: int


def environment(**extra: str) -> dict[str, str]:
    """The environment of all runs: same hashes, same output, nothing from outside."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SONDE"))}
    return {**kept, "PYTHONHASHSEED": "0", "COLUMNS": "80", **extra}


def run_sonde(*words: str | Path, cwd: Path | None = None, **extra: str) -> "subprocess.CompletedProcess[str]":
    """Run one sonde command to its end."""
    command = [*SONDE, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=environment(**extra))


def run_sonde_here(*words: str | Path, cwd: Path | None = None, **extra: str) -> "subprocess.CompletedProcess[str]":
    """The same in this process, which takes a tenth of the time: for commands that are refused, that read what others
    have measured, or that are asked for nothing that only a process of their own has, such as signals."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment(**extra), clear=True),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main([str(word) for word in words])
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def measure(tmp_path: Path, *words: str | Path, **extra: str) -> Measured:
    """Run `sonde contexts` on a program and read its profile."""
    output = tmp_path / "run.sonde"
    return measured(output, run_sonde("contexts", "--force", "-o", output, "--quiet", *words, cwd=None, **extra))


def measured(output: Path, done: "subprocess.CompletedProcess[str]") -> Measured:
    """What a run of `sonde contexts` has left."""
    assert output.exists(), f"exit code {done.returncode}: {done.stderr}"
    profile = read_profile(output)
    profile.check_valid()
    return Measured(profile, done.stdout, done.stderr, done.returncode)


WITH_AGENT = (
    "import sys, pathlib, importlib\n"
    "folder = pathlib.Path(sys.argv.pop(1))\n"
    "importlib.import_module('sonde.instruments.contexts.sources.cpython.agent')._agent_folder = lambda: folder\n"
    "from sonde.cli import main\n"
    "sys.exit(main())"
)


def measure_elsewhere(folder: Path, python: Path, *words: str | Path) -> Measured:
    """Run `sonde contexts` on a script in another Python, whose agent is in `folder`, and read its profile."""
    output = folder / "run.sonde"
    *options, script = map(str, words)
    sonde = [sys.executable, "-c", WITH_AGENT, str(folder), "contexts", "--quiet", "--force", "-o", str(output)]
    command = [*sonde, *options, "--", str(python), script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment())
    assert output.exists(), done.stderr
    profile = read_profile(output)
    profile.check_valid()
    return Measured(profile, done.stdout, done.stderr, done.returncode)


def replay(tmp_path: Path, *words: str | Path) -> ContextProfile:
    """The profile that `sonde replay` makes of traces that are whole."""
    output = tmp_path / "replayed.sonde"
    done = run_sonde_here("replay", "--force", "--quiet", "-o", output, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    profile = read_profile(output)
    profile.check_valid()
    return profile


def run_plainly(
    *words: str | Path, python: str | Path = sys.executable, **extra: str
) -> "subprocess.CompletedProcess[str]":
    """Run an interpreter, that of the tests if no other is named, without sonde."""
    command = [str(python), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment(**extra))


def calls_by_path(profile: ContextProfile) -> "Counter[ContextPath]":
    """Calls of each context, by its path of names; contexts without calls are left out."""
    calls: Counter[ContextPath] = Counter()
    for path, count in zip(paths_of_rows(profile), profile.contexts.calls, strict=True):
        if count:
            calls[path] += count
    return calls


def paths_of_rows(profile: ContextProfile) -> list[ContextPath]:
    """The path of names of each row."""
    tree = profile.contexts
    paths: list[ContextPath] = []
    for row, parent in enumerate(tree.parent):
        function = profile.functions[tree.function[row]]
        step = (function.name, function.file, function.first_line, tree.call_line[row])
        paths.append(((*paths[parent], step)) if parent != NO_PARENT else (step,))
    return paths


@dataclass(frozen=True)
class Counted:
    """What a profile says of one context; several of the same names count together."""

    calls: int = 0
    total_calls: int = 0
    self_ns: int = 0
    total_ns: int = 0
    error: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(
            self.calls + other.calls,
            self.total_calls + other.total_calls,
            self.self_ns + other.self_ns,
            self.total_ns + other.total_ns,
            self.error + other.error,
        )


def counted_by_path(profile: ContextProfile) -> dict[ContextPath, Counted]:
    """Everything a profile says of its contexts."""
    tree = profile.contexts
    errors = tree.error or [0] * len(tree)
    rows = zip(tree.calls, tree.total_calls, tree.self_ns, tree.total_ns, errors, strict=True)
    counted: dict[ContextPath, Counted] = {}
    for path, values in zip(paths_of_rows(profile), rows, strict=True):
        found, known = Counted(*values), counted.get(path)
        counted[path] = known + found if known else found
    return counted


def calls_by_name(profile: ContextProfile) -> "Counter[str]":
    """Calls of each function, over all contexts."""
    calls: Counter[str] = Counter()
    for function, count in zip(profile.contexts.function, profile.contexts.calls, strict=True):
        calls[profile.functions[function].name] += count
    return calls


def calls_by_oracle(
    tmp_path: Path, script: Path, *arguments: str, python: str | Path = sys.executable
) -> "tuple[Counter[ContextPath], str]":
    """What the Python profile function of the oracle counts, with the names that sonde gives."""
    result = tmp_path / "oracle.json"
    done = run_plainly(ORACLE, result, script, *arguments, python=python)
    assert done.returncode == 0, done.stderr
    return told_by_oracle(result), done.stdout


def told_by_oracle(result: Path) -> "Counter[ContextPath]":
    """Calls of each context, as the oracle wrote them."""
    listed, paths = json.loads(result.read_text())
    steps = [(name, file, first, line) for name, file, first, line in listed]
    return Counter({tuple(steps[number] for number in path): count for path, count in paths})


def comparable(calls: "Counter[ContextPath]") -> "Counter[ContextPath]":
    """Without what the oracle cannot see: the first frames of a thread (its hook is set inside
    them), the interpreter's shutdown (it has stopped by then), and frozen import machinery
    (which runs less when the oracle has imported a module before). And without the wait for a thread
    to begin, which depends on who is faster."""
    kept: Counter[ContextPath] = Counter()
    for path, count in calls.items():
        outermost = path[0][0]
        if outermost not in ("<module>", "Thread._bootstrap"):
            continue
        if any(file.startswith("<frozen") or name == "Event.wait" for name, file, _, _ in path):
            continue
        if outermost == "<module>" or any(name == "Thread.run" for name, *_ in path):
            kept[path] += count
    return kept
