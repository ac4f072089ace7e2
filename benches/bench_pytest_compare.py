"""How often `pytest --sonde-compare` is right: on an unchanged program, and where a test calls a function a third more.

    python benches/bench_pytest_compare.py SUITE RUNS MODULE:FUNCTION ...

SUITE is a folder with a program and its tests, such as an unpacked source distribution; the functions are of that
program and do nothing but answer, so that they can be called again. Runs are: RUNS of the unchanged program as the
baseline, RUNS with two workers of pytest-xdist, RUNS of one test file each, and RUNS in which one function does a third
more in one test. For `docs/benchmarks.md` sqlparse 0.5.3 was taken, with `sqlparse.sql:Token.match`,
`sqlparse.lexer:Lexer.is_keyword`, `sqlparse.sql:TokenList.token_index`, `sqlparse.sql:TokenList.token_next` and
`sqlparse.sql:TokenList._token_matching`.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sonde.instruments.contexts.profile import read_profile
from sonde.pytest_plugin.totals_of_tests import TestTotals, totals_of_tests

PLANTER = """
import functools, importlib, os, pytest
is_on, count = [False], [0]

def pytest_configure(config):
    module, _, path = os.environ["PLANTED"].partition(":")
    owner = importlib.import_module(module)
    *parts, name = path.split(".")
    for part in parts:
        owner = getattr(owner, part)
    original = owner.__dict__[name]

    @functools.wraps(original)
    def planted(*words, **named):
        if is_on[0]:
            count[0] += 1
            if count[0] % 3 == 0:
                original(*words, **named)
        return original(*words, **named)

    setattr(owner, name, planted)

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    is_on[0] = item.nodeid == os.environ["PLANTED_IN"]
    yield
    is_on[0] = False
"""
"""Its name begins as those of pytest's plug-ins do, so that its own functions do not count."""
_REGRESSION = re.compile(r"^  (\S.*): (\S+), [\d,]+ calls before, [\d,]+ now$", re.MULTILINE)
_LEAST_SHARE = 0.01
"""Of the calls of a test: what is less is none, by the documentation."""


class _Suite:
    def __init__(self, folder: Path, place: Path) -> None:
        self.folder, self.place, self.baseline = folder, place, place / "baseline.sonde"
        (place / "pytest_planter.py").write_text(PLANTER, encoding="utf-8")

    def run(self, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", *words]
        environment = {**os.environ, "COLUMNS": "300", "PYTHONPATH": str(self.place), **variables}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=600
        )

    def regressions(self, *words: str, **variables: str) -> list[tuple[str, str]]:
        """Test and function of each that is told."""
        done = self.run(*words, f"--sonde-compare={self.baseline}", **variables)
        found = _REGRESSION.findall(done.stdout)
        if done.returncode != bool(found):
            raise SystemExit(f"exit code {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return found

    def tests(self) -> dict[str, TestTotals]:
        """Those of the baseline."""
        self.run(f"--sonde-save={self.baseline}")
        return totals_of_tests(read_profile(self.baseline))


def _places(tests: dict[str, TestTotals], functions: list[str]) -> list[tuple[str, str]]:
    """Tests and functions whose calls grow by more than what is none."""
    found = []
    for name, test in tests.items():
        for spelling in functions:
            wanted = tuple(spelling.split(":"))
            calls = sum(count for each, count in test.calls.items() if (each.module, each.name) == wanted)
            if calls // 3 > _LEAST_SHARE * sum(test.calls.values()):
                found.append((name, spelling))
    return found


def main() -> None:
    """Print a line for each kind of run."""
    folder, runs, functions = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        suite = _Suite(folder, Path(name))
        tests = suite.tests()
        chosen = random.Random(7)
        files = sorted({test.partition("::")[0] for test in tests})
        kinds: dict[str, list[tuple[str, ...]]] = {
            "unchanged": [()] * runs,
            "unchanged, two workers": [("-n", "2")] * runs,
            "unchanged, one file of tests": [(chosen.choice(files),) for _ in range(runs)],
        }
        for kind, all_words in kinds.items():
            alarms = [suite.regressions(*words) for words in all_words]
            told = sorted({each for found in alarms for each in found})
            print(
                f"{kind}: {sum(map(bool, alarms))} false alarms in {runs} runs of up to {len(tests)} tests {told}",
                flush=True,
            )
        found = others = 0
        for test, function in chosen.sample(_places(tests, functions), runs):
            told_of = suite.regressions(
                test.partition("::")[0], "-p", "pytest_planter", PLANTED=function, PLANTED_IN=test
            )
            found += (test, function.replace(":", ".")) in told_of
            others += any(each != test for each, _ in told_of)
        print(f"a third more calls of one function in one test: {found} of {runs} found, {others} with another test")


if __name__ == "__main__":
    main()
