"""`sonde phases prog.cpp`: every call of a phase is told, however it is left, and nothing of the program changes."""

import signal
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from measuring import run_sonde, run_sonde_here
from needed import needs
from sonde.instruments.phases.profile import (
    CUT,
    NO_CALL,
    OPEN,
    RETURNED,
    UNWOUND,
    PhaseProfile,
    PhaseThread,
    read_phase_profile,
)
from sonde.jit.compilers import find_compiler
from sonde.valgrind import check_tool

pytestmark = needs(find_compiler)

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
_LEFT = _PROGRAMS / "left_calls.cpp"
_ALL = ("--theta-weight", "0", "--theta-grain", "0", "--counters", "task-clock,page-faults", "--quiet")
_SAID = "2 4 4\n5\n3000\nchild\nchild ended with 4\nends\n"
_SLACK_NS = 20_000
"""What two clocks may differ by, whatever the machine does."""
_PROBES = 120
"""Instructions of the probes of a call that a simulation may count: they keep registers, and ask it to pause."""


class _First(NamedTuple):
    """The run of the program that has all ways to leave a call, and what is needed for another one."""

    profile: PhaseProfile
    output: Path
    """The first step of it."""
    run: Path
    code: int
    printed: str
    said: str


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> _First:
    folder = tmp_path_factory.mktemp("phases")
    times = run_sonde("contexts", "--exact", "--quiet", "-o", folder / "calls.sonde", _LEFT)
    assert (times.returncode, times.stdout) == (7, _SAID), times.stderr
    words = ("--times", folder / "calls.sonde", "-o", folder / "run.sonde", _LEFT)
    ended = run_sonde("phases", *_ALL, *words)
    profile = read_phase_profile(folder / "run.sonde")
    profile.check_valid()
    return _First(profile, folder / "calls.sonde", folder / "run.sonde", ended.returncode, ended.stdout, ended.stderr)


def name_of(profile: PhaseProfile, phase: int) -> str:
    return profile.phases[phase].function.name.partition("(")[0]


def endings(profile: PhaseProfile) -> "Counter[tuple[str, int]]":
    return Counter(
        (name_of(profile, phase), ending)
        for thread in profile.threads
        for phase, ending in zip(thread.calls.phase, thread.calls.ending, strict=True)
    )


def own_of(thread: PhaseThread, counter: int) -> list[int]:
    """What was counted in each call, calls in it left out."""
    column = thread.calls.counters[counter]
    own = list(column)
    for row, parent in enumerate(thread.calls.parent):
        if parent != NO_CALL:
            own[parent] -= column[row]
    return own


def test_every_call_is_told_and_the_program_is_undisturbed(first: _First) -> None:
    assert (first.code, first.printed) == (7, _SAID), first.said
    found = endings(first.profile)
    returned = ("jumps_on", "jumped_to", "catches", "lands", "is_interrupted", "handles", "starts_threads", "forks")
    unwound = ("knows_others", "lets_through", "fails", "is_skipped", "jumps_back", "leaves_thread")
    known = {(name, RETURNED): 1 for name in returned} | {(name, UNWOUND): 1 for name in unwound}
    # What its fork calls is not told.
    known |= {("returns", RETURNED): 6 + 3, ("in_thread", RETURNED): 2, ("dives", RETURNED): 3001}
    known |= {("thousand", RETURNED): 1}
    known |= {("main", OPEN): 1, ("ends", OPEN): 1}
    assert {key: count for key, count in found.items() if not key[0].startswith("std::")} == known
    assert [thread.ended for thread in first.profile.threads] == [True] * 4
    assert first.profile.is_complete
    assert not [loss for loss in first.profile.losses if loss.kind != "counters-missing"]


def test_where_calls_lie_in_one_another(first: _First) -> None:
    thread = first.profile.threads[0]
    names = [name_of(first.profile, phase) for phase in thread.calls.phase]
    around = {
        name: names[parent] if parent >= 0 else "" for name, parent in zip(names, thread.calls.parent, strict=True)
    }
    assert around["jumped_to"] == "main"  # what is called last takes its caller's place
    assert (around["fails"], around["lets_through"], around["knows_others"]) == (
        "lets_through", "knows_others", "catches",
    )  # fmt: skip
    assert (around["handles"], around["is_skipped"], around["ends"]) == ("is_interrupted", "lands", "main")


