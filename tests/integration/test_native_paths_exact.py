"""Paths of programs with probes are those that a log of their blocks has, cut where paths end."""

from pathlib import Path
from typing import Any

import pytest

from pathed_programs import PathedProgram, pathed
from real_programs import Check, real_program
from sonde.jit import link_program
from sonde.llvm import LlvmModule
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
KINDS = (
    "switch", "irreducible", "addresses", "jumps", "recursion", "wide", "dynamic", "exit", "signals", "stacks",
    "threads",
)  # fmt: skip
BY_ADDRESS = ("lua",)
"""Their tables have addresses as keys, so that runs differ: both ways of counting are in one run."""
CASES: dict[str, dict[str, Any]] = {
    "late": {},
    "early": {"when": "early"},
    "by key": {"most_counters": 0},
    "cut": {"most_paths": 40, "most_counters": 40},
    "cut, by key": {"most_paths": 300, "most_counters": 0},
}
"""Name -> options of probes."""


def _optimised(files: list[Path], case: str, options: list[str]) -> LlvmModule:
    return link_program(files, ["-w", *options], level=None if case == "early" else 2).module


def _compare(program: PathedProgram, check: Check, *, is_one_run: bool = False) -> None:
    expected = program.run("plain", check)
    assert program.run("probed", check) == expected, check.name
    found = None if is_one_run else program.counted()
    assert program.run("logged", check) == expected, check.name
    found, truth = found or program.counted(), program.logged()
    if check.expected is not None:
        assert expected.stdout == check.expected
    assert found.dropped == 0
    different = {
        path: (found.taken[path], truth.taken[path])
        for path in found.taken.keys() | truth.taken.keys()
        if found.taken[path] != truth.taken[path]
    }
    assert not different, (check.name, len(different), sorted(different.items())[:5])
    assert found.taken.total() > 0
    lost = {name: times for name, times in truth.lost.items() if times}
    assert {name: times for name, times in found.lost.items() if times} == lost, check.name


@pytest.mark.parametrize("case", rare(list(CASES), ["late", "cut, by key"]))
def test_control_flow_of_all_kinds_is_counted(case: str, tmp_path: Path) -> None:
    module = _optimised([_PROGRAMS / "path_kinds.c"], case, [])
    with pathed(module, tmp_path / "it", **CASES[case]) as program:
        for kind in KINDS:
            _compare(program, Check(kind, (kind,)))


@pytest.mark.parametrize("case", rare(["late", "cut, by key"], ["late"]))
def test_exceptions_end_paths_or_lose_them(case: str, tmp_path: Path) -> None:
    module = _optimised([_PROGRAMS / "unwinding.cpp"], case, [])
    with pathed(module, tmp_path / "it", libraries=("stdc++",), **CASES[case]) as program:
        _compare(program, Check("it"))


@pytest.mark.parametrize(
    ("name", "case"),
    rare([(name, case) for name in ("bzip2", "lua", "zlib-example") for case in CASES], []),
)
def test_real_programs_are_counted_exactly_and_do_what_they_did(name: str, case: str, tmp_path: Path) -> None:
    program, is_one_run = real_program(name), name in BY_ADDRESS
    module = _optimised(list(program.files), case, list(program.options))
    options = {**CASES[case], "libraries": program.libraries, "is_one_run": is_one_run}
    with pathed(module, tmp_path / "it", **options) as pathed_program:
        for check in program.checks:
            _compare(pathed_program, check, is_one_run=is_one_run)
