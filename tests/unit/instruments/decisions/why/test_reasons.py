"""What is said to have led to a difference."""

import pytest

from made_decisions import GET, HASH, WORK, called, decided, graal_run, inlined, root
from sonde.instruments.decisions.deltas import CONTEXT, INLINING, OPTIMIZATIONS, DeltaNode, Edit, difference
from sonde.instruments.decisions.experiments import TreeOptions, context_tree, prepared
from sonde.instruments.decisions.model import CallSite, Decision, Phase, ReceiverProfile, ReceiverType, Trees
from sonde.instruments.decisions.why import MOST_LINES, WIDEST, Background, call_reasons, decision_reasons, reasons_for


def profile(*types: tuple[str, float], mature: bool = True) -> ReceiverProfile:
    return ReceiverProfile(mature, tuple(ReceiverType(name, probability) for name, probability in types))


def receivers(left: ReceiverProfile | None, right: ReceiverProfile | None) -> list[str]:
    calls = [called("f", 3, indirect=True, receivers=each) for each in (left, right)]
    return call_reasons(calls[0], calls[1])


def test_the_inliner_is_quoted_on_both_sides() -> None:
    left, right = inlined("f", 3, reasons=["too early", "trivial"]), called("f", 3, reasons=["too big: 612 nodes"])
    assert call_reasons(left, right) == [
        "the first run, inlined: too early; trivial",
        "the second run, direct: too big: 612 nodes",
    ]
    assert call_reasons(left, right, ("A", "B"))[1] == "B, direct: too big: 612 nodes"
    assert call_reasons(None, right) == ["the second run, direct: too big: 612 nodes"]
    assert call_reasons(called("f", 3), None) == []


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (profile(("a.X", 1.0)), profile(("a.X", 1.0)), []),
        (profile(("a.X", 1.0)), profile(("a.X", 0.88), ("a.b.Y", 0.12)), ["the second run saw new type b.Y (12%)"]),
        (profile(("X", 0.5), ("Y", 0.5)), profile(("X", 1.0)), ["the first run saw type Y (50%)"]),
        (
            profile(("X", 1.0)),
            profile(("Z", 1.0)),
            ["the second run saw new type Z (100%)", "the first run saw type X (100%)"],
        ),
        (
            profile(("X", 0.9), ("Y", 0.1)),
            profile(("X", 0.4), ("Y", 0.6)),
            ["receiver X: 90% in the first run, 40% in the second run"],
        ),
        (profile(("X", 0.9), ("Y", 0.1)), profile(("X", 0.88), ("Y", 0.12)), []),
        (
            profile(("X", 1.0), mature=False),
            profile(("X", 1.0)),
            ["receivers: the first run had seen too few calls for a mature profile, the second run enough"],
        ),
        (None, profile(("X", 1.0)), ["receivers known in the second run only: X 100%"]),
        (None, None, []),
    ],
)
def test_receivers_are_compared(
    left: ReceiverProfile | None, right: ReceiverProfile | None, expected: list[str]
) -> None:
    assert receivers(left, right) == expected


def test_many_new_types_are_counted() -> None:
    types = [(f"T{number}", 0.2) for number in range(5)]
    assert receivers(profile(), profile(*types)) == [
        "the second run saw new type T0 (20%), T1 (20%), T2 (20%), and 2 more"
    ]


def background(first: Trees, second: Trees) -> Background:
    return Background(*(prepared(trees, TreeOptions()) for trees in (first, second)))


def fast_and_slow() -> Background:
    fast, slow = (graal_run(is_fast=is_fast).units[0].load() for is_fast in (True, False))
    return background(fast, slow)


def first_decision(root: Phase, name: str) -> Decision:
    waiting: list[Phase | Decision] = [root]
    for node in waiting:
        if isinstance(node, Phase):
            waiting.extend(node.children)
        elif node.name == name:
            return node
    raise AssertionError(name)


def test_code_that_was_not_inlined_had_nothing_to_optimize() -> None:
    both = fast_and_slow()
    spared = first_decision(both.trees[0].optimizations, "PartialEscapeLog")
    assert decision_reasons(spared, Edit.DELETED, both) == [
        "the second run did not inline HashMap.get(Object) at 5 in Hot.work(int) (direct: too big: 612 nodes)"
    ]


