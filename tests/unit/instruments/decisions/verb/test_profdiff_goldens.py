"""`sonde decisions profdiff`: whole answers to small logs, derived by hand from the rules of Graal's profdiff."""

from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

from graal_logs import (
    call,
    did,
    entry,
    phase,
    receivers,
    root,
    unit,
    write_aot_profile,
    write_log,
    write_profile,
)
from sonde.cli import main

FOO, BAR, BAZ, LOG, COLD, REST = (
    f"demo.{name}()" for name in ("Foo.foo", "Bar.bar", "Baz.baz", "Log.log", "C.c", "R.r")
)
BILLION = 10**9


def profdiff(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What it prints after the explanation and the blank line below it."""
    assert main(["decisions", "profdiff", *map(str, words)]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines(keepends=True)
    assert lines[0] == "How to read the output\n"
    after = next(at for at, line in enumerate(lines[1:], 1) if not line.lstrip().startswith("- "))
    return "".join(lines[after + 1 :] if lines[after] == "\n" else lines[after:])


def text(block: str) -> str:
    return dedent(block).removeprefix("\n")


RICH = unit(
    "a.A.run(int)",
    "17",
    root(
        "a.A.run(int)",
        call("b.B.get()", 5, "inlined", call("c.C.log(String)", 2, "deleted"), reason=["small", "hot"]),
        call(
            "java.util.List.size()",
            3,
            "indirect",
            receivers=receivers(
                ("java.util.ArrayList", 0.995, "java.util.ArrayList.size()"), ("java.util.LinkedList", 0.005, None)
            ),
        ),
        call(None, -1, "direct", reason=["no bytecode"]),
        call("I.f()", 9, "devirtualized", call("X.f()", 9, "inlined"), receivers=receivers(mature=False)),
        call("d.D.quiet()", -5, "deleted", receivers=receivers()),
    ),
    phase(
        "RootPhase",
        phase(
            "HighTier",
            phase("CanonicalizerPhase", did("Canonicalizer", "UnusedNodeRemoval")),
            phase(
                "LoopPhase",
                did("Loop", "LoopPeeling", {"a.A.run(int)": 7}, peelings=1, shifted=False, factor=0.5, last=None),
            ),
        ),
        phase(
            "LowTier",
            phase("IncrementalCanonicalizerPhase"),
            phase(
                "PartialEscapePhase",
                phase("SchedulePhase"),
                did("PartialEscape", "Virtualization", {"b.B.get()": 4, "a.A.run(int)": 5}, materializations=0),
                did("PartialEscape", "Virtualization", {"a.A.run(int)": 2}, materializations=0),
                did("PartialEscape", "Virtualization", materializations=1),
            ),
        ),
    ),
)


def test_report_without_a_profile_shows_every_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(tmp_path / "log", RICH, unit("b.B.get()", "3"))

    assert profdiff(capsys, "report", log) == text("""
        Experiment 1
            Collected optimization logs for 2 compilation units

        Method a.A.run(int)
            In experiment 1
                1 compilations
                Compilations
                       17
                Compilation unit    17 in experiment 1
                    Inlining tree
                        (root) a.A.run(int)
                            (deleted) d.D.quiet() at bci -5
                            (direct) unknown
                            (indirect) java.util.List.size() at bci 3
                                |_ receiver-type profile
                                        99.50% java.util.ArrayList -> java.util.ArrayList.size()
                                         0.50% java.util.LinkedList
                            (inlined) b.B.get() at bci 5
                                (deleted) c.C.log(String) at bci 2
                            (devirtualized) I.f() at bci 9
                                |_ immature receiver-type profile
                                (inlined) X.f() at bci 9
                    Optimization tree
                        RootPhase
                            HighTier
                                LoopPhase
                                    Loop LoopPeeling at bci 7 with \
{peelings: 1, shifted: false, factor: 0.5, last: null}
                            LowTier
                                PartialEscapePhase
                                    PartialEscape Virtualization with {materializations: 1}
                                    PartialEscape Virtualization at bci 2 with {materializations: 0}
                                    PartialEscape Virtualization at bci 5 with {materializations: 0}
                                    SchedulePhase

        Method b.B.get()
            In experiment 1
                1 compilations
                Compilations
                        3
                Compilation unit     3 in experiment 1
                    Inlining tree
                        (root) b.B.get()
                    Optimization tree
                        RootPhase
        """)


def test_report_as_it_was_logged_with_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(tmp_path / "log", RICH)
    options = (
        *("--sort-inlining-tree=false", "--sort-unordered-phases", "FALSE", "--remove-detailed-phases=False"),
        *("--long-bci", "true", "--inliner-reasoning=TRUE"),
    )

    assert profdiff(capsys, *options, "report", log) == text("""
        Experiment 1
            Collected optimization logs for 1 compilation units

        Method a.A.run(int)
            In experiment 1
                1 compilations
                Compilations
                       17
                Compilation unit    17 in experiment 1
                    Inlining tree
                        (root) a.A.run(int)
                            (inlined) b.B.get() at bci 5
                                |_ reasoning
                                        small
                                        hot
                                (deleted) c.C.log(String) at bci 2
                                    |_ no inlining decisions
                            (indirect) java.util.List.size() at bci 3
                                |_ no inlining decisions
                                |_ receiver-type profile
                                        99.50% java.util.ArrayList -> java.util.ArrayList.size()
                                         0.50% java.util.LinkedList
                            (direct) unknown
                                |_ reasoning: no bytecode
                            (devirtualized) I.f() at bci 9
                                |_ no inlining decisions
                                |_ immature receiver-type profile
                                (inlined) X.f() at bci 9
                                    |_ no inlining decisions
                            (deleted) d.D.quiet() at bci -5
                                |_ no inlining decisions
                    Optimization tree
                        RootPhase
                            HighTier
                                CanonicalizerPhase
                                    Canonicalizer UnusedNodeRemoval
                                LoopPhase
                                    Loop LoopPeeling at bci {a.A.run(int): 7} with \
{peelings: 1, shifted: false, factor: 0.5, last: null}
                            LowTier
                                IncrementalCanonicalizerPhase
                                PartialEscapePhase
                                    SchedulePhase
                                    PartialEscape Virtualization at bci {b.B.get(): 4, a.A.run(int): 5} with \
{materializations: 0}
                                    PartialEscape Virtualization at bci {a.A.run(int): 2} with {materializations: 0}
                                    PartialEscape Virtualization with {materializations: 1}
        """)


def test_report_with_optimization_context_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(
        tmp_path / "log",
        unit(
            FOO,
            "1",
            root(
                FOO,
                call(BAR, 1, "inlined", call(LOG, 0, "deleted"), reason=["fits"]),
                call("I.f()", 9, "devirtualized", call(BAZ, 9, "inlined")),
                call(BAZ, 12, "inlined"),
                call(BAZ, 12, "inlined"),
            ),
            phase(
                "RootPhase",
                phase(
                    "SomePhase",
                    did("Opt", "Nowhere"),
                    did("Opt", "Elsewhere", {"other.O.o()": 3}),
                    did("Opt", "InBar", {BAR: 4, FOO: 1}),
                    did("Opt", "InFoo", {FOO: 30}, unrolled=2),
                    did("Opt", "UnderBar", {"gone.G.g()": 8, BAR: 6, FOO: 1}),
                    did("Opt", "InDevirtualizedBaz", {BAZ: 5, FOO: 9}),
                    did("Opt", "InEitherBaz", {BAZ: 7, FOO: 12}),
                ),
            ),
        ),
    )

    shown = profdiff(capsys, "--optimization-context-tree", "true", "report", log)

    assert shown == text("""
        Experiment 1
            Collected optimization logs for 1 compilation units

        Method demo.Foo.foo()
            In experiment 1
                1 compilations
                Compilations
                        1
                Compilation unit     1 in experiment 1
                    Optimization-context tree
                        Opt Elsewhere at bci 3
                        Opt Nowhere
                        (root) demo.Foo.foo()
                            Opt InFoo at bci 30 with {unrolled: 2}
                            (inlined) demo.Bar.bar() at bci 1
                                Opt InBar at bci 4
                                Opt UnderBar at bci 6
                                (deleted) demo.Log.log() at bci 0
                            (devirtualized) I.f() at bci 9
                                (inlined) demo.Baz.baz() at bci 9
                                    Opt InDevirtualizedBaz at bci 5
                            (inlined) demo.Baz.baz() at bci 12
                                Warning: Optimizations cannot be unambiguously attributed (duplicate path)
                                Opt InEitherBaz at bci 7
                            (inlined) demo.Baz.baz() at bci 12
                                Warning: Optimizations cannot be unambiguously attributed (duplicate path)
                                Opt InEitherBaz at bci 7
        """)


def test_report_with_a_profile_shows_what_is_hot_and_warns_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_log(
        tmp_path / "log",
        unit(COLD, "8"),
        unit("p.P.v%%runtime(int)", "9"),
        unit("p.P.v(int)", "10"),
        more=b'{"methodName":"x","compila\n',
    )
    offset = (log / "0_7").read_bytes().rindex(b'{"methodName":"x"')
    profile = write_profile(
        tmp_path / "profile.json",
        3_000_000_000,
        entry(900_000_000, "p.P.v(int)", "9"),
        entry(600_000_000, "p.P.v(int)", "10"),
        entry(15_000_000, "demo.C.c()", "8"),
        entry(1_000_000, "demo.Gone.gone()", "99%"),
        executionId="722816",
    )

    shown = profdiff(capsys, "--hot-percentile", "0.6", "report", log, profile)

    first, rest = shown.split("\n", 1)
    assert first.startswith(
        f"Warning: Invalid compilation unit: Failed to parse experiment 1 in {log}/0_7@ offset {offset}: "
    )
    assert rest == text("""
        Warning: Compilation ID 99 not found in the optimization log
        Experiment 1 with execution ID 722816 (JIT)
            Collected optimization logs for 3 compilation units
            Collected proftool data for 4 compilation units
            Graal-compiled methods account for 50.50% of execution
            1 hot compilation units account for 30.00% of execution
            3.00 billion cycles total
            Top methods
                Execution     Cycles  Level      ID  Method
                   30.00%       0.90      4       9  p.P.v(int)
                   20.00%       0.60      4      10  p.P.v(int)
                    0.50%       0.02      4       8  demo.C.c()
                    0.03%       0.00      4      99  demo.Gone.gone()

        Method p.P.v(int)
            In experiment 1
                2 compilations (1 of which are hot)
                Compilations
                        9 of multi-method runtime consumed 59.41% of Graal execution, 30.00% of total *hot*
                       10 consumed 39.60% of Graal execution, 20.00% of total
                Compilation unit     9 of multi-method runtime consumed 59.41% of Graal execution, \
30.00% of total in experiment 1
                    Inlining tree
                        (root) p.P.v(int)
                    Optimization tree
                        RootPhase
        """)


def test_report_of_an_empty_folder_is_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").mkdir()

    assert profdiff(capsys, "report", tmp_path / "log") == (
        "Experiment 1\n    Collected optimization logs for 0 compilation units\n"
    )


def write_two_runs(folder: Path) -> tuple[Path, Path, Path, Path]:
    """A method that calls another: it is inlined in the first run, and compiled alone in the second."""
    inner = call(BAZ, 4, "inlined", call(LOG, 0, "deleted"), reason=["small"])
    log_1 = write_log(
        folder / "log_1",
        unit(
            FOO,
            "10",
            root(FOO, call(BAR, 1, "inlined", inner, reason=["trivial"])),
            phase("RootPhase", phase("Tier1Phase", did("Loop", "Peeling", {BAR: 2, FOO: 1}, peelings=1))),
        ),
        unit(COLD, "12"),
    )
    log_2 = write_log(
        folder / "log_2",
        unit(
            FOO,
            "30",
            root(FOO, call(BAR, 1, "direct", reason=["too big", "relevance too low"])),
            phase(
                "RootPhase",
                phase("Tier1Phase", did("Loop", "Peeling", {FOO: 6}, peelings=1)),
                phase("Tier2Phase", did("Opt", "Event")),
            ),
        ),
        unit(
            BAR,
            "40",
            root(BAR, inner),
            phase("RootPhase", phase("Tier1Phase", did("Loop", "Peeling", {BAR: 2}, peelings=1))),
        ),
        unit(REST, "41"),
    )
    profile_1 = write_profile(
        folder / "profile_1.json",
        200 * BILLION,
        entry(120 * BILLION, FOO, "10"),
        entry(20 * BILLION, COLD, "12"),
        entry(5 * BILLION, "demo.Gone.gone()", "99%"),
        entry(30 * BILLION, "Interpreter"),
        entry(1 * BILLION, "demo.C1.c1()", "7", level=3),
        executionId="1001",
    )
    profile_2 = write_profile(
        folder / "profile_2.json",
        125 * BILLION,
        entry(50 * BILLION, FOO, "30"),
        entry(30 * BILLION, BAR, "40"),
        entry(20 * BILLION, REST, "41"),
    )
    return log_1, profile_1, log_2, profile_2


SUMMARIES = """
        Warning: Compilation ID 99 not found in the optimization log
        Experiment 1 with execution ID 1001 (JIT)
            Collected optimization logs for 2 compilation units
            Collected proftool data for 5 compilation units
            Graal-compiled methods account for 70.00% of execution
            1 hot compilation units account for 60.00% of execution
            200.00 billion cycles total
            Top methods
                Execution     Cycles  Level      ID  Method
                   60.00%     120.00      4      10  demo.Foo.foo()
                   15.00%      30.00                 Interpreter
                   10.00%      20.00      4      12  demo.C.c()
                    2.50%       5.00      4      99  demo.Gone.gone()
                    0.50%       1.00      3       7  demo.C1.c1()

        Experiment 2 (JIT)
            Collected optimization logs for 3 compilation units
            Collected proftool data for 3 compilation units
            Graal-compiled methods account for 80.00% of execution
            2 hot compilation units account for 64.00% of execution
            125.00 billion cycles total
            Top methods
                Execution     Cycles  Level      ID  Method
                   40.00%      50.00      4      30  demo.Foo.foo()
                   24.00%      30.00      4      40  demo.Bar.bar()
                   16.00%      20.00      4      41  demo.R.r()
"""
FOO_LISTS = """
        Method demo.Foo.foo()
            In experiment 1
                1 compilations (1 of which are hot)
                Compilations
                       10 consumed 85.71% of Graal execution, 60.00% of total *hot*
            In experiment 2
                1 compilations (1 of which are hot)
                Compilations
                       30 consumed 50.00% of Graal execution, 40.00% of total *hot*
"""
FOO_VERSUS = """\
            Compilation unit    10 consumed 85.71% of Graal execution, 60.00% of total in experiment 1 vs
            Compilation unit    30 consumed 50.00% of Graal execution, 40.00% of total in experiment 2
"""
BAR_LISTS = """
        Method demo.Bar.bar()
            In experiment 1
                1 compilations (1 of which are hot)
                Compilations
                     10#1 consumed 85.71% of Graal execution, 60.00% of total *hot*
                      |_ a fragment of demo.Foo.foo()
                                       demo.Bar.bar() at bci 1
            In experiment 2
                1 compilations (1 of which are hot)
                Compilations
                       40 consumed 30.00% of Graal execution, 24.00% of total *hot*
"""
BAR_VERSUS = """\
            Compilation fragment  10#1 consumed 85.71% of Graal execution, 60.00% of total in experiment 1 vs
            Compilation unit    40 consumed 30.00% of Graal execution, 24.00% of total in experiment 2
"""


def test_jit_vs_jit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = profdiff(capsys, "jit-vs-jit", *write_two_runs(tmp_path))

    assert shown == text(
        SUMMARIES
        + FOO_LISTS
        + FOO_VERSUS
        + """\
                Inlining tree matching
                    . (root) demo.Foo.foo()
                        * (inlined -> direct) demo.Bar.bar() at bci 1
                            |_ reasoning in experiment 1: trivial
                            |_ reasoning in experiment 2
                                    too big
                                    relevance too low
                            - (inlined) demo.Baz.baz() at bci 4
                                - (deleted) demo.Log.log() at bci 0
                Optimization tree matching
                    . RootPhase
                        . Tier1Phase
                            - Loop Peeling at bci 1 with {peelings: 1}
                            + Loop Peeling at bci 6 with {peelings: 1}
                        + Tier2Phase
                            + Opt Event
"""
        + BAR_LISTS
        + BAR_VERSUS
        + """\
                Inlining tree matching
                    There are no differences
                Optimization tree matching
                    There are no differences
"""
    )


def test_jit_vs_jit_with_identities_reasons_and_long_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--prune-identities=false", "--inliner-reasoning=true", "--long-bci=true")

    shown = profdiff(capsys, *options, "jit-vs-jit", *write_two_runs(tmp_path))

    assert shown == text(
        SUMMARIES
        + FOO_LISTS
        + FOO_VERSUS
        + """\
                Inlining tree matching
                    . (root) demo.Foo.foo()
                        * (inlined -> direct) demo.Bar.bar() at bci 1
                            |_ reasoning in experiment 1: trivial
                            |_ reasoning in experiment 2
                                    too big
                                    relevance too low
                            - (inlined) demo.Baz.baz() at bci 4
                                |_ reasoning: small
                                - (deleted) demo.Log.log() at bci 0
                                    |_ no inlining decisions
                Optimization tree matching
                    . RootPhase
                        . Tier1Phase
                            - Loop Peeling at bci {demo.Bar.bar(): 2, demo.Foo.foo(): 1} with {peelings: 1}
                            + Loop Peeling at bci {demo.Foo.foo(): 6} with {peelings: 1}
                        + Tier2Phase
                            + Opt Event
"""
        + BAR_LISTS
        + BAR_VERSUS
        + """\
                Inlining tree matching
                    . (root) demo.Bar.bar()
                        . (inlined) demo.Baz.baz() at bci 4
                            |_ reasoning in experiment 1: small
                            |_ reasoning in experiment 2: small
                            . (deleted) demo.Log.log() at bci 0
                                |_ no inlining decisions in experiment 1
                                |_ no inlining decisions in experiment 2
                Optimization tree matching
                    . RootPhase
                        . Tier1Phase
                            . Loop Peeling at bci {demo.Bar.bar(): 2} with {peelings: 1}
"""
    )


def test_jit_vs_jit_with_optimization_context_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = profdiff(capsys, "--optimization-context-tree=true", "jit-vs-jit", *write_two_runs(tmp_path))

    assert shown == text(
        SUMMARIES
        + FOO_LISTS
        + FOO_VERSUS
        + """\
                . Optimization-context tree
                    + Opt Event
                    . (root) demo.Foo.foo()
                        + Loop Peeling at bci 6 with {peelings: 1}
                        * (inlined -> direct) demo.Bar.bar() at bci 1
                            |_ reasoning in experiment 1: trivial
                            |_ reasoning in experiment 2
                                    too big
                                    relevance too low
                            - Loop Peeling at bci 2 with {peelings: 1}
                            - (inlined) demo.Baz.baz() at bci 4
                                - (deleted) demo.Log.log() at bci 0
"""
        + BAR_LISTS
        + BAR_VERSUS
        + """\
                There are no differences
"""
    )


def test_jit_vs_jit_without_fragments_has_nothing_to_compare_a_method_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = profdiff(capsys, "--create-fragments", "false", "jit-vs-jit", *write_two_runs(tmp_path))

    assert shown.endswith(
        text("""

        Method demo.Bar.bar() is hot only in experiment 2
            In experiment 1
                No compilations
            In experiment 2
                1 compilations (1 of which are hot)
                Compilations
                       40 consumed 30.00% of Graal execution, 24.00% of total *hot*
        """)
    )


def test_jit_vs_jit_without_comparing_shows_hot_compilations_one_by_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = profdiff(capsys, "--diff-compilations=false", "jit-vs-jit", *write_two_runs(tmp_path))

    assert shown == text(
        SUMMARIES
        + FOO_LISTS
        + """\
            Compilation unit    10 consumed 85.71% of Graal execution, 60.00% of total in experiment 1
                Inlining tree
                    (root) demo.Foo.foo()
                        (inlined) demo.Bar.bar() at bci 1
                            (inlined) demo.Baz.baz() at bci 4
                                (deleted) demo.Log.log() at bci 0
                Optimization tree
                    RootPhase
                        Tier1Phase
                            Loop Peeling at bci 1 with {peelings: 1}
            Compilation unit    30 consumed 50.00% of Graal execution, 40.00% of total in experiment 2
                Inlining tree
                    (root) demo.Foo.foo()
                        (direct) demo.Bar.bar() at bci 1
                Optimization tree
                    RootPhase
                        Tier1Phase
                            Loop Peeling at bci 6 with {peelings: 1}
                        Tier2Phase
                            Opt Event
"""
        + BAR_LISTS
        + """\
            Compilation fragment  10#1 consumed 85.71% of Graal execution, 60.00% of total in experiment 1
                Inlining tree
                    (root) demo.Bar.bar()
                        (inlined) demo.Baz.baz() at bci 4
                            (deleted) demo.Log.log() at bci 0
                Optimization tree
                    RootPhase
                        Tier1Phase
                            Loop Peeling at bci 2 with {peelings: 1}
            Compilation unit    40 consumed 30.00% of Graal execution, 24.00% of total in experiment 2
                Inlining tree
                    (root) demo.Bar.bar()
                        (inlined) demo.Baz.baz() at bci 4
                            (deleted) demo.Log.log() at bci 0
                Optimization tree
                    RootPhase
                        Tier1Phase
                            Loop Peeling at bci 2 with {peelings: 1}
"""
    )


AOT_FOO = """
        Method demo.Foo.foo()
            In experiment 1
                1 compilations (1 of which are hot)
                Compilations
                       10 consumed 85.71% of Graal execution, 60.00% of total *hot*
            In experiment 2
                1 compilations
                Compilations
                       30
            Compilation unit    10 consumed 85.71% of Graal execution, 60.00% of total in experiment 1 vs
            Compilation unit    30 in experiment 2
"""


def test_jit_vs_aot_without_a_profile_takes_what_is_in_hot_units_for_hot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_1, profile_1, log_2, _ = write_two_runs(tmp_path)

    shown = profdiff(capsys, "jit-vs-aot", log_1, profile_1, log_2)

    summary_1 = SUMMARIES.partition("        Experiment 2")[0]
    assert shown.startswith(
        text(
            summary_1
            + """\
        Experiment 2 (AOT)
            Collected optimization logs for 3 compilation units
"""
            + AOT_FOO
        )
    )
    # bar() was inlined in the first run, so it is hot in the second; r() was not
    assert shown.endswith(
        text("""

        Method demo.Bar.bar()
            In experiment 1
                1 compilations (1 of which are hot)
                Compilations
                     10#1 consumed 85.71% of Graal execution, 60.00% of total *hot*
                      |_ a fragment of demo.Foo.foo()
                                       demo.Bar.bar() at bci 1
            In experiment 2
                1 compilations
                Compilations
                       40
            Compilation fragment  10#1 consumed 85.71% of Graal execution, 60.00% of total in experiment 1 vs
            Compilation unit    40 in experiment 2
                Inlining tree matching
                    There are no differences
                Optimization tree matching
                    There are no differences
        """)
    )
    assert "Method demo.R.r()" not in shown


def test_aot_vs_aot_begins_without_a_blank_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_1 = write_log(tmp_path / "log_1", unit("f()", "1"), unit("f()", "2"), unit("g%%k()", "3"))
    log_2 = write_log(tmp_path / "log_2", unit("f()", "1"))
    profile_1 = write_aot_profile(tmp_path / "p1.json", 1000, **{"f()": 100, "g%%k()": 50, "memcpy": 400})
    profile_2 = write_aot_profile(tmp_path / "p2.json", 1000, **{"f()": 700})

    assert main(["decisions", "profdiff", "aot-vs-aot", *map(str, (log_1, profile_1, log_2, profile_2))]) == 0

    shown = capsys.readouterr().out
    explanation, _, rest = shown.partition("Experiment 1")
    assert explanation.splitlines()[-1].lstrip().startswith("- ")
    assert "Experiment 1" + rest == text("""
        Experiment 1 (AOT)
            Collected optimization logs for 3 compilation units
            Collected proftool data for 3 compilation units
            Graal-compiled methods account for 25.00% of execution
            2 hot compilation units account for 20.00% of execution
            0.00 billion cycles total
            Top methods
                Execution     Cycles  Level      ID  Method
                   40.00%       0.00                 memcpy
                   10.00%       0.00                 f()
                    5.00%       0.00                 g%%k()

        Experiment 2 (AOT)
            Collected optimization logs for 1 compilation units
            Collected proftool data for 1 compilation units
            Graal-compiled methods account for 70.00% of execution
            1 hot compilation units account for 70.00% of execution
            0.00 billion cycles total
            Top methods
                Execution     Cycles  Level      ID  Method
                   70.00%       0.00                 f()

        Method f()
            In experiment 1
                2 compilations (2 of which are hot)
                Compilations
                        1 consumed 40.00% of Graal execution, 10.00% of total *hot*
                        2 consumed 40.00% of Graal execution, 10.00% of total *hot*
            In experiment 2
                1 compilations (1 of which are hot)
                Compilations
                        1 consumed 100.00% of Graal execution, 70.00% of total *hot*
            Compilation unit     1 consumed 40.00% of Graal execution, 10.00% of total in experiment 1 vs
            Compilation unit     1 consumed 100.00% of Graal execution, 70.00% of total in experiment 2
                Inlining tree matching
                    There are no differences
                Optimization tree matching
                    There are no differences
            Compilation unit     2 consumed 40.00% of Graal execution, 10.00% of total in experiment 1 vs
            Compilation unit     1 consumed 100.00% of Graal execution, 70.00% of total in experiment 2
                Inlining tree matching
                    There are no differences
                Optimization tree matching
                    There are no differences
        """)


@pytest.mark.parametrize("command", ["aot-vs-aot-jit-profile", "aot-vs-aot-ext-prof"])
def test_aot_vs_aot_by_a_jit_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    log_1, profile_1, log_2, _ = write_two_runs(tmp_path)
    other = write_log(tmp_path / "other", unit(BAR, "5"), unit(COLD, "6"))

    shown = profdiff(capsys, command, log_1, profile_1, other, log_2)

    summary_0 = SUMMARIES.partition("        Experiment 2")[0].replace("Experiment 1", "Experiment 0")
    assert shown == text(
        summary_0
        + """\
        Experiment 1 (AOT)
            Collected optimization logs for 2 compilation units

        Experiment 2 (AOT)
            Collected optimization logs for 3 compilation units

        Method demo.Bar.bar()
            In experiment 1
                1 compilations
                Compilations
                        5
            In experiment 2
                1 compilations
                Compilations
                       40
            Compilation unit     5 in experiment 1 vs
            Compilation unit    40 in experiment 2
                Inlining tree matching
                    . (root) demo.Bar.bar()
                        + (inlined) demo.Baz.baz() at bci 4
                            + (deleted) demo.Log.log() at bci 0
                Optimization tree matching
                    . RootPhase
                        + Tier1Phase
                            + Loop Peeling at bci 2 with {peelings: 1}

        Method demo.Foo.foo() is hot only in experiment 2
            In experiment 1
                No compilations
            In experiment 2
                1 compilations
                Compilations
                       30
"""
    )


def test_trees_that_are_too_big_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = write_two_runs(tmp_path)
    module = import_module("sonde.instruments.decisions.deltas.difference")  # the package has a function of this name
    monkeypatch.setattr(module, "LARGEST_PRODUCT", 1)

    shown = profdiff(capsys, "jit-vs-jit", *runs)
    assert (
        FOO_VERSUS.rstrip("\n").splitlines()[-1].removeprefix("        ")
        + "\n"
        + ("        The inlining trees are too big to compare\n        The optimization trees are too big to compare\n")
        in shown
    )
    shown = profdiff(capsys, "--optimization-context-tree=true", "jit-vs-jit", *runs)
    assert "in experiment 2\n        The optimization-context trees are too big to compare\n" in shown


def test_two_runs_with_nothing_hot_in_common_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_1, log_2 = write_log(tmp_path / "1", unit("f()", "1")), write_log(tmp_path / "2", unit("g()", "1"))
    profile_1 = write_profile(tmp_path / "1.json", 10, entry(5, "f()", "1"))
    profile_2 = write_profile(tmp_path / "2.json", 10, entry(4, "g()", "1"))

    shown = profdiff(capsys, "jit-vs-jit", log_1, profile_1, log_2, profile_2)

    assert [line for line in shown.splitlines() if line.startswith("Method")] == [
        "Method f() is hot only in experiment 1",
        "Method g() is hot only in experiment 2",
    ]
