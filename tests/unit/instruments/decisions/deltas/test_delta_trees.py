"""Delta trees of decisions: the figures of the paper (document 003), and which nodes are equal."""

from dataclasses import replace
from textwrap import dedent

import pytest

from decision_texts import delta_text
from labelled_trees import POLICY, Labelled, tree_of
from made_decisions import called, decided, inlined, root
from sonde.instruments.decisions.deltas import (
    CONTEXT,
    INLINING,
    LARGEST_PRODUCT,
    OPTIMIZATIONS,
    DeltaNode,
    Edit,
    difference,
    edit_distance,
    pruned,
    tree_size,
)
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase, Place

MAIN, EQUAL, PARSE_INT = "Example.main(String[])", "Example.literalsEqual(int)", "Integer.parseInt(String)"
INIT, NEXT, PARSE = "Scanner.init(InputStream)", "Scanner.nextLine()", "JSONParser.parse(String)"
EQUALS, PRINT = "Object.equals(Object)", "PrintStream.println(boolean)"


def canonical(*lines: int) -> list[Phase | Decision]:
    return [decided("CanonicalReplacement", "", (EQUAL, line)) for line in lines]


def test_figure_6_shows_that_phases_changed_places() -> None:
    peeling = decided("LoopPeeling", "", (EQUAL, 12))
    baseline = Phase(
        "RootPhase",
        [Phase("LoopPeelingPhase", [peeling]), Phase("IncrementalCanonicalizerPhase", canonical(12, 15))],
    )
    regressed = Phase("RootPhase", [Phase("IncrementalCanonicalizerPhase"), Phase("LoopPeelingPhase", [peeling])])
    delta = difference(baseline, regressed, OPTIMIZATIONS)
    assert delta is not None
    expected = """\
        . RootPhase
          + IncrementalCanonicalizerPhase
          . LoopPeelingPhase
            . LoopPeeling line 12
          - IncrementalCanonicalizerPhase
            - CanonicalReplacement line 12
            - CanonicalReplacement line 15"""
    assert delta_text(delta) == dedent(expected)
    assert edit_distance(baseline, regressed, OPTIMIZATIONS) == 4


def test_figure_7_shows_what_was_inlined_and_what_is_in_it() -> None:
    initial = root(MAIN, called(PARSE_INT, 5), called(EQUAL, 7), called(PRINT, 7))
    within = [called(INIT, 10), called(NEXT, 13), called(PARSE, 14), called(EQUALS, 17, indirect=True)]
    further = root(MAIN, called(PARSE_INT, 5), inlined(EQUAL, 7, *within), called(PRINT, 7))
    delta = difference(initial, further, INLINING)
    assert delta is not None
    expected = """\
        . (root) Example.main(String[])
          . (direct) Integer.parseInt(String) line 5
          * (direct -> inlined) Example.literalsEqual(int) line 7
            + (direct) Scanner.init(InputStream) line 10
            + (direct) Scanner.nextLine() line 13
            + (direct) JSONParser.parse(String) line 14
            + (indirect) Object.equals(Object) line 17
          . (direct) PrintStream.println(boolean) line 7"""
    assert delta_text(delta) == dedent(expected)
    assert edit_distance(initial, further, INLINING) == 5


def in_context(call: CallSite, *decisions: Decision) -> ContextNode:
    below = [in_context(child) for child in call.children]
    return ContextNode(call, [*(ContextNode(decision) for decision in decisions), *below])


def test_listing_10_shows_both_kinds_of_decisions() -> None:
    """But for the two calls of `println`, which are equal: the paper's delta keeps the second, where ours deletes the
    last that it can, as Graal's own tool does."""
    duplicated = root(
        MAIN, called(PARSE_INT, 5), called(EQUAL, 7), called(EQUAL, 7), called(PRINT, 7), called(PRINT, 7)
    )
    loop = [called(NEXT, 13)] * 2 + [called(PARSE, 14)] * 2
    within = [called(INIT, 10), *loop, called(EQUALS, 17, alive=False), called(EQUALS, 17, indirect=True)]
    equal = inlined(EQUAL, 7, *within)
    peeling = [decided("LoopPeeling", "", (EQUAL, 12), (MAIN, 7), peelings=1)]
    peeling += [decided("CanonicalReplacement", "", (EQUAL, line), (MAIN, 7)) for line in (12, 15)]
    left = in_context(duplicated, decided("Duplication", "", (MAIN, 7)))
    right = ContextNode(
        root(MAIN, called(PARSE_INT, 5), equal, called(PRINT, 7)),
        [in_context(called(PARSE_INT, 5)), in_context(equal, *peeling), in_context(called(PRINT, 7))],
    )
    delta = difference(left, right, CONTEXT)
    assert delta is not None
    expected = """\
        . (root) Example.main(String[])
          - Duplication line 7
          . (direct) Integer.parseInt(String) line 5
          * (direct -> inlined) Example.literalsEqual(int) line 7
            + LoopPeeling line 12 with {peelings: 1}
            + CanonicalReplacement line 12
            + CanonicalReplacement line 15
            + (direct) Scanner.init(InputStream) line 10
            + (direct) Scanner.nextLine() line 13
            + (direct) Scanner.nextLine() line 13
            + (direct) JSONParser.parse(String) line 14
            + (direct) JSONParser.parse(String) line 14
            + (deleted) Object.equals(Object) line 17
            + (indirect) Object.equals(Object) line 17
          - (direct) Example.literalsEqual(int) line 7
          . (direct) PrintStream.println(boolean) line 7
          - (direct) PrintStream.println(boolean) line 7"""
    assert delta_text(delta) == dedent(expected)
    assert edit_distance(left, right, CONTEXT) == 14


