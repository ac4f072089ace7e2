"""`sonde contexts prog.c`: calls of a compiled program in their contexts, the program as if sonde were not there."""

import signal
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from measuring import SONDE, Measured, environment, measure, run_sonde, run_sonde_here
from needed import needs
from real_programs import real_program
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, read_profile
from sonde.ir import SourceFrames, parse_module
from sonde.jit import link_program
from sonde.jit.compilers import find_compiler
from sweeps import rare

pytestmark = needs(find_compiler)

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
_KNOWN = _PROGRAMS / "known_calls.c"
_PATIENCE_S = 600

Calls = "Counter[tuple[str, ...]]"


def calls(profile: ContextProfile) -> "Counter[tuple[str, ...]]":
    """Calls by names of functions, outermost first; contexts without calls, which are inlined ones, are left out."""
    tree, found, paths = profile.contexts, Counter[tuple[str, ...]](), list[tuple[str, ...]]()
    for row, parent in enumerate(tree.parent):
        above = () if parent == NO_PARENT else paths[parent]
        paths.append((*above, profile.functions[tree.function[row]].name))
        if tree.calls[row]:
            found[paths[row]] += tree.calls[row]
    return found


def expected(compared: int, *, inlined: bool = True, followed: bool = False) -> dict[tuple[str, ...], int]:
    """What `known_calls.c` says itself."""
    known = {
        ("main",): 1,
        ("main", "catcher"): 10,
        ("main", "catcher", "leaf"): 10,
        **{("main", "catcher", *["down"] * depth): 10 for depth in range(1, 7)},
        ("main", "sorter"): 1,
        ("main", "sorter", "compare"): compared,
        ("main", "square", "leaf"): 40,
        ("worker",): 4,
        ("worker", "leaf"): 4000,
        ("main", "forker"): 1,
    }
    if not inlined:
        known["main", "square"] = 20
    if followed:
        known["main", "forker", "leaf"] = 500
    return known


def line(comment: str) -> int:
    """The line of `known_calls.c` that has this comment."""
    (found,) = [n for n, text in enumerate(_KNOWN.read_text("ascii").split("\n"), 1) if f"/* {comment} */" in text]
    return found


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(tmp_path_factory.mktemp("known"), "--exact", "--no-time", _KNOWN, "-O2", "-pthread", "--", "7")


def test_calls_are_counted_in_their_contexts(known: Measured) -> None:
    compared = int(known.stdout.split()[1])
    assert calls(known.profile) == expected(compared)
    assert sum(process.threads for process in known.profile.processes) == 5
    assert [process.mechanism for process in known.profile.processes] == ["llvm-late-probes"]


def test_the_program_runs_as_it_does_alone(known: Measured) -> None:
    alone = run_sonde("vm", "run", _KNOWN, "-O2", "-pthread", "--", "7")
    assert (known.stdout, known.returncode) == (alone.stdout, 7) and alone.returncode == 7


def test_inlined_functions_stand_between_with_the_lines_of_both_calls(known: Measured) -> None:
    profile, tree = known.profile, known.profile.contexts
    named = {row: profile.functions[tree.function[row]].name for row in range(len(tree))}
    (inlined,) = [row for row, name in named.items() if name == "square"]
    assert named[tree.parent[inlined]] == "main"
    assert (tree.calls[inlined], tree.call_line[inlined], tree.total_calls[inlined]) == (0, line("inlined call"), 40)
    below = {tree.call_line[row]: tree.calls[row] for row in named if tree.parent[row] == inlined}
    assert below == {line("first call"): 20, line("second call"): 20}
    square = profile.functions[tree.function[inlined]]
    assert (Path(square.file), square.first_line, square.language) == (_KNOWN, line("inlined"), "jit")


