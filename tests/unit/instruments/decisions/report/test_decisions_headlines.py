"""What an answer says first: the difference that matters, why, and how many more there are."""

from dataclasses import replace

import pytest

from made_decisions import (
    GET,
    WORK,
    called,
    decided,
    graal_run,
    inlined,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
)
from sonde.instruments.decisions.analysis import compare_runs, findings
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import (
    CallSite,
    CompilerKind,
    Decision,
    DecisionRun,
    Outcome,
    Phase,
    SourceRange,
    Trees,
)
from sonde.instruments.decisions.report import comparison_report, run_report
from sonde.render.terminal.report_text import report_text

ALL_HOT = HeatPolicy(percentile=1.0)


def compiled(*parts: tuple[str, int, list[CallSite], list[Decision]], name: str) -> DecisionRun:
    """A C program; of each function its name, its time, its calls and what was decided in it."""
    units = [
        made_unit(number, Trees(root(method, *calls), Phase("all passes", [Phase("p", [*decisions])])), period=period)
        for number, (method, period, calls, decisions) in enumerate(parts)
    ]
    sources = {method: SourceRange("x.c", 1) for method, *_ in parts}
    return replace(made_run(units, kind="llvm", name=name), sources=sources)


def loop(event: str, outcome: Outcome, at: int, method: str = "sum", **more: int) -> Decision:
    return decided("loop-vectorize", event, (method, at), outcome=outcome, **more)


def headline(first: DecisionRun, second: DecisionRun) -> tuple[str, ...]:
    return comparison_report(compare_runs(*made_sides(first, second, ALL_HOT))).headline


FAST_LOOP = [loop("Vectorized", "applied", 7, VectorizationFactor=8)]
SLOW_LOOP = [loop("CantVectorizeLibcall", "analysis", 9), loop("MissedDetails", "missed", 8)]


def test_a_loop_that_is_no_longer_vectorized_is_told_with_its_width_its_line_and_the_reason() -> None:
    first = compiled(("sum", 400, [], FAST_LOOP), name="runs/fast")
    second = compiled(("sum", 400, [], SLOW_LOOP), name="runs/slow")
    assert headline(first, second) == (
        "sum (x.c:7): vectorized in fast (width 8), not in slow (x.c:9):"
        " the loop calls a library function of which there is no vector version.",
    )
    assert headline(second, first)[0].startswith("sum (x.c:7): vectorized in fast (width 8), not in slow (x.c:9)")


def test_what_matters_is_told_before_what_is_only_heavier_by_a_little() -> None:
    hoisted = [decided("licm", "Hoisted", ("main", 3))]
    first = compiled(("main", 450, [], hoisted), ("sum", 400, [], FAST_LOOP), name="fast")
    second = compiled(("main", 450, [], []), ("sum", 400, [], SLOW_LOOP), name="slow")
    told = headline(first, second)
    assert told[0].startswith("sum (x.c:7): vectorized in fast") and told[1] == "1 more difference in 1 unit."


def test_what_hardly_has_time_does_not_come_first_whatever_it_is() -> None:
    hoisted = [decided("licm", "Hoisted", ("main", 3))]
    first = compiled(("main", 450, [], hoisted), ("sum", 40, [], FAST_LOOP), name="fast")
    second = compiled(("main", 450, [], []), ("sum", 40, [], SLOW_LOOP), name="slow")
    assert headline(first, second)[0].startswith("main (x.c:3): licm Hoisted only in fast: ")


def test_what_may_have_kept_a_loop_from_being_vectorized_is_told_second() -> None:
    clobbered = decided("gvn", "LoadClobbered", ("sum", 8), outcome="missed")
    first = compiled(("sum", 400, [], FAST_LOOP), name="fast")
    not_counted = [loop("UnsupportedUncountableLoop", "analysis", 8), loop("MissedDetails", "missed", 8)]
    second = compiled(("sum", 400, [], [*not_counted, clobbered]), name="slow")
    told = headline(first, second)
    assert told[1].startswith("x.c:8: a value that was loaded or stored before is loaded again") and len(told) == 2


def test_what_does_not_explain_it_is_told_as_another_difference() -> None:
    clobbered = decided("gvn", "LoadClobbered", ("sum", 8), outcome="missed")
    reordered = [loop("CantReorderFPOps", "analysis", 9), loop("MissedDetails", "missed", 8)]
    first = compiled(("sum", 400, [], FAST_LOOP), name="fast")
    second = compiled(("sum", 400, [], [*reordered, clobbered]), name="slow")
    assert headline(first, second)[1:] == ("1 more difference in 1 unit.",)


def test_what_was_decided_in_another_order_explains_nothing() -> None:
    start = loop("MissedDetails", "missed", 7)
    here, there = (decided("licm", "Hoisted", ("sum", at)) for at in (8, 9))
    unrolled = [decided("loop-unroll", "PartialUnrolled", ("sum", 7), UnrollCount=count) for count in (2, 4)]
    first = compiled(("sum", 400, [], [start, here, there, unrolled[0]]), name="fast")
    second = compiled(("sum", 400, [], [start, there, here, unrolled[1]]), name="slow")
    found = findings(compare_runs(*made_sides(first, second, ALL_HOT)))
    assert sorted(each.subject or "" for each in found) == ["licm", "loop-unroll"]


