"""Code that moved within its method, and code that only seems to have."""

import pytest

from made_decisions import called, decided, inlined, made_run, made_unit, root
from sonde.instruments.decisions.alignment import Alignment, align, aligned_run, aligned_trees
from sonde.instruments.decisions.model import (
    CallSite,
    Decision,
    Phase,
    ReceiverProfile,
    ReceiverType,
    SourceRange,
    Trees,
)

Calls = dict[int, str]


def trees_of(calls: Calls, decisions: Calls | None = None) -> Trees:
    made = [decided(name, "Event", ("f", at)) for at, name in (decisions or {}).items()]
    return Trees(root("f", *(called(name, at) for at, name in calls.items())), Phase("all", [*made]))


def offsets(
    first: tuple[Calls, Calls] | Calls, second: tuple[Calls, Calls] | Calls, sources: tuple[int, int] | None = None
) -> dict[int, int]:
    sides = [trees_of(*side) if isinstance(side, tuple) else trees_of(side) for side in (first, second)]
    lines = [{"f": SourceRange("f.c", line)} for line in sources] if sources else [None, None]
    return dict(align([sides[0]], [sides[1]], *lines).offsets.get("f", {}))


@pytest.mark.parametrize("move", [1, 7, -2])
def test_all_that_moved_equally_far_moves_back(move: int) -> None:
    first: tuple[Calls, Calls] = ({3: "g", 5: "h"}, {4: "Peel", 9: "Read"})
    second = tuple({at + move: name for at, name in each.items()} for each in first)
    assert offsets(first, (second[0], second[1])) == {at + move: at for at in (3, 4, 5, 9)}


def test_one_call_that_moved_is_enough_if_nothing_stayed() -> None:
    assert offsets({3: "g"}, {5: "g"}) == {5: 3}
    assert offsets(({3: "g"}, {8: "Peel"}), ({5: "g"}, {8: "Peel"})) == {}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({3: "g", 5: "h"}, {3: "g", 5: "h"}),
        ({3: "g", 5: "h"}, {3: "g"}),
        ({5: "h"}, {3: "h", 5: "h", 9: "g"}),
        ({3: "g", 5: "h"}, {3: "g", 9: "h"}),
        ({3: "g", 5: "h"}, {3: "h", 5: "g"}),
        ({3: "g"}, {5: "h"}),
        ({}, {5: "h"}),
    ],
)
def test_what_staying_explains_did_not_move(first: Calls, second: Calls) -> None:
    """One run may have compiled more than the other."""
    assert offsets(first, second) == {}
    assert offsets(second, first) == {}


def test_what_is_behind_a_new_line_moves() -> None:
    first = ({3: "g", 5: "h", 9: "i", 12: "g"}, {2: "Peel", 10: "Read", 20: "Read"})
    second = ({3: "g", 8: "h", 12: "i", 15: "g"}, {2: "Peel", 13: "Read", 23: "Read"})
    assert offsets(first, second) == {8: 5, 12: 9, 13: 10, 15: 12, 23: 20}


def test_between_two_anchors_a_decision_goes_where_it_was_made() -> None:
    first = ({3: "g", 4: "g2", 9: "h", 10: "i"}, {6: "Peel", 8: "Read"})
    second = ({3: "g", 4: "g2", 12: "h", 13: "i"}, {6: "Peel", 11: "Read"})
    assert offsets(first, second) == {11: 8, 12: 9, 13: 10}


def test_a_block_that_seems_to_have_moved_while_decisions_in_it_stayed_did_not() -> None:
    first = ({3: "a", 5: "b", 20: "g", 24: "h"}, {9: "Peel", 21: "Read"})
    second = ({3: "a", 5: "b", 9: "g", 13: "h"}, {9: "Peel", 21: "Read"})
    assert offsets(first, second) == {}