def test_a_slow_twin_tells_the_same_calls_and_no_shorter_times(first: _First, tmp_path: Path) -> None:
    words = ("--times", first.output, "-o", tmp_path / "run.sonde", _LEFT, "-DTWIN")
    ended = run_sonde("phases", *_ALL, *words, TOLD=str(tmp_path / "told"))
    assert (ended.returncode, ended.stdout) == (7, "2 4 4\nends\n"), ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    told = [line.split() for line in (tmp_path / "told").read_text("ascii").splitlines()]
    seen = {words[1] for words in told}
    assert len(seen) == 6
    calls = profile.threads[0].calls
    names = [name_of(profile, phase) for phase in calls.phase]
    began = [name for name in names if name in seen]
    assert began == [words[1] for words in told if words[0] == "enter"]
    ends = sorted((end, -row) for row, end in enumerate(calls.end_ns) if names[row] in seen)
    assert [names[-row] for _, row in ends] == [words[1] for words in told if words[0] == "leave"]
    whole = [calls.end_ns[-row] - calls.start_ns[-row] for _, row in ends]
    within = [int(words[2]) for words in told if words[0] == "leave"]
    assert all(outer + _SLACK_NS >= 0.99 * inner for outer, inner in zip(whole, within, strict=True))


def test_a_program_that_a_signal_ends_is_told_until_then(first: _First, tmp_path: Path) -> None:
    words = ("--times", first.output, "-o", tmp_path / "run.sonde", _LEFT, "--", "abort")
    ended = run_sonde("phases", *_ALL, *words)
    assert (ended.returncode, ended.stdout) == (-signal.SIGABRT, _SAID), ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    assert not profile.is_complete
    assert endings(profile)["ends", OPEN] == 1
    # Both were compiled, and are the same functions, of C++.
    assert {phase.function.language for phase in first.profile.phases} == {"jit"}
    both = tmp_path / "both.sonde"
    ended = run_sonde_here("merge", "-o", both, first.run, tmp_path / "run.sonde", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    merged = read_phase_profile(both)
    assert {phase.function for phase in merged.phases} == {phase.function for phase in first.profile.phases}
    assert endings(merged) == endings(first.profile) + endings(profile)
    assert merged.whole_ns == first.profile.whole_ns + profile.whole_ns
    assert not merged.is_complete


@needs(check_tool)
def test_simulated_instructions_are_those_that_there_are(first: _First, tmp_path: Path) -> None:
    words = ("--times", first.output, "-o", tmp_path / "run.sonde", _LEFT)
    counted = ("--counters", "simulated:instructions")
    ended = run_sonde("phases", *_ALL, *counted, *words)
    assert (ended.returncode, ended.stdout) == (7, _SAID * 2), ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    assert endings(profile) == endings(first.profile)
    assert not profile.losses
    assert profile.counters[1].source == "simulated by sonde's Valgrind tool, run 2 of 2"
    own = [own_of(thread, 1) for thread in profile.threads]
    of = [
        (name_of(profile, phase), amount)
        for thread, amounts in zip(profile.threads, own, strict=True)
        for phase, amount in zip(thread.calls.phase, amounts, strict=True)
    ]
    # Probes save registers before they are left out.
    (thousand,) = (amount for name, amount in of if name == "thousand")
    assert 1000 < thousand < 1000 + _PROBES
    dives = [amount for name, amount in of if name == "dives"]
    assert len(set(dives[:-1])) == 1
    assert 0 < dives[-1] < dives[0] < 2 * _PROBES


def test_calls_on_stacks_that_are_exchanged_are_cut_and_it_is_said(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "run.sonde", _PROGRAMS / "two_stacks.c")
    ended = run_sonde("phases", *_ALL, *words)
    assert (ended.returncode, ended.stdout) == (0, "one\ntwo\nend\n" * 2), ended.stderr
    profile = read_phase_profile(tmp_path / "run.sonde")
    found = endings(profile)
    assert (found["steps", RETURNED], found["make", RETURNED], found["main", RETURNED]) == (4, 2, 1)
    assert found["yields", RETURNED] + found["yields", CUT] == 2
    assert "phases-cut" in {loss.kind for loss in profile.losses}
    assert profile.plans[0].thetas == profile.thetas


_REFUSED = (
    (("--counters", "allocations", "prog.c"), 2, "they are the Python interpreter's"),
    (("prog.c", "--perf"), 2, "cannot use --perf"),
    (("prog.c", "-O9"), 2, "there is no option '-O9'"),
    (("broken.c",), 1, "cannot compile 'broken.c'"),
    (("none.c",), 1, "no such file"),
)


@pytest.mark.parametrize(("words", "code", "said"), _REFUSED)
def test_what_cannot_be_measured_is_refused(words: tuple[str, ...], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text("int main(void) { return 0; }\n", "utf-8")
    (tmp_path / "broken.c").write_text("int main(void) {\n", "utf-8")
    ended = run_sonde_here("phases", *words, cwd=tmp_path)
    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr
