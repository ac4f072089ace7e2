"""Loops are counted as often as their headers run, by words in memory; and probes leave what was inlined as it is."""

import ctypes
import mmap
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from needed import needs
from sonde.instruments.contexts.sources.cycle_library import (
    CyclePlan,
    begin_cycles,
    cycle_addresses,
    cycles_offset,
)
from sonde.ir import Instruction, Module, SourceFrames, SourceFunction, parse_module, print_module
from sonde.jit import Engine, Libraries, LoadedCode, link_with_lines, run_main
from sonde.jit.compilers import find_compiler
from sonde.llvm import LlvmModule
from sonde.native import Spool, loop_counts_of
from sonde.passes import CycleProbes, LoopCounters, ProbePlaces
from sonde.passes.cycle_probes import FIRST_UNIT, UNIT_BYTES

pytestmark = needs(find_compiler)

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
_MOST = 1 << 12


class _Counted(NamedTuple):
    found: list[int]
    truth: list[int]


def _insert(module: Module, places: ProbePlaces | None = None) -> tuple[list[str], dict[tuple[str, str], int]]:
    offset = cycles_offset()
    names = CycleProbes(offset).insert(module, places)
    return names, LoopCounters(offset, FIRST_UNIT + UNIT_BYTES * len(names)).insert(module, names, places)


def _count_in_memory(module: Module, numbers: dict[tuple[str, str], int], start: int) -> None:
    """The twin: a word for each header that is added to each time."""
    for (name, header), number in numbers.items():
        block = next(each for each in module.functions[name].blocks if each.name == header)
        at, place = block.first_insertion_point(), f"ptr inttoptr (i64 {start + 8 * number} to ptr)"
        twin = Instruction.from_text(f"atomicrmw add {place}, i64 1 monotonic", f"%twin.{number}")
        block.instructions.insert(at, twin)


class _Program(NamedTuple):
    """Compiled once, run in forks."""

    code: LoadedCode
    units: int
    loops: int
    truth: "ctypes.Array[ctypes.c_uint64]"

    def counted(self, words: list[str], folder: Path) -> _Counted:
        ctypes.memset(self.truth, 0, 8 * self.loops)
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            begin_cycles(CyclePlan(os.fsencode(folder), b"program", b"", self.units, 0.05, False, self.loops))
            run_main(self.code, ["program", *words])
        os.waitpid(pid, 0)
        found = [0] * self.loops
        for path in folder.glob("*.cells"):
            found = [one + other for one, other in zip(found, loop_counts_of(Spool(os.fsencode(path))), strict=True)]
        return _Counted(found, list(self.truth[: self.loops]))


@cache
def _program(file: str) -> _Program:
    linked = link_with_lines([str(_PROGRAMS / file)], ["-w"], 2)
    module = parse_module(linked.module.text())
    names, numbers = _insert(module)
    shared = mmap.mmap(-1, 8 * _MOST)  # forks have it, too
    truth = (ctypes.c_uint64 * _MOST).from_buffer(shared)
    assert 0 < len(numbers) < _MOST
    _count_in_memory(module, numbers, ctypes.addressof(truth))
    probed = LlvmModule.from_text(print_module(module), "counted")
    probed.verify()
    libraries = Libraries()
    libraries.add("stdc++")
    code = Engine(libraries).load("program", [probed.object(2)], cycle_addresses(), linked.users)
    return _Program(code, len(names), len(numbers), truth)


@pytest.mark.parametrize("kind", ["switch", "irreducible", "addresses", "recursion", "wide", "dynamic", "threads"])
def test_loops_have_as_many_runs_as_their_headers(kind: str, tmp_path: Path) -> None:
    counted = _program("path_kinds.c").counted([kind], tmp_path)
    assert sum(counted.truth) > 0
    running = [at for at, (one, other) in enumerate(zip(*counted, strict=True)) if one != other]
    assert not running, [(at, counted.found[at], counted.truth[at]) for at in running]


@pytest.mark.parametrize("kind", ["exit", "signals"])
def test_loops_that_are_left_by_jumps_lose_counts_and_nothing_else(kind: str, tmp_path: Path) -> None:
    counted = _program("path_kinds.c").counted([kind], tmp_path)
    assert all(found <= truth for found, truth in zip(*counted, strict=True))
    assert sum(counted.found) > 0


def test_exceptions_are_caught_where_they_were(tmp_path: Path) -> None:
    counted = _program("unwinding.cpp").counted([], tmp_path)
    assert all(found <= truth for found, truth in zip(*counted, strict=True))
    assert sum(counted.found) > 0.5 * sum(counted.truth)


def _chains(module: Module) -> Counter[tuple[str, tuple[SourceFunction, ...], tuple[int, ...]]]:
    """Instructions with their function, the inline stack that they come from, and the lines in it."""
    frames = SourceFrames(module)
    return Counter(
        (function.name, frames.functions_of(each.location), tuple(frame.line for frame in frames.of(each.location)))
        for function in module.defined_functions()
        for each in function.instructions()
        if each.location is not None
    )


@pytest.mark.parametrize("is_located", [False, True])
@pytest.mark.parametrize("file", ["unwinding.cpp", "path_kinds.c"])
def test_the_same_calls_are_inlined_with_probes_and_without(file: str, is_located: bool) -> None:
    linked = link_with_lines([str(_PROGRAMS / file)], ["-w"], 2)
    module = parse_module(linked.module.text())
    before, defined = _chains(module), [each.name for each in module.defined_functions()]
    assert len({stack for _, stack, _ in before if len(stack) > 1}) > 3
    _insert(module, ProbePlaces(module, "(probe)") if is_located else None)
    after = LlvmModule.from_text(print_module(module), "probed")
    after.verify()
    probed = parse_module(after.text())
    assert [each.name for each in probed.defined_functions()] == defined
    stays = Counter(
        {key: count for key, count in _chains(probed).items() if not any(each.symbol == "(probe)" for each in key[1])}
    )
    # Blocks that were cut have jumps more, at the place of the one that they end with; no stack is new, none is gone.
    assert stays.keys() == before.keys()
    assert not before - stays
