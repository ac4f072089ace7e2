"""One cause is one difference: a program compiled twice, whose loops differ by one known change each."""

import subprocess
from pathlib import Path

import pytest

from sonde.base.errors import MissingCapability
from sonde.instruments.decisions.analysis import compare_runs, findings
from sonde.instruments.decisions.analysis.finding import Finding
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers import RunPlace
from sonde.instruments.decisions.readers.llvm import LLVM
from sonde.jit.compilers import find_compiler

SOURCE = Path(__file__).parents[1] / "programs_in_c" / "one_change.c"


def compiled(folder: Path, *options: str) -> DecisionRun:
    record = folder / "one_change.opt.yaml"
    folder.mkdir()
    command = [*find_compiler().command, "-c", "-O3", "-g", "-w", "-march=x86-64-v3", *options, str(SOURCE),
               "-o", str(folder / "made.o"), "-fsave-optimization-record",
               f"-foptimization-record-file={record}"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return LLVM.read(RunPlace(folder), None)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[DecisionRun, DecisionRun]:
    made = tmp_path_factory.mktemp("one-change")
    try:
        return compiled(made / "fast"), compiled(made / "slow", "-DSLOW")
    except MissingCapability as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def found(runs: tuple[DecisionRun, DecisionRun]) -> dict[str, list[Finding]]:
    return differences(*runs)


@pytest.fixture(scope="module")
def found_reversed(runs: tuple[DecisionRun, DecisionRun]) -> dict[str, list[Finding]]:
    return differences(*runs[::-1])


def differences(*runs: DecisionRun) -> dict[str, list[Finding]]:
    """What differs, by the function that it is in."""
    first, second = (Experiment(run, number) for number, run in enumerate(runs, 1))
    for side in (first, second):
        side.mark(side.run.units)
    by_function: dict[str, list[Finding]] = {}
    for finding in findings(compare_runs(first, second)):
        by_function.setdefault(finding.caller or "", []).append(finding)
    return by_function


ONE_CHANGE = {
    "alias": ("licm", "LoadWithLoopInvariantAddressInvalidated"),
    "call": ("twice", "inlined"),
    "trips": ("loop-vectorize", "UnsupportedUncountableLoop"),
    "sums": ("loop-vectorize", "CantReorderFPOps"),
    "field": ("loop-vectorize", "NonSimpleLoad"),
    "align": ("loop-vectorize", "UnsafeDep"),
    "inner": ("loop-unroll", "FullyUnrolled"),
}


@pytest.mark.parametrize("function", ONE_CHANGE)
def test_one_change_is_one_difference(
    function: str, found: dict[str, list[Finding]], found_reversed: dict[str, list[Finding]]
) -> None:
    subject, event = ONE_CHANGE[function]
    for each in (found, found_reversed):
        (one,) = each[function]
        assert one.subject == subject and event in one.what


def test_two_changes_are_two_differences(found: dict[str, list[Finding]]) -> None:
    loops = {each.subject: each for each in found["two_loops"]}
    assert loops.keys() == {"thrice", "loop-vectorize"}
    assert "NonSimpleLoad" in loops["loop-vectorize"].what
    assert "loop-vectorize" in [each.subject for each in loops["thrice"].with_it]
    both = {each.subject: each for each in found["one_loop"]}
    assert both.keys() == {"licm", "loop-vectorize"}
    assert "CantReorderFPOps" in both["loop-vectorize"].what


def test_what_goes_with_something_else_is_kept(found: dict[str, list[Finding]]) -> None:
    told = {each.subject: each.what for each in found["trips"][0].with_it}
    assert told.keys() >= {"licm", "gvn"}
    assert "LoadClobbered" in told["gvn"]
