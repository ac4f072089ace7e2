"""Calls in contexts of programs with probes are those that a shadow stack counts in the same code."""

from collections import Counter
from pathlib import Path

import pytest

from probed_programs import Contexts, Counted, ProbedProgram, probed
from real_programs import PROGRAMS, Check, linked_module, real_program
from sonde.jit import link_program
from sonde.llvm import LlvmModule
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
WAYS = ("late", "early")
KINDS = ("plain", "arguments", "jumps", "signals", "threads", "fork")

BY_ADDRESS = ("lua",)
"""Their tables have addresses as keys, so that runs differ: both ways of counting are in one run."""
NOT_EARLY = (*BY_ADDRESS, "jsoncpp")
"""What the optimiser inlines of C++'s library is in the program or in the library, as it likes."""
CASES = [(name, way) for name in PROGRAMS for way in WAYS if way == "late" or name not in NOT_EARLY]
SAMPLE = [("zlib-example", "late")]


def _optimised(module: LlvmModule, way: str) -> LlvmModule:
    """What late probes are put into; early ones are put into it before."""
    if way == "early":
        return module
    whole = module.copy()
    whole.optimize(2)
    return whole


def _real_module(name: str, way: str) -> LlvmModule:
    if way == "early":
        return linked_module(name)
    program = real_program(name)  # each file by itself: some break the rules of C across files
    return link_program(program.files, program.options, level=2).module


def _assert_same_run(found: Counted, expected: Counted, check: Check) -> None:
    assert found[:4] == expected[:4], check.name
    if check.expected is not None:
        assert found.stdout == check.expected, check.name


def _assert_same_contexts(found: Counted, truth: list[Contexts], check: Check) -> None:
    assert found.dropped == 0
    assert len(found.contexts) == len(truth), check.name
    for process, (ours, theirs) in enumerate(zip(found.contexts, truth, strict=True)):
        different = {
            path: (ours[path], theirs[path]) for path in ours.keys() | theirs.keys() if ours[path] != theirs[path]
        }
        assert not different, (check.name, process, len(different), sorted(different.items())[:5])
        assert ours.total() > 0


def _compare(program: ProbedProgram, oracle: ProbedProgram, plain: ProbedProgram, check: Check) -> None:
    found, truth, expected = (each.run(check, follow=True) for each in (program, oracle, plain))
    _assert_same_run(found, expected, check)
    _assert_same_run(truth, expected, check)
    _assert_same_contexts(found, truth.truth, check)


@pytest.mark.parametrize(
    ("way", "jumps"),
    rare([(way, jumps) for way in WAYS for jumps in (True, False)], [("late", True), ("early", False)]),
)
def test_calls_of_all_kinds_are_counted_in_their_contexts(way: str, jumps: bool, tmp_path: Path) -> None:
    options = ["-w", *([] if jumps else ["-fno-optimize-sibling-calls"])]
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], options).module, way)
    with (
        probed(module, "plain", tmp_path / "plain") as plain,
        probed(module, way, tmp_path / "probed") as program,
        probed(module, f"shadow-{way}", tmp_path / "shadow") as oracle,
    ):
        for kind in KINDS:
            _compare(program, oracle, plain, Check(kind, (kind,)))


@pytest.mark.parametrize("way", WAYS)
def test_exceptions_leave_contexts_as_they_were(way: str, tmp_path: Path) -> None:
    module = _optimised(link_program([_PROGRAMS / "unwinding.cpp"], ["-w"]).module, way)
    with (
        probed(module, "plain", tmp_path / "plain", libraries=("stdc++",)) as plain,
        probed(module, way, tmp_path / "probed", libraries=("stdc++",)) as program,
        probed(module, f"shadow-{way}", tmp_path / "shadow", libraries=("stdc++",)) as oracle,
    ):
        _compare(program, oracle, plain, Check("it"))


def test_a_child_that_is_not_followed_counts_nothing_and_its_parent_everything(tmp_path: Path) -> None:
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], ["-w"]).module, "late")
    check = Check("fork", ("fork",))
    with (
        probed(module, "late", tmp_path / "probed") as program,
        probed(module, "shadow-late", tmp_path / "shadow") as oracle,
    ):
        found, truth = program.run(check), oracle.run(check)
    assert found.stdout == truth.stdout
    assert found.contexts == truth.truth[:1]
    assert ("fork-not-followed", 1) in found.notes


