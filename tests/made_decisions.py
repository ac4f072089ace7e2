"""Runs of compilers made by hand: small trees of every kind, fast and slow, whose differences are known."""

from collections.abc import Sequence

from sonde.evidence import Doubt
from sonde.instruments.decisions.experiments import Experiment, HeatPolicy, create_fragments
from sonde.instruments.decisions.model import (
    CallSite,
    CompilerKind,
    Decision,
    DecisionRun,
    Offsets,
    Outcome,
    Phase,
    Place,
    Position,
    ProfileEntry,
    ReceiverProfile,
    ReceiverType,
    SourceRange,
    TimeProfile,
    Trees,
    Unit,
    Value,
)

WORK, GET, HASH = "app.Hot.work(int)", "java.util.HashMap.get(Object)", "java.util.HashMap.hash(Object)"
"""What the fast run inlines: `get` in `work`, `hash` in `get`; the slow one calls `get`."""

COLD = "app.Hot.start(String[])"
OFFSETS: dict[CompilerKind, Offsets] = {
    "graal": "bytecode index",
    "llvm": "line",
    "hotspot": "bytecode index",
    "cpython": "line",
}


def root(method: str | None, *children: CallSite) -> CallSite:
    return CallSite(method, is_root=True, inlined=True, children=list(children))


def inlined(method: str | None, at: int, *children: CallSite, reasons: Sequence[str] = ()) -> CallSite:
    return CallSite(method, at, inlined=True, reasons=tuple(reasons), children=list(children))


def called(
    method: str | None,
    at: int,
    *children: CallSite,
    reasons: Sequence[str] = (),
    receivers: ReceiverProfile | None = None,
    alive: bool = True,
    indirect: bool = False,
) -> CallSite:
    return CallSite(
        method,
        at,
        alive=alive,
        indirect=indirect,
        reasons=tuple(reasons),
        receivers=receivers,
        children=list(children),
    )


def decided(
    name: str,
    event: str,
    *places: tuple[str, int],
    outcome: Outcome = "applied",
    **properties: Value,
) -> Decision:
    position: Position = tuple(Place(method, at) for method, at in places)
    return Decision(name, event, position, tuple(properties.items()), outcome)


def made_unit(
    number: int,
    trees: Trees,
    *,
    period: int = 0,
    name: str = "",
    version: str | None = None,
    variant: str | None = None,
) -> Unit:
    method = trees.inlining.method
    assert method is not None
    return Unit(number, method, name or str(100 + number), lambda: trees, variant, version, period)


def made_run(
    units: Sequence[Unit],
    *,
    kind: CompilerKind = "graal",
    name: str = "made",
    total: int | None = 1000,
    doubts: Sequence[Doubt] = (),
    sources: dict[str, SourceRange] | None = None,
) -> DecisionRun:
    profile = None
    if total is not None:
        entries = tuple(ProfileEntry(unit.method, unit.period, unit.id) for unit in units)
        profile = TimeProfile(total, "samples", entries, "a profiler")
    return DecisionRun(
        name, kind, OFFSETS[kind], list(units), profile, "JIT", doubts=list(doubts), sources=dict(sources or {})
    )


def made_experiment(run: DecisionRun, number: int = 1, policy: HeatPolicy | None = None) -> Experiment:
    experiment = Experiment(run, number)
    experiment.mark_hot(policy or HeatPolicy())
    return experiment


def made_sides(
    first: DecisionRun, second: DecisionRun, policy: HeatPolicy | None = None
) -> tuple[Experiment, Experiment]:
    """Both sides as a comparison wants them: hot units marked, fragments made."""
    sides = made_experiment(first, 1, policy), made_experiment(second, 2, policy)
    create_fragments(*sides)
    return sides


def work_trees(*, is_fast: bool = True) -> Trees:
    """`work` calls `get`, which the fast run inlined; so its loop was peeled and an allocation spared."""
    types = (ReceiverType("app.Key", 0.875, "app.Key.hashCode()"), ReceiverType("java.lang.String", 0.125))
    hash_code = called(
        "java.lang.Object.hashCode()",
        9,
        reasons=["no type profile is precise enough"],
        receivers=ReceiverProfile(True, types),
        indirect=True,
    )
    if is_fast:
        get = inlined(
            GET, 5, inlined(HASH, 2, hash_code, reasons=["trivial"]), reasons=["too early", "relevance-based, 33 nodes"]
        )
    else:
        get = called(GET, 5, reasons=["too early", "too big: 612 nodes"])
    calls = root(
        WORK,
        get,
        called("java.io.PrintStream.println(String)", 20, reasons=["cold"]),
        called(None, 25, alive=False),
    )
    peeled = [decided("LoopTransformations", "LoopPeeling", (WORK, 30), peelings=1)] if is_fast else []
    spared = [decided("PartialEscapeLog", "AllocationVirtualization", (HASH, 1), (GET, 2), (WORK, 5))]
    reads = [decided("FloatingRead", "FixedWithFloatingReplacement", (WORK, at)) for at in (3, 8, 12)]
    phases = Phase(
        "RootPhase",
        [
            Phase(
                "HighTier",
                [
                    Phase("InliningPhase"),
                    Phase("GraphCheckPhase", [Phase("InnerPhase")]),
                    Phase("LoopPeelingPhase", [*peeled]),
                    Phase("PartialEscapePhase", [*(spared if is_fast else [])]),
                ],
            ),
            Phase("MidTier", [Phase("FloatingReadPhase", [*reads])]),
            Phase("LowTier", [Phase("SchedulePhase")]),
        ],
    )
    return Trees(calls, phases)


