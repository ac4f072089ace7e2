"""Run the parts of the test suite: each to its end, whatever becomes of the others; failures are told at the end.

    python tests/run_parts.py everyday|full|all

| run      | what is in it                                                                               |
|---|---|
| everyday | format, lint, types, import law; unit, contract and property tests, few examples; scripts of the page |
| full     | these with more examples; the native tests; integration tests; doctests                     |
| all      | these with many examples and inputs, and each case of the sweeps of which `full` has a sample |

Most integration tests wait for a while: for a program, a browser, a signal. Native tests, static checks and doctests
run beside them and give way to them, so that the processors are busy meanwhile. What looks at a clock runs when all
else is done.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[1]
CODE = ("src", "tests", "benches", "examples", "tools", "website")
TOLD = re.compile(
    r"^(FAILED|ERROR) |\*\*\*(Failed|Timeout|Exception)|^E  |: error: |error TS|^(ruff|Found) |not kept|^not ok ", re.M
)
"""Lines of a part's output that say what failed."""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    command: Sequence[str]
    gives_way: bool = False
    """It runs beside others, with a third of their weight."""
    is_alone: bool = False
    """It looks at a clock, so it runs when nothing else does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    part: Part
    code: int
    output: str
    seconds: float


def tool(name: str, *words: str) -> list[str]:
    return [str(BIN / name), *words]


def tests(*words: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", *words]


STATIC = (
    Part("types", tool("mypy", "src/sonde", "tests", "benches", "examples", "tools/wheels", "website"), gives_way=True),
    Part("format", tool("ruff", "format", "--check", *CODE), gives_way=True),
    Part("lint", tool("ruff", "check", *CODE), gives_way=True),
    Part("import law", tool("lint-imports"), gives_way=True),
    Part("scripts of the page", [sys.executable, "tests/javascript/check.py"], gives_way=True),
)


def native_tests(inputs: int) -> tuple[Part, ...]:
    """Under sanitizers, with so many inputs for each fuzzer, and plainly: the longer part comes first."""
    script = ("sh", "native/tests/run.sh", "build/native-tests")
    return tuple(
        Part(f"native, {kind}", [*script, kind, str(inputs)], gives_way=True) for kind in ("sanitized", "plain")
    )


EVERYDAY = ("tests/unit", "tests/contract", "tests/property")
# What is in one file may share what is slow to make; a worker has whole files.
SIDE_BY_SIDE = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
# One more than there are processors, as most of these wait for a while.
WAITING = ("-n", str((os.cpu_count() or 1) + 1), *SIDE_BY_SIDE[2:])
DOCTESTS = Part(
    "doctests",
    tests("--doctest-modules", "--pyargs", "sonde", "--ignore-glob=*/start_up/*", "--ignore-glob=*/inject/*"),
    gives_way=True,
)
# Where nothing is compiled yet, one process reads all tests before each worker does: they would all do the same.
READING = Part("reading", [sys.executable, "-m", "pytest", "-p", "no:terminal", "--collect-only", "tests"])


def python_tests(profile: str, marks: str = "not sweep") -> tuple[Part, ...]:
    """All of `tests`: what waits, what computes all the time, and by itself what looks at a clock."""
    # What takes long comes first and stays there, so that no worker is left with it at the end.
    chosen = ("--hypothesis-profile", profile, "-m")
    timed = [
        str(path) for path in sorted(ROOT.glob("tests/*/**/test_*.py")) if "mark.timing" in path.read_text("utf-8")
    ]
    untimed = (*chosen, f"not timing and {marks}")
    return (
        *(() if is_read() else (READING,)),
        Part("integration tests", tests(*WAITING, *untimed, "tests/integration")),
        # They compute while those wait: by the time that they begin, all tests have been read.
        Part("other tests", tests(*SIDE_BY_SIDE, *untimed, *EVERYDAY), gives_way=True),
        # Only these files are read: to read all of them takes longer than the tests.
        Part("timing", tests(*chosen, f"timing and {marks}", *timed), is_alone=True),
    )


def is_read() -> bool:
    """Whether a run before this one has left tests with rewritten assertions, compiled."""
    return any(ROOT.glob("tests/unit/__pycache__/*-pytest-*.pyc"))


RUNS = {
    "everyday": (*STATIC, Part("tests", tests(*SIDE_BY_SIDE, "-m", "not timing and not sweep", *EVERYDAY))),
    "full": (*native_tests(4_000), *STATIC, DOCTESTS, *python_tests("full")),
    "all": (*native_tests(100_000), *STATIC, DOCTESTS, *python_tests("nightly", "(sweep or not sweep)")),
}


def environment() -> dict[str, str]:
    """For the parts: with the tools before others, and with leave to keep compiled modules.

    To rewrite the assertions of all tests anew would take each worker of pytest some 15 seconds.
    """
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**given, "PATH": f"{BIN}{os.pathsep}{given['PATH']}"}


def run_part(part: Part) -> Outcome:
    """Run it; what gives way to others is seen when it is done, the others as they go."""
    started = time.monotonic()
    lines = []
    with subprocess.Popen(
        ["nice", "-n", "5", *part.command] if part.gives_way else part.command,
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout
        for line in process.stdout:
            lines.append(line)
            if not part.gives_way:
                print(line, end="", flush=True)
    outcome = Outcome(part, process.returncode, "".join(lines), time.monotonic() - started)
    if part.gives_way:
        print(f"--- {part.name}\n{outcome.output}", end="", flush=True)
    return outcome


def run_parts(parts: Sequence[Part]) -> list[Outcome]:
    """All of them: one after the other, two others beside them, and what must be alone at the end."""
    with ThreadPoolExecutor(2) as pool:
        beside = [pool.submit(run_part, part) for part in parts if part.gives_way]
        outcomes = [run_part(part) for part in parts if not part.gives_way and not part.is_alone]
        outcomes += [each.result() for each in beside]
    return outcomes + [run_part(part) for part in parts if part.is_alone]


def main(run: str) -> int:
    outcomes = run_parts(RUNS[run])
    failed = [outcome for outcome in outcomes if outcome.code]
    print()
    for outcome in outcomes:
        print(f"{'FAILED' if outcome.code else 'passed':6} {outcome.seconds:6.0f} s  {outcome.part.name}")
    for outcome in failed:
        told = [line for line in outcome.output.splitlines() if TOLD.search(line)] or outcome.output.splitlines()[-5:]
        print(f"\n{outcome.part.name}: exit code {outcome.code}", *told, sep="\n  ")
    print(f"\nparts: {len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] not in [[name] for name in RUNS]:
        sys.exit(f"usage: python {sys.argv[0]} {'|'.join(RUNS)}")
    sys.exit(main(sys.argv[1]))