@pytest.mark.parametrize("way", WAYS)
def test_frames_of_each_stack_call_from_their_own_contexts(way: str, tmp_path: Path) -> None:
    # A shadow stack knows one stack only: so this is told by hand. Of 8 resumptions, 2 begin a coroutine.
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], ["-w", "-fno-optimize-sibling-calls"]).module, way)
    with probed(module, way, tmp_path / "probed") as program:
        found = program.run(Check("coroutines", ("coroutines",)))
    here = ("@main", "@coroutines")
    resumed = (*here, "@resumes")
    begun = (*resumed, "@coroutine")
    expected = {
        here: 1, (*here, "@fib"): 1, resumed: 8, (*resumed, "@leaf"): 8, (*resumed, "@middle"): 8, begun: 2,
        (*resumed, "@middle", "@leaf"): 16, (*begun, "@middle"): 6, (*begun, "@middle", "@leaf"): 12,
        (*begun, "@yields"): 6, (*begun, "@leaf"): 6,
    }  # fmt: skip
    assert found.stdout.startswith(b"coroutines ")
    (contexts,) = found.contexts
    assert {
        path: calls for path, calls in contexts.items() if path[:2] == here and path[2:4] != ("@fib", "@fib")
    } == expected


def test_a_hot_tree_says_what_it_may_of_a_program(tmp_path: Path) -> None:
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], ["-w"]).module, "late")
    check = Check("plain", ("plain",))
    with (
        probed(module, "late", tmp_path / "probed") as program,
        probed(module, "shadow-late", tmp_path / "shadow") as oracle,
    ):
        found, truth = program.run(check, hot=(20, 60)), oracle.run(check)
    (ours,), (theirs,) = found.contexts, truth.truth
    assert found.stdout == truth.stdout
    assert 0 < len(ours) <= 60 < len(theirs)
    assert all(calls <= theirs[path] for path, calls in ours.items())


@pytest.mark.parametrize(("name", "way"), rare(CASES, SAMPLE))
def test_real_programs_are_counted_exactly_and_do_what_they_did(name: str, way: str, tmp_path: Path) -> None:
    program = real_program(name)
    module = _real_module(name, way)

    def runs(way: str) -> list[Counted]:
        with probed(module, way, tmp_path / way, libraries=program.libraries) as server:
            return [server.run(check) for check in program.checks]

    if name in BY_ADDRESS:
        found = runs("both")
        truth = found
    else:
        found, truth = runs(way), runs(f"shadow-{way}")
    for check, one, other, plainly in zip(program.checks, found, truth, runs("plain"), strict=True):
        if not check.prints_times:
            _assert_same_run(one, plainly, check)
            _assert_same_run(other, plainly, check)
        _assert_same_contexts(one, other.truth, check)


@pytest.mark.parametrize(("name", "way"), rare([(name, way) for name in NOT_EARLY for way in ("late", "early")], []))
def test_real_programs_with_probes_do_what_they_did(name: str, way: str, tmp_path: Path) -> None:
    program = real_program(name)
    module = _real_module(name, way)
    with (
        probed(module, "plain", tmp_path / "plain", libraries=program.libraries) as plain,
        probed(module, way, tmp_path / way, libraries=program.libraries) as server,
    ):
        for check in program.checks:
            _assert_same_run(server.run(check), plain.run(check), check)


def test_the_oracle_sees_a_call_too_many(tmp_path: Path) -> None:
    """Two programs that differ by one call differ in one context."""
    source, other = tmp_path / "one.c", tmp_path / "two.c"
    text = "int f(int x) { return x; } int main(void) { return f(0)%s; }"
    source.write_text(text % "", encoding="ascii")
    other.write_text(text % " + f(0)", encoding="ascii")
    counted: list[Contexts] = []
    for path, way in ((source, "early"), (other, "shadow-early")):
        with probed(link_program([path], ["-w"]).module, way, tmp_path / way) as program:
            run = program.run()
            counted += [*run.contexts, *run.truth]
    assert counted[1] - counted[0] == Counter({("@main", "@f"): 1})
