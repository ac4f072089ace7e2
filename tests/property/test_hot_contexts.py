"""The hot tree keeps its bounds on every stream: random ones, adversaries, merged parts, too little room.

The bounds are proved in docs/notes/weighted-space-saving.md.
"""

import random
from array import array
from collections.abc import Callable
from typing import Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from hot_oracles import Truth, check_bounds, check_sums, fed, rows_of, truth_of
from hot_streams import ADVERSARIES, FUNCTIONS, hot_streams
from sonde.events import EventBatch
from sonde.native import HotTree, reference_compaction
from sonde.native.reference_hot import ReferenceHotTree
from sweeps import rare


class Kind(NamedTuple):
    """Which tree: by what, and how contexts make way."""

    metric: Literal["calls", "time"]
    space_saving: bool = False

    def __str__(self) -> str:
        return f"{self.metric}, {'space-saving' if self.space_saving else 'compaction'}"


MakeTree = Callable[[Kind, int | None, int | None], HotTree]


def native(kind: Kind, counters: int | None, nodes: int | None) -> HotTree:
    return sonde._native.HotTree(kind.metric, counters, nodes, kind.space_saving)


def twin(kind: Kind, counters: int | None, nodes: int | None) -> HotTree:
    return ReferenceHotTree(kind.metric, counters, nodes, kind.space_saving)


BY_CALLS, BY_TIME, SPACE_SAVING = Kind("calls"), Kind("time"), Kind("calls", space_saving=True)
TREES = pytest.mark.parametrize("make", [native, twin], ids=["native", "python"])
KINDS = pytest.mark.parametrize("kind", [BY_CALLS, BY_TIME, SPACE_SAVING], ids=str)
COMPACTED = pytest.mark.parametrize("kind", [BY_CALLS, BY_TIME], ids=str)
SAME_FUNCTIONS = array("I", range(FUNCTIONS))

few = st.integers(1, 4)
room = st.none() | st.integers(1, 12)
any_stream = hot_streams() | st.sampled_from(list(ADVERSARIES)).map(ADVERSARIES.__getitem__)


@TREES
@KINDS
@given(stream=any_stream, counters=few, phi=st.floats(0.01, 0.99))
def test_no_false_negatives(make: MakeTree, kind: Kind, stream: EventBatch, counters: int, phi: float) -> None:
    tree, true = fed(make(kind, counters, None), stream), truth_of(stream).values(kind.metric)
    rows, total = rows_of(tree), true.total()

    for path, value in true.items():
        if value >= phi * total and phi * counters > 1:
            assert rows[path].value(kind.metric) + rows[path].error >= phi * total


@TREES
@KINDS
@given(stream=any_stream, counters=few)
def test_estimate_error_within_epsilon(make: MakeTree, kind: Kind, stream: EventBatch, counters: int) -> None:
    tree, truth = fed(make(kind, counters, None), stream), truth_of(stream)

    check_bounds(tree, truth, kind.metric)
    assert tree.floor * counters <= truth.values(kind.metric).total()
    assert not kind.space_saving or tree.monitored <= counters


@TREES
@KINDS
@given(stream=any_stream, counters=st.none() | few, nodes=room)
def test_sums_conserved(
    make: MakeTree, kind: Kind, stream: EventBatch, counters: int | None, nodes: int | None
) -> None:
    check_sums(fed(make(kind, counters, nodes), stream), truth_of(stream))


@TREES
@KINDS
@given(stream=any_stream, counters=st.none() | few, nodes=st.integers(1, 12))
def test_bounds_hold_when_there_are_too_few_nodes(
    make: MakeTree, kind: Kind, stream: EventBatch, counters: int | None, nodes: int
) -> None:
    tree = fed(make(kind, counters, nodes), stream)

    check_bounds(tree, truth_of(stream), kind.metric)
    assert tree.nodes <= nodes


