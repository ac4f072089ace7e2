"""The hot tree by hand: small streams, with every step of the algorithm written down. Both cores."""

from array import array
from typing import Literal, Protocol

import pytest

import sonde._native
from hot_oracles import Row, fed, rows_of
from sonde.events import EventBatch
from sonde.native import HotTree, new_hot_tree
from sonde.native.reference_hot import ReferenceHotTree


class MakeTree(Protocol):
    """Either core."""

    def __call__(
        self, metric: Literal["calls", "time"], counters: int | None, nodes: int | None, space_saving: bool = False
    ) -> HotTree: ...


CORES = pytest.mark.parametrize("make", [sonde._native.HotTree, ReferenceHotTree], ids=["native", "python"])
A, B, C, D = range(4)


def calls(text: str, *, thread: int = 0) -> EventBatch:
    """`a` enters, `<` leaves, `A` is found, `!` is lost; each takes one nanosecond."""
    batch = EventBatch()
    for now, letter in enumerate(text):
        if letter == "<":
            batch.leave(thread=thread, time_ns=now)
        elif letter == "!":
            batch.lost(thread=thread, time_ns=now)
        elif letter.isupper():
            batch.found(thread=thread, function=ord(letter) - ord("A"), call_line=0, time_ns=now)
        else:
            batch.enter(thread=thread, function=ord(letter) - ord("a"), call_line=0, time_ns=now)
    return batch


