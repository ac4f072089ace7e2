"""One cause is one difference: a program compiled twice, whose loops differ by one known change each."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

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


@cache
def found(*, is_reversed: bool = False) -> dict[str, list[Finding]]:
    """What differs, by the function that it is in."""
    with TemporaryDirectory() as made:
        try:
            runs = [compiled(Path(made) / "fast"), compiled(Path(made) / "slow", "-DSLOW")]
        except MissingCapability as missing:
            pytest.skip(str(missing))
        first, second = (Experiment(run, number) for number, run in enumerate(runs[::-1] if is_reversed else runs, 1))
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
@pytest.mark.parametrize("is_reversed", [False, True])
def test_one_change_is_one_difference(function: str, is_reversed: bool) -> None:
    (one,) = found(is_reversed=is_reversed)[function]
    subject, event = ONE_CHANGE[function]
    assert one.subject == subject and event in one.what


def test_two_changes_are_two_differences() -> None:
    loops = found()["two_loops"]
    assert {each.subject for each in loops} == {"thrice", "loop-vectorize"}
    assert "NonSimpleLoad" in next(each for each in loops if each.subject == "loop-vectorize").what
    assert "loop-vectorize" in [
        each.subject for each in next(each for each in loops if each.subject == "thrice").with_it
    ]
    both = found()["one_loop"]
    assert {each.subject for each in both} == {"licm", "loop-vectorize"}
    assert "CantReorderFPOps" in next(each for each in both if each.subject == "loop-vectorize").what


def test_nothing_is_lost_that_goes_with_something_else() -> None:
    """What there is in the delta trees is in a difference, or follows from one."""
    assert {each.subject for each in found()["trips"][0].with_it} >= {"licm", "gvn"}
    assert "LoadClobbered" in " ".join(each.what for each in found()["trips"][0].with_it)