@TREES
@KINDS
@given(stream=any_stream, counters=few, nodes=room, size=st.integers(1, 9))
def test_any_chunking_same_profile(
    make: MakeTree, kind: Kind, stream: EventBatch, counters: int, nodes: int | None, size: int
) -> None:
    whole, parts = fed(make(kind, counters, nodes), stream), fed(make(kind, counters, nodes), *stream.split(size))

    assert summary(parts) == summary(whole)


@TREES
@KINDS
@given(stream=any_stream)
def test_without_bounds_every_context_is_exact(make: MakeTree, kind: Kind, stream: EventBatch) -> None:
    tree, truth = fed(make(kind, None, None), stream), truth_of(stream)

    assert {
        path: row.value(kind.metric) for path, row in rows_of(tree).items() if row.value(kind.metric)
    } == truth.values(kind.metric)
    assert (tree.floor, tree.dropped) == (0, 0)


@TREES
@KINDS
@given(
    parts=st.lists(st.tuples(any_stream, st.none() | few), min_size=2, max_size=4),
    nodes=room,
    rest=hot_streams(),
)
def test_merged_trees_keep_bounds_and_sums(
    make: MakeTree, kind: Kind, parts: list[tuple[EventBatch, int | None]], nodes: int | None, rest: EventBatch
) -> None:
    (first, counters), *others = parts
    tree = fed(make(kind, counters, nodes), first)

    for stream, its_counters in others:
        tree.merge(fed(make(kind, its_counters, nodes), stream), SAME_FUNCTIONS)
    check(tree, kind, truth_of(*(stream for stream, _ in parts)))
    assert counters is None or not kind.space_saving or tree.monitored <= counters
    assert nodes is None or tree.nodes <= nodes

    fed(tree, rest)  # the threads of the first part go on
    truth, known = Truth().feed(first).feed(rest), truth_of(*(stream for stream, _ in others))
    truth.calls += known.calls
    truth.ns += known.ns
    truth.unmatched += known.unmatched
    check(tree, kind, truth)


@TREES
@KINDS
@given(streams=st.lists(any_stream, min_size=1, max_size=4), counters=few)
def test_merged_errors_within_epsilon(make: MakeTree, kind: Kind, streams: list[EventBatch], counters: int) -> None:
    tree = make(kind, counters, None)
    for stream in streams:
        tree.merge(fed(make(kind, counters, None), stream), SAME_FUNCTIONS)

    assert tree.floor * counters <= truth_of(*streams).values(kind.metric).total()


@TREES
@KINDS
@given(first=hot_streams(), second=hot_streams(), counters=few, nodes=room)
def test_merging_leaves_the_other_as_it_was(
    make: MakeTree, kind: Kind, first: EventBatch, second: EventBatch, counters: int, nodes: int | None
) -> None:
    other = fed(make(kind, counters, nodes), second)
    before = summary(other)

    fed(make(kind, counters, nodes), first).merge(other, SAME_FUNCTIONS)

    assert summary(other) == before


@COMPACTED
@given(stream=any_stream, counters=few, first=st.integers(1, 6))
def test_floor_within_epsilon_while_the_tree_may_grow(
    kind: Kind, stream: EventBatch, counters: int, first: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference_compaction, "FIRST_NODES", first)
        tree, truth = twin(kind, counters, None), Truth()
        for event in stream.split(1):
            truth.feed(event)
            fed(tree, event)
            assert tree.floor * counters <= truth.values(kind.metric).total()

    check(tree, kind, truth)