def test_the_outermost_call_that_was_not_inlined_is_named() -> None:
    position = ((HASH, 1), (GET, 2), (WORK, 5))
    decision = decided("A", "B", *position)
    first = Trees(root(WORK, inlined(GET, 5, inlined(HASH, 2))), Phase("all", [decision]))
    for calls, expected in (
        (root(WORK), "the second run has no call of HashMap.get(Object) at 5 in Hot.work(int)"),
        (root(WORK, inlined(GET, 5)), "the second run has no call of HashMap.hash(Object) at 2 in HashMap.get(Object)"),
        (
            root(WORK, inlined(GET, 5, called(HASH, 2, indirect=True))),
            "the second run did not inline HashMap.hash(Object) at 2 in HashMap.get(Object) (indirect)",
        ),
    ):
        assert decision_reasons(decision, Edit.DELETED, background(first, Trees(calls, Phase("all")))) == [expected]


def test_calls_that_were_made_direct_are_found_where_they_were() -> None:
    decision = decided("A", "B", ("g", 1), ("f", 3))
    switched = CallSite("I.g", 3, indirect=True, children=[inlined("g", 3)])
    both = background(Trees(root("f"), Phase("all")), Trees(root("f", switched), Phase("all", [decision])))
    assert decision_reasons(decision, Edit.INSERTED, both) == ["the first run has no call of g at 3 in f"]
    same = background(Trees(root("f", switched), Phase("all")), Trees(root("f", switched), Phase("all", [decision])))
    assert decision_reasons(decision, Edit.INSERTED, same) == []


def test_a_phase_that_ran_less_often_is_named() -> None:
    decision = decided("A", "B", ("f", 1))
    first = Trees(root("f"), Phase("all", [Phase("Peeling", [decision]), Phase("Peeling")]))
    second = Trees(root("f"), Phase("all", [Phase("Peeling")]))
    lines = decision_reasons(decision, Edit.DELETED, background(first, second))
    assert lines[0] == "Peeling ran 2 times in the first run, once in the second run"


def test_what_differed_before_it_is_named() -> None:
    def trees(*phases: Phase) -> Trees:
        return Trees(root("f"), Phase("all", [*phases]))

    peeling, reading = decided("Peel", "Loop", ("f", 12)), decided("Read", "Float", ("f", 14))
    elsewhere = decided("Peel", "Loop", ("g", 2), ("f", 3))
    first = trees(Phase("One", [elsewhere, peeling]), Phase("Two", [reading]))
    both = background(first, trees(Phase("One"), Phase("Two")))
    inlined_too = Trees(root("f", inlined("g", 3)), first.optimizations)
    assert decision_reasons(reading, Edit.DELETED, both) == [
        "what differed first before it: Peel Loop at 12 in f, in the first run only"
    ]
    assert decision_reasons(elsewhere, Edit.DELETED, background(inlined_too, inlined_too)) == []


def every(delta: DeltaNode[CallSite] | None) -> list[DeltaNode[CallSite]]:
    assert delta is not None
    nodes = [delta]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def test_lines_are_few_and_short() -> None:
    long = "a.very.long.pack.age." + "Name" * 40 + ".method(" + ", ".join(["Type"] * 40) + ")"
    types = [(f"{long}{number}", 0.1) for number in range(10)]
    left = called(long, 3, reasons=["because " * 40], receivers=profile(*types[:5], mature=False), indirect=True)
    right = inlined(long, 3, reasons=["because " * 40] * 9)
    right.receivers = profile(*types[5:])
    for node in every(difference(root("f", left), root("f", right), INLINING)):
        lines = reasons_for(node)
        assert len(lines) <= MOST_LINES and all(len(line) <= WIDEST for line in lines)
        assert bool(lines) == (node.edit is not Edit.SAME)


def test_nodes_of_all_trees_are_told_about() -> None:
    both = fast_and_slow()
    contexts = [context_tree(trees) for trees in both.trees]
    in_context = difference(contexts[0], contexts[1], CONTEXT)
    optimizations = difference(both.trees[0].optimizations, both.trees[1].optimizations, OPTIMIZATIONS)
    assert in_context is not None and optimizations is not None
    assert reasons_for(in_context, both) == []
    told = set()
    nodes = [in_context]
    for node in nodes:
        nodes.extend(node.children)
        told.update(reasons_for(node, both))
    phases = [optimizations]
    for phase in phases:
        phases.extend(phase.children)
        assert set(reasons_for(phase, both)) <= told
        assert reasons_for(phase) == []
    assert "the second run, direct: too early; too big: 612 nodes" in told
    assert any(line.startswith("the second run did not inline") for line in told)