def path(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((ord(letter) - ord("a"), 0) for letter in text)


@CORES
def test_the_least_makes_way_and_what_it_counted_goes_to_its_caller(make: MakeTree) -> None:
    tree = fed(make("calls", 2, None, True), calls("ab<b<c<c<"))

    assert rows_of(tree) == {
        path("a"): Row(calls=1, total_calls=5, ns=4, total_ns=8, error=0),  # made way to c; it runs, so it stays
        path("ab"): Row(calls=2, total_calls=2, ns=2, total_ns=2, error=0),
        path("ac"): Row(calls=2, total_calls=2, ns=2, total_ns=2, error=1),
    }
    assert (tree.floor, tree.monitored, tree.nodes) == (1, 2, 3)


@CORES
def test_a_context_that_comes_back_has_the_floor_for_its_error(make: MakeTree) -> None:
    tree = fed(make("calls", 1, None, True), calls("a<b<a<"))

    assert rows_of(tree) == {path("a"): Row(calls=1, total_calls=1, ns=1, total_ns=1, error=2)}
    assert (tree.floor, tree.unlisted) == (2, (2, 2))


@CORES
def test_compaction_prunes_what_is_light_and_the_floor_rises_to_it(make: MakeTree) -> None:
    tree = fed(make("calls", 4, 8), calls("a" + "b<" * 20 + "c<d<e<f<g<h<"))
    assert (tree.nodes, tree.floor) == (8, 0)

    fed(tree, calls("i<"))  # 27 calls, four counters: up to six

    assert rows_of(tree) == {
        path("a"): Row(calls=1, total_calls=28, ns=26, total_ns=52, error=0),  # its caller, however light
        path("ab"): Row(calls=20, total_calls=20, ns=20, total_ns=20, error=0),
        path("ai"): Row(calls=1, total_calls=1, ns=0, total_ns=0, error=1),
    }
    assert (tree.nodes, tree.floor, tree.dropped) == (3, 1, 0)


@CORES
def test_compaction_lets_the_lightest_go_when_all_are_heavy(make: MakeTree) -> None:
    tree = fed(make("calls", 100, 8), calls("a<" * 9 + "b<" * 8 + "c<" * 7 + "d<" * 6 + "e<" * 5 + "f<" * 4 + "g<g<h<"))

    fed(tree, calls("i<"))

    assert {context: row.calls for context, row in rows_of(tree).items()} == {
        path("a"): 9, path("b"): 8, path("c"): 7, path("d"): 6, path("e"): 5, path("f"): 4, path("i"): 1
    }  # fmt: skip
    assert (tree.floor, tree.nodes) == (2, 7)


@CORES
def test_compaction_leaves_what_runs(make: MakeTree) -> None:
    tree = fed(make("calls", 1, 2), calls("a", thread=1), calls("b<c<d<"))

    assert rows_of(tree)[path("a")].calls == 1
    assert (tree.dropped, tree.nodes, tree.floor) == (0, 2, 2)  # b, then c with b's floor


@CORES
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
def test_no_limit_is_too_small_for_one_context_after_another(make: MakeTree, nodes: int) -> None:
    tree = fed(make("time", 1000, nodes), calls("a<b<c<d<e<f<g<h<" * 5))

    assert tree.dropped == 0
    assert 0 < tree.nodes <= nodes


@CORES
def test_what_was_found_is_no_call_and_nothing_passes_between_lost_and_found(make: MakeTree) -> None:
    batch = calls("ab!")
    batch.found(thread=0, function=A, call_line=0, time_ns=100)
    batch.found(thread=0, function=C, call_line=0, time_ns=100)
    batch.leave(thread=0, time_ns=103)

    tree = fed(make("time", 9, 9), batch)

    assert rows_of(tree) == {
        path("a"): Row(calls=1, total_calls=2, ns=1, total_ns=5, error=0),
        path("ab"): Row(calls=1, total_calls=1, ns=1, total_ns=1, error=0),
        path("ac"): Row(calls=0, total_calls=0, ns=3, total_ns=3, error=0),
    }


@CORES
def test_calls_beyond_the_nodes_are_dropped_and_said(make: MakeTree) -> None:
    tree = fed(make("calls", 9, 1), calls("abc<<<d<"))

    assert (tree.dropped, tree.dropped_ns, tree.total_calls, tree.total_ns) == (2, 3, 2, 6)
    assert rows_of(tree) == {path("d"): Row(calls=1, total_calls=1, ns=1, total_ns=1, error=1)}
    assert (tree.floor, tree.unlisted) == (1, (1, 5))


@CORES
def test_time_of_a_thread_that_found_no_room_at_all_is_kept_at_the_top(make: MakeTree) -> None:
    tree = fed(make("time", 9, 1), calls("a", thread=1), calls("b<"))

    assert (tree.dropped, tree.dropped_ns, tree.unlisted) == (1, 1, (0, 1))


@CORES
def test_merging_monitors_what_runs_here_and_is_heavy_there(make: MakeTree) -> None:
    here, there = fed(make("calls", 2, None, True), calls("A")), fed(make("calls", 2, None, True), calls("a<" * 9))

    here.merge(there, array("I", range(4)))
    fed(here, calls("<b<c<"))

    assert rows_of(here)[path("a")].calls == 9


@CORES
def test_merging_drops_what_only_ran_there(make: MakeTree) -> None:
    here, there = make("calls", 2, 2, True), fed(make("calls", 2, 2, True), calls("AB"))

    here.merge(there, array("I", range(4)))

    assert here.nodes == 0


@CORES
def test_errors_add_up_where_one_side_does_not_know_a_context(make: MakeTree) -> None:
    here = fed(make("calls", 2, None, True), calls("a<b<c<"))
    there = fed(make("calls", 2, None, True), calls("d<d<d<b<c<"))

    here.merge(there, array("I", range(4)))

    assert here.floor == 2  # 1 + 1; b made way, which had 1 + 1 at most
    assert rows_of(here)[path("d")] == Row(calls=3, total_calls=3, ns=3, total_ns=3, error=1)


@CORES
def test_each_burst_adds_its_square(make: MakeTree) -> None:
    tree = make("calls", 2, 2)
    for text in ("a<a<", "a<", "a<a<a<"):
        fed(tree, calls(text)).end_burst()
    fed(tree, calls("a<a<"))

    assert list(memoryview(tree.burst_columns()[0]).cast("d")) == [2**2 + 1**2 + 3**2]


@CORES
def test_squares_of_merged_trees_add_up_and_calls_of_the_other_are_no_burst(make: MakeTree) -> None:
    here, there = fed(make("calls", 2, 2), calls("a<")), fed(make("calls", 2, 2), calls("a<a<"))
    here.end_burst()
    there.end_burst()

    here.merge(there, array("I", range(4)))
    here.end_burst()

    assert list(memoryview(here.burst_columns()[0]).cast("d")) == [1 + 4]


@CORES
def test_what_does_not_fit_together_is_refused(make: MakeTree) -> None:
    tree, other = fed(make("calls", 2, 2), calls("a")), fed(make("calls", 2, 2), calls("b"))
    before = tree.columns()

    with pytest.raises(ValueError, match="cannot be merged into itself"):
        tree.merge(tree, array("I", range(4)))
    with pytest.raises(ValueError, match="another metric"):
        tree.merge(make("time", 2, 2), array("I", range(4)))
    with pytest.raises(ValueError, match="another metric"):
        tree.merge(make("calls", 2, 2, True), array("I", range(4)))
    with pytest.raises(ValueError, match="functions beyond the map"):
        tree.merge(other, array("I", [0]))
    assert tree.columns() == before


@CORES
@pytest.mark.parametrize(("counters", "nodes"), [(0, 1), (1, 0)])
def test_a_tree_without_room_is_refused(make: MakeTree, counters: int, nodes: int) -> None:
    with pytest.raises(ValueError, match="one counter and one node"):
        make("calls", counters, nodes)


@CORES
def test_space_saving_by_time_is_refused(make: MakeTree) -> None:
    with pytest.raises(ValueError, match="by calls only"):
        make("time", 2, 2, True)


@CORES
@pytest.mark.parametrize("bad", [(0, 0, 0), (6, 0, 0), (1, 1 << 20, 0), (1, 0, 1 << 63)])
def test_a_bad_event_is_refused_and_those_before_it_are_counted(make: MakeTree, bad: tuple[int, int, int]) -> None:
    batch = calls("ab")
    for column, value in zip((batch.kind, batch.thread, batch.time_ns), bad, strict=True):
        column.append(value)
    batch.function.append(0)
    batch.call_line.append(0)
    tree = make("calls", 2, 2)

    with pytest.raises(ValueError, match="event 2 has an unknown kind, thread number or time"):
        fed(tree, batch)

    assert tree.total_calls == 2


def test_the_environment_chooses_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", "python")
    assert type(new_hot_tree("calls", 1, 1)) is ReferenceHotTree
    monkeypatch.setenv("SONDE_CORE", "native")
    assert type(new_hot_tree("calls", 1, 1)) is sonde._native.HotTree
