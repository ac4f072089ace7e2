"""Run the parts of the test suite: each to its end, whatever becomes of the others; failures are told at the end.

    python tests/run_parts.py everyday|full|all

| run      | what is in it                                                                               |
|---|---|
| everyday | format, lint, types, import law; unit, contract and property tests, few examples; scripts of the page |
| full     | these with more examples; the native tests; integration tests; doctests                     |
| all      | these with many examples, and each case of the sweeps of which `full` has a sample          |

A part that takes one processor runs beside another such part; what takes all of them runs alone.
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
CODE = ("src", "tests", "benches", "examples")
TOLD = re.compile(
    r"^(FAILED|ERROR) |\*\*\*(Failed|Timeout|Exception)|^E  |: error: |error TS|^(ruff|Found) |not kept|^not ok ", re.M
)
"""Lines of a part's output that say what failed."""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    command: Sequence[str]
    takes_all: bool = False


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
    Part("types", tool("mypy", "src/sonde", "tests", "benches", "examples")),
    Part("format", tool("ruff", "format", "--check", *CODE)),
    Part("lint", tool("ruff", "check", *CODE)),
    Part("import law", tool("lint-imports")),
    Part("scripts of the page", [sys.executable, "tests/javascript/check.py"]),
)
# The longest part first, so that no other one waits for it at the end.
NATIVE = tuple(
    Part(f"native, {kind}", ["sh", "native/tests/run.sh", "build/native-tests", kind])
    for kind in ("sanitized", "plain")
)
EVERYDAY = ("tests/unit", "tests/contract", "tests/property")
# What is in one file may share what is slow to make; a worker has whole files.
SIDE_BY_SIDE = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
DOCTESTS = Part(
    "doctests",
    tests("--doctest-modules", "--pyargs", "sonde", "--ignore-glob=*/inject/*", "--ignore-glob=*_child/*"),
)
# Where nothing is compiled yet, one process reads all tests before each worker does: they would all do the same.
READING = Part("reading", [sys.executable, "-m", "pytest", "-p", "no:terminal", "--collect-only", "tests"])
PYCACHE = ROOT / "build" / "pycache"


def python_tests(profile: str, marks: str = "not sweep") -> tuple[Part, ...]:
    """All that pytest runs: side by side, and by itself what looks at a clock."""
    # What takes long comes first and stays there, so that no worker is left with it at the end.
    chosen = ("--hypothesis-profile", profile, "-m")
    timed = [
        str(path) for path in sorted(ROOT.glob("tests/*/**/test_*.py")) if "mark.timing" in path.read_text("utf-8")
    ]
    return (
        *(() if PYCACHE.is_dir() else (READING,)),
        Part(
            "tests",
            tests(*SIDE_BY_SIDE, *chosen, f"not timing and {marks}", "tests/integration", *EVERYDAY),
            takes_all=True,
        ),
        # Only these files are read: to read all of them takes longer than the tests.
        Part("timing", tests(*chosen, f"timing and {marks}", *timed), takes_all=True),
    )


RUNS = {
    "everyday": (*STATIC, Part("tests", tests(*SIDE_BY_SIDE, "-m", "not timing and not sweep", *EVERYDAY), True)),
    "full": (*NATIVE, *STATIC, DOCTESTS, *python_tests("full")),
    "all": (*NATIVE, *STATIC, DOCTESTS, *python_tests("nightly", "(sweep or not sweep)")),
}


def environment() -> dict[str, str]:
    """For the parts: with the tools before others, and a place where compiled modules are kept, out of the checkout.

    To rewrite the assertions of all tests anew would take each worker of pytest some 15 seconds.
    """
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **given,
        "PATH": f"{BIN}{os.pathsep}{given['PATH']}",
        "PYTHONPYCACHEPREFIX": str(PYCACHE),
    }


def run_part(part: Part) -> Outcome:
    """Run it; what takes all processors is seen as it goes, what runs beside others when it is done."""
    started = time.monotonic()
    lines = []
    with subprocess.Popen(
        part.command,
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
            if part.takes_all:
                print(line, end="", flush=True)
    outcome = Outcome(part, process.returncode, "".join(lines), time.monotonic() - started)
    if not part.takes_all:
        print(f"--- {part.name}\n{outcome.output}", end="", flush=True)
    return outcome


def run_parts(parts: Sequence[Part]) -> list[Outcome]:
    """All of them: first what takes one processor, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(run_part, [part for part in parts if not part.takes_all]))
    return outcomes + [run_part(part) for part in parts if part.takes_all]


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