def test_decisions_alone_tell_of_a_move_only_if_they_all_moved() -> None:
    assert offsets(({}, {3: "Peel", 5: "Read"}), ({}, {4: "Peel", 6: "Read"})) == {4: 3, 6: 5}
    assert offsets(({}, {3: "Peel", 5: "Read"}), ({}, {4: "Peel", 5: "Read"})) == {}
    assert offsets(({}, {3: "Peel"}), ({}, {4: "Peel"})) == {}


def test_where_the_method_begins_is_believed() -> None:
    assert offsets(({}, {3: "Peel"}), ({}, {4: "Peel"}), sources=(1, 2)) == {4: 3}
    assert offsets(({}, {3: "Peel"}), ({}, {4: "Peel"}), sources=(1, 1)) == {}
    alike, moved = {3: "g", 5: "g", 7: "g"}, {5: "g", 7: "g", 9: "g"}
    assert offsets(alike, moved) == {}  # nearly as many stayed
    assert offsets(alike, moved, sources=(1, 3)) == {5: 3, 7: 5, 9: 7}


def test_places_that_are_the_compilers_own_do_not_move() -> None:
    first, second = trees_of({3: "g", -1: "s"}, {-6: "Start"}), trees_of({5: "g", -1: "s"}, {-6: "Start"})
    found = align([first], [second])
    assert found.offsets == {"f": {5: 3}}
    assert found.place("f", -6) == -6


def test_callees_may_have_other_names() -> None:
    first, second = trees_of({3: "a$$Lambda/0x1111.f()", 9: "g"}), trees_of({5: "a$$Lambda/0x2222.f()", 11: "g"})
    found = align([first], [second])
    assert found.offsets == {"f": {5: 3, 11: 9}}
    assert aligned_trees(second, found) == first


def example(*, moved: int, name: str) -> Trees:
    profile = ReceiverProfile(True, (ReceiverType("T", 1.0, name), ReceiverType("U", 0.0)))
    switched = CallSite("I.go()", 4 + moved, indirect=True, receivers=profile)
    switched.children = [inlined(name, 4 + moved, called("h", 2))]
    decisions: list[Phase | Decision] = [decided("A", "B", (name, 2), ("f", 4 + moved), n=1), Phase("inner", [])]
    return Trees(root("f", switched, called("k", 8 + moved), called(None, -5)), Phase("all", decisions))


def test_trees_are_told_in_the_words_of_the_first_run() -> None:
    """Calls below one that was made direct are in the method that it is in."""
    first, second = example(moved=0, name="L$$Lambda/0xaaaa.go()"), example(moved=3, name="L$$Lambda/0xbbbb.go()")
    found = align([first], [second])
    assert found.names == {"L$$Lambda/0xbbbb.go()": "L$$Lambda/0xaaaa.go()"}
    assert found.offsets == {"f": {7: 4, 11: 8}}
    assert aligned_trees(second, found) == first
    assert second == example(moved=3, name="L$$Lambda/0xbbbb.go()")


def test_runs_are_told_in_the_words_of_the_first_run() -> None:
    def run(moved: int, name: str) -> Trees:
        return Trees(root(name, called("g", 3 + moved)), Phase("all"))

    first, second = run(0, "L$$Lambda/0xaaaa.go()"), run(1, "L$$Lambda/0xbbbb.go()")
    whole = made_run([made_unit(0, second, period=5)], sources={"L$$Lambda/0xbbbb.go()": SourceRange("L", 2)})
    told = aligned_run(whole, align([first], [second]))
    assert [unit.method for unit in told.units] == ["L$$Lambda/0xaaaa.go()"]
    assert told.units[0].load() == first and told.units[0].period == 5
    assert list(told.sources) == ["L$$Lambda/0xaaaa.go()"]
    assert whole.units[0].method == "L$$Lambda/0xbbbb.go()"


def test_a_run_that_calls_everything_the_same_stays_as_it_is() -> None:
    run = made_run([made_unit(0, trees_of({3: "g"}))])
    assert Alignment().is_identity and aligned_run(run, Alignment()) is run