def test_that_the_vectorizer_says_something_else_of_a_loop_does_not_explain_how_it_is_unrolled() -> None:
    unrolled = decided("loop-unroll", "PartialUnrolled", ("sum", 8))
    start = loop("MissedDetails", "missed", 8)
    first = compiled(("sum", 400, [], [start, loop("CantReorderFPOps", "analysis", 9)]), name="fast")
    second = compiled(("sum", 400, [], [start, loop("NoInductionVariable", "analysis", 9), unrolled]), name="slow")
    found = findings(compare_runs(*made_sides(first, second, ALL_HOT)))
    assert sorted(each.subject or "" for each in found) == ["loop-unroll", "loop-vectorize"]


def test_a_call_because_of_which_a_loop_is_not_vectorized_is_told_second() -> None:
    first = compiled(("sum", 400, [inlined("scale", 9)], FAST_LOOP), name="fast")
    second = compiled(("sum", 400, [called("scale", 9, reasons=["no definition"])], SLOW_LOOP), name="slow")
    assert headline(first, second)[1:] == ("scale is inlined into sum in fast only: no definition (slow).",)


def test_a_call_that_is_inlined_in_one_run_only_is_told_with_the_reason_and_what_follows() -> None:
    below = called("java.util.Objects.hash(Object)", 2)
    fast = Trees(root(WORK, inlined(GET, 5, below)), Phase("R"))
    slow = Trees(root(WORK, called(GET, 5, reasons=["too big: 612 nodes"])), Phase("R"))
    first, second = (
        made_run([made_unit(0, trees, period=400)], name=name) for trees, name in ((fast, "a"), (slow, "b"))
    )
    assert headline(first, second) == (
        "HashMap.get(Object) is inlined into Hot.work(int) in a only: too big: 612 nodes (b).",
        "1 more difference follows from this one.",
    )


def test_what_was_done_otherwise_on_either_side_is_explained_for_both() -> None:
    kinds = {"ints": "BINARY_OP_ADD_INT", "floats": "BINARY_OP_ADD_FLOAT"}
    first, second = (
        made_run(
            [made_unit(0, Trees(root("add"), Phase("S", [decided("BINARY_OP", event, ("add", 3))])), period=400)],
            kind="cpython",
            name=name,
        )
        for name, event in kinds.items()
    )
    assert headline(first, second) == (
        "add (line 3): BINARY_OP_ADD_INT in ints, BINARY_OP_ADD_FLOAT in floats:"
        " both operands are int (ints), both operands are float (floats).",
    )


def test_that_nothing_differs_is_told_with_how_much_was_compared() -> None:
    assert headline(graal_run(), graal_run()) == ("nothing differs in 2 units.",)


def test_runs_are_called_by_the_part_of_their_paths_in_which_they_differ() -> None:
    first, second = (
        compiled(("sum", 400, [], loops), name=f"/home/ada/{name}/run")
        for loops, name in ((FAST_LOOP, "base"), (SLOW_LOOP, "change"))
    )
    report = comparison_report(compare_runs(*made_sides(first, second, ALL_HOT)))
    assert report.title == "base (A) and change (B)"
    assert "vectorized in base (width 8), not in change" in report.headline[0]


def test_of_one_run_the_hottest_unit_and_what_was_missed_in_it_are_told() -> None:
    calls = [inlined("twice", 3), called("big", 4)]
    run = compiled(("main", 100, [], []), ("sum", 620, calls, [*SLOW_LOOP, *FAST_LOOP]), name="slow")
    assert run_report(made_experiment(run, 1, ALL_HOT)).headline == (
        "sum has 62.0% of the time: 1 of 2 calls inlined, 1 optimization, 1 missed.",
        "sum (x.c:9) is not vectorized: the loop calls a library function of which there is no vector version.",
    )


def test_the_answer_is_in_the_first_lines() -> None:
    first = compiled(("sum", 400, [], FAST_LOOP), name="runs/fast")
    second = compiled(("sum", 400, [], SLOW_LOOP), name="runs/slow")
    report = comparison_report(compare_runs(*made_sides(first, second, ALL_HOT)))
    lines = report_text(report, columns=80).splitlines()
    assert " ".join(" ".join(lines[1:3]).split()) == report.headline[0]


@pytest.mark.parametrize("kind", ["llvm", "hotspot", "graal", "cpython"])
def test_sentences_of_the_glossary_fit_into_two_lines(kind: CompilerKind) -> None:
    long = [
        sentence
        for _, each in glossary_of(kind).entries()
        for sentence in each.says.split(". ")
        if len(sentence) > 2 * 80 - 4
    ]
    assert long == []
