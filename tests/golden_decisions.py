"""Answers of `decisions` that golden files hold; those of `profdiff` have a test of their own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from golden_answers import Case
from made_consistency import SUBJECTS, consistency, everything, found
from made_decisions import (
    GET,
    HASH,
    WORK,
    called,
    callers_of_get,
    cold_trees,
    cpython_run,
    decided,
    deep_trees,
    graal_run,
    hotspot_run,
    inlined,
    llvm_run,
    made_run,
    made_unit,
    root,
    wide_trees,
    work_trees,
)
from sonde.base.errors import InputError
from sonde.evidence import Doubt
from sonde.instruments.decisions.groups import Consistency, Difference
from sonde.instruments.decisions.model import (
    CallSite,
    Decision,
    DecisionRun,
    Phase,
    ReceiverProfile,
    SourceRange,
    TimeProfile,
    Trees,
    Unit,
)

_HOSTILE = "</script>\x1b[2J größe_記憶"
_LONG = "com.example.very.deep.packages.of.a.Program$Inner.method(int, int, int, int, int, int, int, int)"
_SUM_C = "".join(f"    total += scale(values[{number}]);\n" for number in range(1, 31))


def _only(trees: Trees, *, period: int = 900) -> DecisionRun:
    return made_run([made_unit(0, trees, period=period)])


def _damaged(number: int) -> Unit:
    def load() -> Trees:
        raise InputError("cannot read unit 'a': it is cut off", slug="bad-decision-record", hint="record again")

    return Unit(number, "app.Damaged.run()", "a", load, period=500)


def odd_run() -> DecisionRun:
    """Doubts, damage, versions, odd names, receivers that were not seen, decisions in many places and methods."""
    unseen = called("a.Unseen.f()", 3, receivers=ReceiverProfile(False, ()), indirect=True, alive=False)
    reads = [
        decided("Reading", "Floated", (method, at), (WORK, 5))
        for method in (GET, HASH, "a.B.c()", "a.B.d()")
        for at in range(7)
    ]
    missed = decided("Vectorizer", "CantVectorize", (WORK, 30), outcome="missed", Cost=-3, Why=_HOSTILE)
    phases = Phase("RootPhase", [Phase("FloatingReadPhase", [*reads]), Phase(_HOSTILE, [missed])])
    odd = Trees(root(_HOSTILE, called(_LONG, 1, reasons=["r" * 300]), unseen, inlined(_LONG, 4)), phases)
    units = [
        made_unit(0, work_trees(), period=400, version="C2", variant="key"),
        _damaged(1),
        made_unit(2, odd, period=300),
        made_unit(3, deep_trees(9), period=90),
        *(made_unit(4 + number, cold_trees()) for number in range(8)),
    ]
    doubts = [Doubt("bad-line", f"line {number}") for number in range(40)]
    doubts += [Doubt("no-such-method", "none", 3), Doubt("cut-off", _HOSTILE)]
    doubts += [Doubt(f"odd-{number}", "told once") for number in range(9)]
    return made_run(units, name=f"runs/{_HOSTILE}", total=2000, doubts=doubts)


def without_times() -> DecisionRun:
    """Nobody knows what is hot."""
    return made_run(
        [made_unit(0, work_trees()), made_unit(1, cold_trees()), _damaged(2)], total=None, name="runs/untimed"
    )


def with_sources(*, is_fast: bool = True) -> DecisionRun:
    """Compiled ahead of time from a file that lies beside it."""
    run = llvm_run(is_fast=is_fast)
    sources = {"sum": SourceRange("sum.c", 10), "scale": SourceRange("missing.h", 3)}
    return replace(run, compilation="AOT", sources=sources)


def spread_run(*, is_fast: bool) -> DecisionRun:
    """Samples tell in which inlined code the time was; one cause is at four calls, and what follows from it differs."""
    at = (5, 9, 12, 20)
    kinds: dict[bool, Callable[[int], CallSite]] = {
        True: lambda each: inlined(GET, each),
        False: lambda each: called(GET, each, reasons=[f"too big: {600 + each} nodes"]),
    }
    peeled = Phase("R", [decided("Loop", "Peeling", (GET, 4), (WORK, 5))] if is_fast else [])
    own = Trees(root(GET, called("a.X.grow()", 7)), Phase("R", [decided("Loop", "Unrolling", (GET, 4))]))
    work = made_unit(0, Trees(root(WORK, *map(kinds[is_fast], at)), peeled), period=600)
    place = decided("", "", (WORK, 30)).position
    units = [replace(work, spread=((place, 10),)), *([] if is_fast else [made_unit(1, own, period=300)])]
    return made_run(units, name="runs/fast" if is_fast else "runs/slow")


def changed(*, is_fast: bool) -> DecisionRun:
    """Other methods at a call, properties, places, orders, phases; methods that are hot or compiled in one run."""
    target = "a.Fast.f()" if is_fast else "a.Slow.f()"
    calls = [
        called(target, 3, reasons=["cold"]),
        inlined("a.Both.g()", 4, called(_LONG, 5)) if is_fast else called("a.Both.g()", 4, indirect=True),
        *([called("a.Once.h()", 6)] if is_fast else []),
    ]
    order = [decided("Read", "Floated", (HASH, at), (WORK, at)) for at in (1, 2)]
    depth = 2 if is_fast else 3
    decisions = {
        "p.Properties.run()": [decided("Loop", "Unrolled", (HASH, 1), (WORK, 2), depth=depth, kind="k", full=is_fast)],
        "p.Places.run()": [decided("Guard", "Moved", (HASH, 1 if is_fast else 3), (WORK, 2))],
        "p.Calls.run()": [decided("Store", "Sunk", (HASH, 1), (WORK, 2 if is_fast else 9))],
        "p.Orders.run()": order if is_fast else order[::-1],
        "p.Removed.run()": [decided("Box", "Removed", (WORK, at)) for at in range(8 if is_fast else 0)],
        "p.Empty.run()": [],
    }
    phases = {
        method: Phase("R", [Phase("P", [*made]), *(Phase(f"Extra{i}") for i in range(1 if is_fast else 2))])
        for method, made in decisions.items()
    }
    one = "First" if is_fast else "Second"
    units = [
        made_unit(0, Trees(root(WORK, *calls), Phase("R")), period=30_000_000_000),
        *(made_unit(1 + i, Trees(root(each), phases[each]), period=2_000_000_000) for i, each in enumerate(phases)),
        made_unit(10, Trees(root(f"hot.{one}.run()"), Phase("R")), period=1_500_000_000),
        made_unit(11, Trees(root(f"cold.{one}.run()"), Phase("R")), period=4_000_000),
        made_unit(12, Trees(root(f"never.{one}.run()"), Phase("R"))),
        made_unit(13, cold_trees(), period=12_345),
        _damaged(14),
    ]
    run = made_run(units, name="runs/before" if is_fast else "runs/after")
    profile = TimeProfile(100_000_000_000, "cycles", (), "perf script", samples=12_345)
    return replace(run, profile=profile, execution_id="4711" if is_fast else None)


def phases_only(*, is_fast: bool) -> DecisionRun:
    """Other phases ran, and decided the same."""
    phases: list[Phase | Decision] = [Phase("P"), *(Phase(f"Extra{i}") for i in range(1 if is_fast else 2))]
    run = _only(Trees(root(WORK), Phase("R", phases if is_fast else phases[1:])))
    return replace(run, profile=TimeProfile(10**9, "nanoseconds", (), "perf script"))


def bulky(*, is_fast: bool) -> DecisionRun:
    """More methods than are told, big trees, and compilations of a method that have next to nothing in common."""
    letter = "X" if is_fast else "Y"
    another = Trees(root("m.Another.run()", *(inlined(f"a.{letter}.x{i}()", i) for i in range(30))), Phase("R"))
    calls = [inlined(GET, 1)] if is_fast else []
    units = [
        made_unit(0, another, period=200),
        made_unit(1, wide_trees(100, skip=50 if is_fast else -1), period=300),
        made_unit(2, deep_trees(30 if is_fast else 40), period=100),
        *(made_unit(3 + i, Trees(root(f"many.M{i}.run()", *calls), Phase("R")), period=9) for i in range(20)),
    ]
    return made_run(units, name="runs/before" if is_fast else "runs/after")


def cold_only(*, is_fast: bool) -> DecisionRun:
    """Differs where it is cold."""
    run = graal_run()
    trees = Trees(root("app.Cold.run()", *([inlined(GET, 3)] if is_fast else [])), Phase("RootPhase"))
    return made_run([*run.units, made_unit(5, trees, period=1)], name="runs/fast")


def nothing_found() -> Consistency:
    """Too few runs, and nothing in common."""
    return replace(
        consistency(remarks=("nothing can be concluded from 2 fast and 2 slow runs",)),
        fast=("fast-0", "fast-1"),
        slow=(f"slow/{_HOSTILE}", *(f"slow-{number}" for number in range(12))),
        left_out=1200,
    )


def many_found() -> Consistency:
    """More findings than are told, certain and not, of a compiler that tells lines."""
    certain = [found(subject, weight=0.9 - number / 10) for number, subject in enumerate(SUBJECTS * 4)]
    more = Difference("depth", (3.0, 4.0), (1.0,), 0, 0.005, 0.01)
    certain[0] = replace(certain[0], differences=(*certain[0].differences, more))
    chance = [found(subject, q_value=0.2 + number / 100) for number, subject in enumerate(SUBJECTS * 2)]
    return replace(consistency(*certain, *chance), offsets="line")


def _empty(path: Path) -> None:
    path.touch()


_Runs = dict[str, Callable[[], DecisionRun]]


def _asked(words: Sequence[str], runs: _Runs, forms: str, files: dict[str, Callable[[Path], object]]) -> Case:
    def read(path: Path, **_: object) -> DecisionRun:
        return runs[path.name]()

    return Case(
        ("decisions", *words),
        {**dict.fromkeys(runs, _empty), **files},
        {"sonde.instruments.decisions.readers.read_run": read},
        frozenset(forms.split(" ")),
    )


def _show(made: Callable[[], DecisionRun], *options: str, forms: str = "text json") -> Case:
    files = {"sum.c": lambda path: path.write_text(_SUM_C)}
    return _asked(("show", "run", *options), {"run": made}, forms, files)


def _diff(made: Callable[..., DecisionRun], *options: str, forms: str = "text json", same: bool = False) -> Case:
    files = {"sum.c": lambda path: path.write_text(_SUM_C)}
    runs: _Runs = {"fast": lambda: made(is_fast=True), "slow": lambda: made(is_fast=same)}
    return _asked(("diff", "fast", "slow", *options), runs, forms, files)


def _consistent(made: Callable[[], Consistency], *options: str, forms: str = "text json") -> Case:
    case = _asked(("consistent", "--fast", "f", "--slow", "s", *options), {"f": graal_run, "s": graal_run}, forms, {})
    return replace(case, patches={**case.patches, "sonde.instruments.decisions.groups.consistent": lambda *_: made()})


def _explain(*words: str, forms: str = "text json") -> Case:
    return Case(("decisions", "explain", *words), forms=frozenset(forms.split(" ")))


def _with(case: Case, **patches: object) -> Case:
    """The same, with other limits of the page."""
    changed = {f"sonde.instruments.decisions.report.page_trees.{name}": value for name, value in patches.items()}
    return replace(case, patches={**case.patches, **changed})


_ALL_HOT = ("--hot-percentile", "1", "--hot-max-limit", "30")

CASES = {
    "decisions/show-graal": _show(graal_run, "--tree", "all", forms="text json page"),
    "decisions/show-llvm": _show(llvm_run, "--tree", "all"),
    "decisions/show-sources": _show(with_sources, forms="page"),
    "decisions/show-hotspot": _show(hotspot_run, "--tree", "all", "--all"),
    "decisions/show-cpython": _show(cpython_run, "--tree", "all"),
    "decisions/show-odd": _show(odd_run, "--all", "--tree", "all", forms="text"),
    "decisions/show-few-rows": _show(odd_run, "--all", "--rows", "3", "--tree", "context", forms="text"),
    "decisions/show-wide": _show(odd_run, "--wide", forms="text"),
    "decisions/show-untimed": _show(without_times, "--hot"),
    "decisions/show-empty": _show(lambda: made_run([])),
    "decisions/diff-graal": _diff(graal_run, "--context", "--why", forms="text json page"),
    "decisions/diff-llvm": _diff(with_sources, "--why", forms="text json page"),
    "decisions/diff-hotspot": _diff(hotspot_run, "--all"),
    "decisions/diff-cpython": _diff(cpython_run, "--why"),
    "decisions/diff-changed": _diff(changed, "--why", *_ALL_HOT),
    "decisions/diff-changed-all": _diff(changed, "--all", "--rows", "30", forms="text"),
    "decisions/diff-phases": _diff(phases_only, forms="text"),
    "decisions/diff-page-pruned": _with(_diff(graal_run, forms="page"), MAX_NODES=14),
    "decisions/diff-wide": _diff(changed, "--wide", forms="text"),
    "decisions/diff-few-rows": _diff(bulky, "--rows", "4", *_ALL_HOT, forms="text"),
    "decisions/diff-spread": _diff(spread_run, *_ALL_HOT),
    "decisions/diff-places": _diff(lambda *, is_fast: callers_of_get(is_fast=is_fast, callers=7), forms="text json"),
    "decisions/diff-bulky": _diff(bulky, *_ALL_HOT, forms="text"),
    "decisions/diff-same": _diff(graal_run, same=True),
    "decisions/diff-same-hot": _diff(graal_run, "--hot", same=True, forms="text"),
    "decisions/diff-cold": _diff(cold_only, forms="text json"),
    "decisions/diff-untimed": _diff(lambda *, is_fast: without_times(), forms="text"),
    "decisions/diff-half-timed": _diff(lambda *, is_fast: graal_run() if is_fast else without_times(), forms="text"),
    "decisions/consistent-everything": _consistent(everything, forms="text json page"),
    "decisions/consistent-nothing": _consistent(nothing_found),
    "decisions/consistent-many": _consistent(many_found, "--rows", "8", forms="text"),
    "decisions/explain-words": _explain("LoadClobbered", "hot method too big", "NotSpecialized"),
    "decisions/explain-cpython": _explain("--compiler", "cpython", forms="text"),
}  # fmt: skip