def callers_of_get(*, is_fast: bool, callers: int) -> DecisionRun:
    """`work` with methods `a.C0.f()`, `a.C1.f()` and so on inlined, which all call `get` at one offset."""
    get = inlined(GET, 5) if is_fast else called(GET, 5, reasons=["too big: 612 nodes"])
    calls = root(WORK, *(inlined(f"a.C{number}.f()", number, get) for number in range(callers)))
    return made_run([made_unit(0, Trees(calls, Phase("R")), period=900)])


def cold_trees() -> Trees:
    return Trees(root(COLD), Phase("RootPhase"))


def graal_run(*, is_fast: bool = True, doubts: Sequence[Doubt] = ()) -> DecisionRun:
    units = [
        made_unit(0, work_trees(is_fast=is_fast), period=600 if is_fast else 800, name="2504"),
        made_unit(1, cold_trees(), period=2, name="17"),
    ]
    return made_run(units, name="runs/fast" if is_fast else "runs/slow", doubts=doubts)


def llvm_run(*, is_fast: bool = True) -> DecisionRun:
    """A loop that was vectorized, or not because of a call that was not inlined."""
    sources = {"sum": SourceRange("/src/app/sum.c", 10), "scale": SourceRange("/src/app/scale.h", 3)}
    scale = (
        inlined("scale", 14, reasons=["cost=-20, threshold=225"])
        if is_fast
        else called("scale", 14, reasons=["cost=never: noinline function attribute"])
    )
    vectorized = (
        decided("loop-vectorize", "Vectorized", ("sum", 13), VectorizationFactor=4, InterleaveCount=2)
        if is_fast
        else decided("loop-vectorize", "CantVectorizeCall", ("sum", 13), outcome="missed")
    )
    size = decided("asm-printer", "InstructionCount", ("sum", 10), outcome="analysis", NumInstructions=30)
    phases = Phase("O2", [Phase("loop-vectorize", [vectorized]), Phase("asm-printer", [size])])
    trees = Trees(root("sum", scale), phases)
    return made_run(
        [made_unit(0, trees, period=900, name="sum")],
        kind="llvm",
        name="fast.opt.yaml" if is_fast else "slow.opt.yaml",
        sources=sources,
    )


def hotspot_run(*, is_fast: bool = True) -> DecisionRun:
    """Compiled twice, once on-stack; a trap is left where a branch never ran."""
    trap = decided("uncommon_trap", "unstable_if", (WORK, 12), action="reinterpret")
    trees = Trees(work_trees(is_fast=is_fast).inlining, Phase("C2", [Phase("parse", [trap])]))
    osr = Trees(root(WORK), Phase("C2", [Phase("parse")]))
    units = [
        made_unit(0, trees, period=500, name="33", version="C2"),
        made_unit(1, osr, period=300, name="34%", version="C2 OSR @ 4"),
    ]
    return made_run(units, kind="hotspot", name="hotspot.xml")


def cpython_run(*, is_fast: bool = True) -> DecisionRun:
    """A line whose addition was specialised for ints, or given up on."""
    decision = (
        decided("BINARY_OP", "BINARY_OP_ADD_INT", ("app.work", 7))
        if is_fast
        else decided("BINARY_OP", "deoptimised", ("app.work", 7), outcome="missed", executions=4)
    )
    trees = Trees(root("app.work"), Phase("adaptive interpreter", [decision]))
    sources = {"app.work": SourceRange("/src/app.py", 5)}
    return made_run([made_unit(0, trees, period=990, name="app.work")], kind="cpython", name="app", sources=sources)


def every_kind(*, is_fast: bool = True) -> list[DecisionRun]:
    return [made(is_fast=is_fast) for made in (graal_run, llvm_run, hotspot_run, cpython_run)]


def deep_trees(depth: int) -> Trees:
    """Calls in calls, each alone."""
    call = inlined(f"a.Deep.call{depth}()", 1)
    for level in range(depth - 1, 0, -1):
        call = inlined(f"a.Deep.call{level}()", 1, call)
    return Trees(root("a.Deep.main()", call), Phase("RootPhase"))


def wide_trees(calls: int, *, skip: int = -1) -> Trees:
    """Many calls beside one another; one may be missing."""
    sites = [inlined(f"a.Wide.call{number}()", number) for number in range(calls) if number != skip]
    decisions = [decided("Reading", "Floated", ("a.Wide.main()", number % 50)) for number in range(calls)]
    return Trees(root("a.Wide.main()", *sites), Phase("RootPhase", [Phase("ReadPhase", [*decisions])]))
