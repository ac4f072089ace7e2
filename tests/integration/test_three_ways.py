"""Counted while the program runs, in a process beside it, or from a recording: the same profile."""

import json
from pathlib import Path

import pytest

from measuring import (
    FAST_MECHANISM,
    MECHANISMS,
    PROGRAMS,
    ContextPath,
    Counted,
    counted_by_path,
    measure,
    replay,
    run_sonde,
    run_sonde_here,
)
from report_json import facts, table
from sonde.instruments.contexts.profile import ContextProfile, read_profile
from sweeps import sampled

SCRIPTS = sorted(PROGRAMS.glob("*.py"))
MODES = {
    "exact": ["--exact"],
    "default": [],
    "few contexts": ["--phi", "1e-2"],
    "by calls": ["--metric", "calls"],
    "by calls, few contexts": ["--metric", "calls", "--phi", "0.05"],
    "space-saving": ["--metric", "calls", "--space-saving"],
    "space-saving, few contexts": ["--metric", "calls", "--space-saving", "--phi", "0.05"],
}
PRUNED = ("by calls, few contexts", "space-saving, few contexts")
CLOCK_RATE = 1e-3
"""The rate of the clock is measured by each run and each recording for itself."""
ROUNDING_NS = 2_000
"""Each context of a subtree is rounded to whole nanoseconds."""

TWINS = ("dynamic_code",)
"""Programs with several functions of one name, file and line, which a recording takes for one: it has
fewer contexts to bound, and so other errors."""


def named(value: Path | str) -> str:
    return value.stem if isinstance(value, Path) else value


def near(one: int, other: int) -> bool:
    return abs(one - other) <= ROUNDING_NS + CLOCK_RATE * max(one, other)


def agree(one: Counted, other: Counted, *, errors: bool = True) -> bool:
    """Calls exactly, times as far as the clocks agree."""
    return (
        (one.calls, one.total_calls) == (other.calls, other.total_calls)
        and near(one.self_ns, other.self_ns)
        and near(one.total_ns, other.total_ns)
        and (not errors or near(one.error, other.error))
    )


def differences(
    one: ContextProfile, other: ContextProfile, *, errors: bool = True
) -> dict[ContextPath, tuple[Counted, Counted]]:
    """Contexts of which the two say different things."""
    mine, theirs = counted_by_path(one), counted_by_path(other)
    both = {path: (mine.get(path, Counted()), theirs.get(path, Counted())) for path in mine | theirs}
    return {path: values for path, values in both.items() if not agree(*values, errors=errors)}


@pytest.mark.parametrize(("script", "mode"), sampled(SCRIPTS, list(MODES), one_in=4), ids=named)
def test_a_recording_gives_the_profile_of_its_run(script: Path, mode: str, tmp_path: Path) -> None:
    if script.stem in TWINS and "few" in mode:
        pytest.skip("the recording has fewer contexts than the run: others are pruned")
    measured = measure(tmp_path, "--record", tmp_path / "t.trace", *MODES[mode], script)

    replayed = replay(tmp_path, tmp_path / "t.trace", *MODES[mode])

    assert differences(measured.profile, replayed, errors=script.stem not in TWINS) == {}
    assert replayed.total_calls == measured.profile.total_calls > 50
    assert len(replayed.contexts) > 10
    assert (replayed.approximation is None) == (mode == "exact")
    if mode in PRUNED and script.stem == "coroutines":
        assert replayed.approximation is not None
        assert replayed.approximation.floor > 0