def test_what_is_shown_names_what_was_inlined(known: Measured, tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    shown = run_sonde("contexts", "-o", output, "--no-time", "--min-share", "0", _KNOWN, "-pthread").stderr.splitlines()
    assert shown[1].startswith("leaf (") and "is called most" in shown[1]
    assert any("(inlined) square" in line for line in shown)
    assert [process.mechanism for process in read_profile(output).processes] == ["llvm-late-probes"]


def test_early_probes_count_what_the_optimiser_inlines(tmp_path: Path) -> None:
    early = measure(tmp_path, "--exact", "--no-time", "--probes", "early", _KNOWN, "-O2", "-pthread")
    assert calls(early.profile) == expected(int(early.stdout.split()[1]), inlined=False)


@pytest.mark.parametrize(("clock", "kind"), [("wall", "wall"), ("cpu", "processor")])
def test_times_are_sampled_by_context(tmp_path: Path, clock: str, kind: str) -> None:
    source = tmp_path / "busy.c"
    # Work without system calls, at whose ends a loaded machine would take the processor away.
    source.write_text(
        "__attribute__((noinline)) static void once(void) { for (volatile int i = 0; i < 100000; i++); }\n"
        '__attribute__((noinline)) static void idle(void) { __asm__ volatile(""); }\n'
        "int main(void) { for (int i = 0; i < 3000; i++) { once(); idle(); } return 0; }\n",
        encoding="ascii",
    )
    profile = measure(tmp_path, "--clock", clock, source).profile
    assert profile.run.clock == "sampled" and profile.run.time_kind == kind
    assert profile.sampling is not None and profile.sampling.is_of_times_only
    own = {
        profile.functions[f].name: ns for f, ns in zip(profile.contexts.function, profile.contexts.self_ns, strict=True)
    }
    assert own["once"] > 0.8 * profile.total_ns > 0
    assert calls(profile)["main", "once"] == calls(profile)["main", "idle"] == 3000


def test_forked_children_are_told_of_or_followed(known: Measured, tmp_path: Path) -> None:
    assert [(loss.kind, loss.amount) for loss in known.profile.losses] == [("fork-not-followed", 1)]
    followed = measure(tmp_path, "--exact", "--no-time", "--follow", _KNOWN, "-pthread")
    assert calls(followed.profile) == expected(int(followed.stdout.split()[1]), followed=True)
    assert len(followed.profile.processes) == 2 and not followed.profile.losses


def test_a_program_that_is_killed_leaves_its_counts(tmp_path: Path) -> None:
    done = measure(tmp_path, "--exact", "--no-time", _KNOWN, "-pthread", "--", "abort")
    assert done.returncode == -signal.SIGABRT and done.profile.run.ended == "killed by SIGABRT"
    assert calls(done.profile) == expected(int(done.stdout.split()[1]))


def test_counts_outlive_sonde_and_the_program_does_not(tmp_path: Path) -> None:
    output = tmp_path / "run.sonde"
    words = ["--exact", "--no-time", "-o", str(output), str(_KNOWN), "-pthread", "--", "wait"]
    with subprocess.Popen([*SONDE, "contexts", *words], stdout=subprocess.PIPE, text=True, env=environment()) as sonde:
        assert sonde.stdout is not None
        compared = int(sonde.stdout.readline().split()[1])
        sonde.kill()
        assert sonde.stdout.read() == ""  # which ends when the program does
    deadline = time.monotonic() + _PATIENCE_S
    while (shown := run_sonde("view", output)).returncode and time.monotonic() < deadline:
        time.sleep(0.1)  # until the kernel has done with the program
    assert "main" in shown.stdout, shown.stderr
    assert calls(read_profile(output)) == expected(compared)


def test_what_cannot_be_linked_is_told_once(tmp_path: Path) -> None:
    source = tmp_path / "missing.c"
    source.write_text("int f(void);\nint main(void) { return f(); }\n", encoding="ascii")
    done = run_sonde("contexts", "-o", tmp_path / "run.sonde", source)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"sonde: cannot link '{source}': nothing defines 'f'"), done.stderr
    assert done.stderr.count("sonde:") == 1 and [path.name for path in tmp_path.iterdir()] == ["missing.c"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lines", str(_KNOWN)], "cannot use --lines with"),
        (["--burst", "20ms/2ms", "--metric", "time", str(_KNOWN)], "cannot use --metric time with"),
        (["--burst", "20ms/2ms", "--adaptive", "10%", str(_KNOWN)], "cannot use --adaptive with"),
        (["--burst", "20ms/2ms", "--clock", "cpu", str(_KNOWN)], "cannot use --clock cpu with"),
        (["--burst", "20ms/2ms", "--probes", "early", str(_KNOWN)], "cannot watch in bursts with --probes early"),
        ([str(_KNOWN), "--threads"], "there is no option '--threads'"),
        (["none.c"], "cannot read 'none.c': no such file"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, words: list[str], message: str) -> None:
    done = run_sonde_here("contexts", *words, cwd=tmp_path)
    assert done.returncode in (1, 2) and message in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


Chain = tuple[tuple[str, int], ...]
"""Functions and lines of a call, innermost first."""


def _names(chain: Chain) -> tuple[str, ...]:
    return tuple(name for name, _ in chain)


def _fits(told: Chain, recorded: Chain) -> bool:
    return all(line in (0, known) for (_, line), (_, known) in zip(told, recorded, strict=True))


@pytest.mark.parametrize("name", rare(["zlib-infcover", "lua"], ["zlib-infcover"]))
def test_lines_and_inlined_functions_are_those_of_the_compilers_own_records(name: str, tmp_path: Path) -> None:
    """Of every call in a run of a real program: the optimiser's record of it, before it was made machine code."""
    program = real_program(name)
    options = [*program.options, "-w", *(f"-l{each}" for each in program.libraries)]
    words = program.checks[0].arguments
    profile = measure(tmp_path, "--exact", "--no-time", *program.files, *options, "--", *words).profile
    linked = link_program(program.files, [*program.options, "-w", "-gline-tables-only"], level=2)
    module = parse_module(linked.module.text())
    frames = SourceFrames(module)
    recorded: dict[tuple[str, ...], set[Chain]] = defaultdict(set)
    for function in module.defined_functions():
        for each in function.instructions():
            if each.opcode in ("call", "invoke") and each.location is not None:
                of_call = tuple((frame.function, frame.line) for frame in frames.of(each.location))
                recorded[_names(of_call)].add(of_call)
    tree = profile.contexts
    told: set[Chain] = set()
    for row, parent in enumerate(tree.parent):
        if not (tree.calls[row] and tree.call_line[row] and parent != NO_PARENT):
            continue
        chain, line, at = [], tree.call_line[row], parent
        while True:
            chain.append((profile.functions[tree.function[at]].name, line))
            if tree.calls[at]:
                break
            line, at = tree.call_line[at], tree.parent[at]
        told.add(tuple(chain))
    # Where the code generator makes equal ends of blocks one, the place is that of neither: mostly line 0.
    merged = [chain for chain in told if not any(_fits(chain, each) for each in recorded[_names(chain)])]
    assert len(merged) <= 0.01 * len(told), merged
    assert len(told) > 100 and sum(len(chain) > 1 for chain in told) > 50