@pytest.mark.parametrize(
    "other",
    [
        called("g", 4),
        called("h", 3),
        called(None, 3),
        replace(called("g", 3), column=2),
    ],
)
def test_another_call_is_no_change_of_this_one(other: CallSite) -> None:
    delta = difference(root("f", called("g", 3)), root("f", other), INLINING)
    assert delta is not None
    assert [child.edit for child in delta.children] == [Edit.DELETED, Edit.INSERTED]


@pytest.mark.parametrize(
    "other",
    [inlined("g", 3), called("g", 3, indirect=True), called("g", 3, alive=False)],
    ids=["in", "indirect", "dead"],
)
def test_a_call_that_became_something_else_is_changed(other: CallSite) -> None:
    for left, right in ((root("f", called("g", 3)), root("f", other)), (root("f", other), root("f", called("g", 3)))):
        delta = difference(left, right, INLINING)
        assert delta is not None
        assert [child.edit for child in delta.children] == [Edit.CHANGED]


def test_reasons_and_receivers_take_no_part() -> None:
    left, right = root("f", called("g", 3, reasons=["cold"])), root("f", called("g", 3, reasons=["too big", "cold"]))
    delta = difference(left, right, INLINING)
    assert delta is not None and pruned(delta) is None


def test_decisions_are_equal_whatever_the_order_of_their_properties() -> None:
    here = (Place("f", 3),)
    one = Decision("A", "B", here, (("x", 1), ("y", None)))
    equal = Decision("A", "B", here, (("y", None), ("x", 1)))
    others: list[Decision | Phase] = [
        Decision("A", "B", here, (("x", True), ("y", None))),
        Decision("A", "B", here, (("x", 1.0), ("y", None))),
        Decision("A", "B", here, (("x", 1),)),
        Decision("A", "B", here, (("x", "1"),)),
        Decision("A", "B", here),
        Decision("A", "B", (), (("x", 1), ("y", None))),
        Decision("A", "B", here, outcome="missed"),
        Phase("A"),
    ]
    labels = [OPTIMIZATIONS.label(node) for node in (one, *others)]
    assert OPTIMIZATIONS.label(one) == OPTIMIZATIONS.label(equal)
    assert len(set(labels)) == len(labels)


def test_notes_are_equal_by_their_text_and_nothing_else_is() -> None:
    nodes = [ContextNode(content) for content in (Note("f"), Note("g"), called("f", 3), Decision("f", ""))]
    assert len({CONTEXT.label(node) for node in nodes}) == 4
    assert CONTEXT.label(nodes[0]) == CONTEXT.label(ContextNode(Note("f"), nodes))


def test_roots_are_matched_even_if_they_have_nothing_in_common() -> None:
    delta = difference(root("f", called("h", 1)), root("g", called("h", 1)), INLINING)
    assert delta is not None
    assert delta.edit is Edit.CHANGED and delta.children[0].edit is Edit.SAME
    assert edit_distance(root("f"), root("g"), INLINING) == 10**9


def test_what_was_inserted_is_listed_whole() -> None:
    delta = difference(tree_of(("a", ())), tree_of(("a", (("b", (("c", ()),)),))), POLICY)
    assert delta is not None
    inner: DeltaNode[Labelled] = delta.children[0].children[0]
    assert (inner.edit, inner.left, inner.node.label) == (Edit.INSERTED, None, "c")


def test_trees_that_are_too_big_are_not_compared() -> None:
    def wide(count: int) -> Labelled:
        return Labelled("r", [Labelled("1")] * (count - 1))

    assert LARGEST_PRODUCT == 10_000**2
    assert difference(wide(10_000), wide(10_000), POLICY) is not None
    assert difference(wide(10_000), wide(10_001), POLICY) is None
    with pytest.raises(ValueError, match="too many"):
        edit_distance(wide(10_000), wide(10_001), POLICY)


def test_deep_trees_are_no_matter() -> None:
    def chain(depth: int, last: str) -> Labelled:
        node = Labelled(last)
        for _ in range(depth - 1):
            node = Labelled("1", [node])
        return node

    delta = difference(chain(9_999, "a1"), chain(9_999, "a2"), POLICY)
    assert delta is not None
    kept = pruned(delta)
    assert kept is not None and tree_size(kept, lambda node: node.children) == 9_999


def test_the_right_tree_may_be_looked_at_in_another_way() -> None:
    other = replace(INLINING, label=lambda call: (call.at - 10, call.column, call.method, str(call.kind)))
    left, right = root("f", called("g", 3)), root("f", called("g", 13))
    left.at, right.at = 0, 10
    delta = difference(left, right, INLINING, other)
    assert delta is not None and pruned(delta) is None
