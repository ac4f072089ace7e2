"""What probes count in bursts is what a shadow stack counts of the calls that began in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from measuring import measured, run_sonde
from probed_programs import Counted, ProbedProgram, probed
from real_programs import Check, real_program
from sonde.jit import link_program
from sonde.llvm import LlvmModule
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
SEEDS = (0, 1, 2, 3)
_TRIES = 20


def _optimised(module: LlvmModule) -> LlvmModule:
    whole = module.copy()
    whole.optimize(2)
    return whole


def _assert_bursts_are_right(found: Counted, expected: Counted, what: object) -> int:
    """Calls that were counted."""
    assert found[:4] == expected[:4], what
    assert found.dropped == 0
    assert len(found.contexts) == len(found.truth), what
    for process, (ours, theirs) in enumerate(zip(found.contexts, found.truth, strict=True)):
        different = {path: (ours[path], theirs[path]) for path in ours | theirs if ours[path] != theirs[path]}
        assert not different, (what, process, len(different), sorted(different.items())[:5])
    return sum(each.total() for each in found.contexts)


def _assert_happened(found: Counted, all_calls: Counted, what: object) -> None:
    """Whatever was counted is among all calls: others than the counting thread have switched the probes, too."""
    assert found[:4] == all_calls[:4], what
    assert found.dropped == 0
    for process, (ours, theirs) in enumerate(zip(found.contexts, all_calls.contexts, strict=True)):
        assert ours <= theirs, (what, process, sorted((ours - theirs).items())[:5])
    assert 0 < sum(each.total() for each in found.contexts) < sum(each.total() for each in all_calls.contexts), what


def _check_seeds(program: ProbedProgram, plain: ProbedProgram, check: Check, seeds: tuple[int, ...] = SEEDS) -> None:
    expected = plain.run(check, follow=True)
    counted = {}
    for seed in seeds:
        found = program.run(check, follow=True, seed=seed)
        counted[seed] = _assert_bursts_are_right(found, expected, (check.name, seed))
    assert all(0 < calls < counted[0] for seed, calls in counted.items() if seed), (check.name, counted)


@pytest.fixture(scope="module")
def call_kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ProbedProgram, ProbedProgram]]:
    """With probes that can be switched, and without."""
    folder = tmp_path_factory.mktemp("call_kinds")
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], ["-w"]).module)
    with probed(module, "bursts", folder / "probed") as program, probed(module, "plain", folder / "plain") as plain:
        yield program, plain


@pytest.mark.parametrize("kind", ["plain", "arguments", "jumps", "signals"])
def test_calls_of_all_kinds_are_counted_in_bursts(call_kinds: tuple[ProbedProgram, ProbedProgram], kind: str) -> None:
    _check_seeds(*call_kinds, Check(kind, (kind,)))


@pytest.mark.parametrize("kind", ["fork", "threads"])
def test_what_runs_at_the_same_time_is_counted_in_bursts(
    call_kinds: tuple[ProbedProgram, ProbedProgram], kind: str
) -> None:
    program, plain = call_kinds
    check = Check(kind, (kind,))
    everything = program.run(check, follow=True)
    _assert_bursts_are_right(everything, plain.run(check), kind)
    for seed in SEEDS[1:]:
        _assert_happened(program.run(check, follow=True, seed=seed), everything, (kind, seed))


def test_functions_that_wait_for_their_last_call_have_ended(tmp_path: Path) -> None:
    module = _optimised(link_program([_PROGRAMS / "last_calls.c"], ["-w"]).module)
    with probed(module, "plain", tmp_path / "plain") as plain, probed(module, "bursts", tmp_path / "probed") as program:
        _check_seeds(program, plain, Check("it"), tuple(range(12)))


def test_exceptions_leave_contexts_of_bursts_as_they_were(tmp_path: Path) -> None:
    module = _optimised(link_program([_PROGRAMS / "unwinding.cpp"], ["-w"]).module)
    with (
        probed(module, "plain", tmp_path / "plain", libraries=("stdc++",)) as plain,
        probed(module, "bursts", tmp_path / "probed", libraries=("stdc++",)) as program,
    ):
        _check_seeds(program, plain, Check("it"))


@pytest.mark.parametrize("kind", ["plain", "jumps", "signals"])
def test_a_hot_tree_of_bursts_has_only_what_happened(
    call_kinds: tuple[ProbedProgram, ProbedProgram], kind: str
) -> None:
    for seed in SEEDS[1:]:
        found = call_kinds[0].run(Check(kind, (kind,)), hot=(20, 60), seed=seed)
        (ours,), (theirs,) = found.contexts, found.truth
        assert ours.total() > 0 and ours <= theirs, (kind, seed, sorted((ours - theirs).items())[:5])
        assert len(ours) <= 60


def test_what_other_stacks_run_is_found_from_their_beginnings(tmp_path: Path) -> None:
    # Without jumps, so that what a coroutine calls last is called by it.
    module = _optimised(link_program([_PROGRAMS / "call_kinds.c"], ["-w", "-fno-optimize-sibling-calls"]).module)
    check = Check("coroutines", ("coroutines",))
    with probed(module, "bursts", tmp_path / "probed") as program:
        everything = program.run(check)
        (all_calls,) = everything.contexts
        for seed in SEEDS[1:]:
            found = program.run(check, seed=seed)
            assert found[:4] == everything[:4]
            for path, calls in found.contexts[0].items():
                whole = sum(known for each, known in all_calls.items() if each[-len(path) :] == path)
                assert path[0] in ("@main", "@coroutine") and calls <= whole, (seed, path)


@pytest.mark.parametrize(("name", "number"), rare([("lua", 1), ("zlib-example", 0), ("jsoncpp", 0)], []))
def test_real_programs_are_counted_in_bursts(name: str, number: int, tmp_path: Path) -> None:
    program = real_program(name)
    check = program.checks[number]
    module = link_program(program.files, program.options, level=2).module
    with (
        probed(module, "plain", tmp_path / "plain", libraries=program.libraries) as plain,
        probed(module, "bursts", tmp_path / "probed", libraries=program.libraries) as probes,
    ):
        _check_seeds(probes, plain, check, (0, 2, 3))


def test_a_program_may_be_looked_at_in_bursts(tmp_path: Path) -> None:
    # Whichever bursts it was looked at in, they are some, and there is no call that it does not make.
    output = tmp_path / "run.sonde"
    words = ("--burst", "3ms/2ms", _PROGRAMS / "known_calls.c", "-O2", "-pthread", "--", "7")
    ended = run_sonde("contexts", "-o", output, "--quiet", *words)
    for _ in range(_TRIES):  # on a busy machine it may run between two bursts
        if output.exists():
            break
        assert ended.returncode == 7 and "no call began in" in ended.stderr
        ended = run_sonde("contexts", "-o", output, "--quiet", *words)
    done = measured(output, ended)
    sampling, tree = done.profile.sampling, done.profile.contexts
    assert done.returncode == 7
    assert sampling is not None and (sampling.interval_ns, sampling.burst_ns) == (3_000_000, 2_000_000)
    assert sampling.bursts >= 1 and 0 < sampling.fraction <= 1
    assert not done.profile.has_time
    names = {each.name for each in done.profile.functions}
    known = {"main", "catcher", "leaf", "down", "sorter", "compare", "square", "worker", "forker"}
    assert "main" in names and names <= known
    (main,) = [row for row in range(len(tree)) if done.profile.functions[tree.function[row]].name == "main"]
    # On a busy machine the first burst may be over before `main` is called.
    assert tree.calls[main] in (0, round(1 / sampling.fraction))
    assert tree.calls_deviation[main] <= tree.calls[main] * sampling.bursts
