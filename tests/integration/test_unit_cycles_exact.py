"""Cycles of functions, measured by probes, are those by which the functions moved the clock on in the same run."""

from pathlib import Path

import pytest

from cycled_programs import Cycled, cycled
from real_programs import Check, real_program
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
PATH_KINDS = (
    "switch", "irreducible", "addresses", "jumps", "recursion", "wide", "dynamic", "exit", "signals", "stacks",
    "threads",
)  # fmt: skip
CALL_KINDS = ("plain", "arguments", "jumps", "signals", "threads", "fork", "coroutines")


def _assert_exact(run: Cycled) -> None:
    assert run.probed == run.plain
    ticks = {name: found.ticks for name, found in run.found.items()}
    different = {
        name: (ticks.get(name, 0), run.truth.get(name, 0))
        for name in ticks.keys() | run.truth.keys()
        if ticks.get(name, 0) != run.truth.get(name, 0)
    }
    assert not different
    assert sum(run.truth.values()) > 0
    assert all(found.measured == found.intervals for found in run.found.values())
    assert (run.dropped, run.lost) == (0, 0)


def test_recursion_jumps_signals_and_threads_are_measured_exactly(tmp_path: Path) -> None:
    checks = [Check(kind, (kind,)) for kind in PATH_KINDS]
    for run in cycled([_PROGRAMS / "path_kinds.c"], checks, tmp_path / "it"):
        _assert_exact(run)


@pytest.mark.parametrize("jumps", [True, False])
def test_calls_of_all_kinds_are_no_part_of_their_callers_cycles(jumps: bool, tmp_path: Path) -> None:
    options = ["-w", *([] if jumps else ["-fno-optimize-sibling-calls"])]
    checks = [Check(kind, (kind,)) for kind in CALL_KINDS]
    runs = cycled([_PROGRAMS / "call_kinds.c"], checks, tmp_path / "it", options=options)
    for run in runs:
        _assert_exact(run)


def test_exceptions_lose_nothing(tmp_path: Path) -> None:
    [run] = cycled([_PROGRAMS / "unwinding.cpp"], [Check("it")], tmp_path / "it", libraries=["stdc++"])
    _assert_exact(run)


def test_a_trap_loses_the_interval_that_it_leaves_and_nothing_else(tmp_path: Path) -> None:
    source = tmp_path / "trap.c"
    source.write_text(
        r"""
        #include <setjmp.h>
        #include <signal.h>
        #include <stdio.h>
        static sigjmp_buf back;
        static void handle(int number) { siglongjmp(back, number); }
        __attribute__((noinline)) static int leaf(int x) { return x * 3; }
        __attribute__((noinline)) static int traps(volatile int *where) {
            int sum = leaf(1);
            if (where) sum += leaf(2);
            sum += leaf(*where);  // when it traps, the interval from the first call of leaf is lost
            return sum;
        }
        int main(void) {
            volatile int seven = 7;
            signal(SIGSEGV, handle);
            int sum = traps(&seven);
            if (sigsetjmp(back, 1) == 0) sum += traps(0);
            printf("%d\n", sum + leaf(4));
        }
        """,
        encoding="utf-8",
    )
    [run] = cycled([source], [Check("it")], tmp_path / "it")
    assert run.probed == run.plain
    for name, ticks in run.truth.items():
        assert name == "@traps" or run.found[name].ticks == ticks
    traps = run.found["@traps"]
    assert traps.entries == 2
    assert traps.intervals == traps.measured + 1
    assert 0 < run.truth["@traps"] - traps.ticks < 100  # the clock had moved on once, before the branch


def test_children_that_are_not_followed_measure_nothing(tmp_path: Path) -> None:
    [run] = cycled([_PROGRAMS / "call_kinds.c"], [Check("it", ("fork",))], tmp_path / "it", follow=False)
    assert run.probed == run.plain
    assert 0 < run.found["@forks"].ticks < run.truth["@forks"]
    assert run.found["@forks"].entries == 1


@pytest.mark.parametrize("name", rare(["bzip2", "zlib-example"], []))
def test_real_programs_are_measured_exactly(name: str, tmp_path: Path) -> None:
    program = real_program(name)
    options = ["-w", *program.options]
    runs = cycled(program.files, program.checks, tmp_path / "it", options=options, libraries=program.libraries)
    assert runs
    for run in runs:
        _assert_exact(run)