@COMPACTED
@TREES
@given(
    turns=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30)), max_size=60),
    counters=few,
    nodes=room | st.integers(6, 30),
)
def test_floor_within_epsilon_when_no_callers_are_in_the_way(
    make: MakeTree, kind: Kind, turns: list[tuple[int, int]], counters: int, nodes: int | None
) -> None:
    """For six nodes a counter, or more; for fewer, what the note says."""
    stream, now = EventBatch(), 0
    for function, weight in turns:
        for _ in range(weight if kind.metric == "calls" else 1):
            stream.enter(thread=0, function=function, call_line=0, time_ns=now)
            now += weight
            stream.leave(thread=0, time_ns=now)
    tree, total = fed(make(kind, counters, nodes), stream), truth_of(stream).values(kind.metric).total()

    if nodes is None or nodes >= 6 * counters:
        assert tree.floor * counters <= total
    else:
        kept = min(4 * counters, nodes * 9 // 16)
        assert tree.floor <= 3 * total / (4 * counters) + total / (1 + kept)


@KINDS
@given(
    parts=st.lists(any_stream, min_size=1, max_size=3),
    counters=st.none() | few,
    nodes=st.none() | st.integers(1, 30),
    size=st.integers(1, 9),
    shift=st.integers(0, FUNCTIONS),
)
def test_the_cores_agree_row_by_row(
    kind: Kind, parts: list[EventBatch], counters: int | None, nodes: int | None, size: int, shift: int
) -> None:
    numbers = array("I", ((number + shift) % FUNCTIONS for number in range(FUNCTIONS)))

    assert merged(native, kind, parts, counters, nodes, size, numbers) == merged(
        twin, kind, parts, counters, nodes, size, numbers
    )


FITS = [
    *((50, None, 3_000), (2_000, None, 6_000), (100, 1_000, 6_000), (700, 1_000, 6_000), (None, 3_000, 6_000)),
    *((20_000, None, 45_000), (None, 40_000, 45_000)),  # the twin takes its time
]


@COMPACTED
@pytest.mark.parametrize(("counters", "nodes", "calls"), rare(FITS, FITS[:5]))
def test_the_cores_agree_on_more_contexts_than_fit(
    kind: Kind, counters: int | None, nodes: int | None, calls: int
) -> None:
    parts, numbers = [wide(seed, calls=calls) for seed in range(2)], array("I", range(1 << 16))

    trees = [merged(make, kind, parts, counters, nodes, 30_000, numbers) for make in (native, twin)]

    assert trees[0] == trees[1]


def wide(seed: int, *, calls: int) -> EventBatch:
    """Most contexts are new, on three threads, at most ten deep."""
    choose, batch = random.Random(seed), EventBatch()
    depth, now = [0, 0, 0], 0
    for _ in range(calls):
        thread = choose.choice((0, 0, 0, 1, 2))
        for _ in range(choose.randrange(2) if depth[thread] < 10 else depth[thread]):
            if depth[thread]:
                batch.leave(thread=thread, time_ns=now)
                depth[thread] -= 1
        now += choose.choice((0, 1, 3, 50))
        function = int((1 << 15) * choose.random() ** 3)
        batch.enter(thread=thread, function=function, call_line=choose.randrange(3), time_ns=now)
        depth[thread] += 1
    return batch


def merged(
    make: MakeTree,
    kind: Kind,
    parts: list[EventBatch],
    counters: int | None,
    nodes: int | None,
    size: int,
    numbers: "array[int]",
) -> tuple[object, ...]:
    """All that a tree says after it was fed, in pieces that are a burst each, merged, and fed again."""
    trees: list[HotTree] = []
    for part in parts:
        trees.append(make(kind, counters, nodes))
        for piece in part.split(size):
            fed(trees[-1], piece).end_burst()
    for other in trees[1:]:
        trees[0].merge(other, numbers)
    fed(trees[0], parts[0]).end_burst()
    return summary(trees[0])


def check(tree: HotTree, kind: Kind, truth: Truth) -> None:
    check_bounds(tree, truth, kind.metric)
    check_sums(tree, truth)


def summary(tree: HotTree) -> tuple[object, ...]:
    """Everything that a tree says."""
    about = (tree.floor, tree.unmatched, tree.dropped, tree.dropped_ns, tree.total_calls, tree.total_ns, tree.unlisted)
    return (*tree.columns(), *tree.burst_columns(), *about, tree.nodes, tree.monitored)