@pytest.mark.parametrize(
    ("script", "mode"),
    sampled(SCRIPTS, ["exact", "default", "by calls, few contexts", "space-saving, few contexts"], one_in=4),
    ids=named,
)
def test_counting_beside_the_program_gives_the_profile_of_its_recording(
    script: Path, mode: str, tmp_path: Path
) -> None:
    measured = measure(tmp_path, "--concurrent", "--record", tmp_path / "t.trace", *MODES[mode], script)

    replayed = replay(tmp_path, tmp_path / "t.trace", *MODES[mode])

    assert differences(measured.profile, replayed) == {}
    assert replayed.total_calls == measured.profile.total_calls > 50
    assert replayed.approximation is None or near(
        replayed.approximation.floor, measured.profile.approximation.floor if measured.profile.approximation else -1
    )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_records_what_it_counts(mechanism: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    measured = measure(tmp_path, "--record", trace, "--exact", "--mechanism", mechanism, PROGRAMS / "exceptions.py")

    assert differences(measured.profile, replay(tmp_path, trace, "--exact")) == {}


def test_functions_written_in_c_are_recorded_too(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    measured = measure(tmp_path, "--record", trace, "--exact", "--builtins", PROGRAMS / "plain_calls.py")

    replayed = replay(tmp_path, trace, "--exact")

    assert differences(measured.profile, replayed) == {}
    assert {"builtin", "function"} <= {function.kind for function in replayed.functions}


def test_a_recording_without_times_is_counted_by_calls(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    measured = measure(tmp_path, "--no-time", "--record", trace, PROGRAMS / "threads.py")

    replayed = replay(tmp_path, trace)

    assert differences(measured.profile, replayed) == {}
    assert replayed.approximation is not None
    assert (replayed.approximation.metric, replayed.has_time) == ("calls", False)


DEEP = """
import sys
sys.setrecursionlimit(10**6)
def down(n): return n and down(n - 1)
def leaf(): pass
down(6_000)
for _ in range(100): leaf()
"""


def test_counting_beside_the_program_follows_it_into_any_depth(tmp_path: Path) -> None:
    script = tmp_path / "deep.py"
    script.write_text(DEEP)

    measured = measure(tmp_path, "--concurrent", "--exact", script)

    assert measured.profile.total_calls >= 6_101
    # The eval hook gives way to the profile function in time (docs/messages.md), and says so.
    allowed = {"slower-mechanism"} if FAST_MECHANISM == "cpython-eval-hook" else set()
    assert {loss.kind for loss in measured.profile.losses} <= allowed


def test_a_trace_of_a_run_in_little_memory_says_what_it_lacks(tmp_path: Path) -> None:
    """What found no room in the tree of the run is in the trace all the same, or counts as not recorded."""
    trace = tmp_path / "t.trace"
    wanted = measure(tmp_path, "--exact", PROGRAMS / "plain_calls.py").profile.total_calls
    measure(tmp_path, "--memory", "3k", "--record", trace, PROGRAMS / "plain_calls.py")

    replayed = replay(tmp_path, trace, "--exact")

    lost = sum(loss.amount for loss in replayed.losses if loss.kind == "events-not-recorded")
    assert replayed.total_calls == wanted or replayed.total_calls + lost >= wanted


HEAVY_AND_LIGHT = """
import random, sys
random.seed(7)
def heavy(n): return sum(step(i) for i in range(n))
def step(i): return i * i
def path(n):
    if n == 0: return heavy(20)
    return left(n) if random.random() < 0.5 else right(n)
def left(n): return path(n - 1)
def right(n): return path(n - 1)
for _ in range(1500): path(9)
for _ in range(200): heavy(400)
"""


@pytest.fixture(scope="module")
def heavy_and_light(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A recording, and its exact profile."""
    folder = tmp_path_factory.mktemp("recorded")
    script, trace, exact = folder / "program.py", folder / "t.trace", folder / "exact.sonde"
    script.write_text(HEAVY_AND_LIGHT)
    assert run_sonde("contexts", "--quiet", "--record", trace, "-o", folder / "run.sonde", script).returncode == 0
    assert run_sonde_here("replay", "--quiet", "--exact", trace, "-o", exact).returncode == 0
    return trace, exact


@pytest.mark.parametrize("mode", [[], ["--metric", "calls"], ["--metric", "calls", "--space-saving"]], ids=" ".join)
def test_bounds_hold_and_nothing_hot_is_missed(
    mode: list[str], heavy_and_light: tuple[Path, Path], tmp_path: Path
) -> None:
    trace, exact = heavy_and_light
    hot = tmp_path / "hot.sonde"
    assert run_sonde_here("replay", "--quiet", "--phi", "0.01", *mode, trace, "-o", hot).returncode == 0

    done = run_sonde_here("diff", "--accuracy", "--json", exact, hot)

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    contexts = {row["what"]: row["contexts"]["value"] for row in table(answer, "contexts")}
    made_with = facts(answer, "made_with")
    assert (facts(answer, "bounds")["violations"], contexts["hot, missed"]) == (0, 0)
    assert contexts["hot, found"] == contexts["hot"] >= 2
    whole = read_profile(hot).metric_total
    assert 0 < made_with["floor"] <= made_with["epsilon"] * whole
    assert contexts["hot tree"] < contexts["exact tree"] / 4
