"""The exact calling context tree keeps its promises, on both cores."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde._native import ContextTree as NativeTree
from sonde.events import ENTER, EventBatch, Function, FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile
from sonde.native import ContextTree
from sonde.native.reference import ReferenceContextTree
from strategies import STREAM_FUNCTIONS, streams

FUNCTIONS = [Function(f"f{number}", "app", "app.py", number + 1) for number in range(STREAM_FUNCTIONS)]
CORES = pytest.mark.parametrize("core", [NativeTree, ReferenceContextTree], ids=["native", "python"])

Path = tuple[tuple[str, int], ...]
"""(function, call line) from the outermost call."""
Values = dict[Path, tuple[int, int, int, int]]
"""Calls, total calls, nanoseconds, total nanoseconds of each context."""


@given(stream=streams())
def test_the_cores_write_the_same_columns_byte_for_byte(stream: EventBatch) -> None:
    native, twin = fed(NativeTree(), stream), fed(ReferenceContextTree(), stream)

    assert native.columns() == twin.columns()
    assert native.unmatched == twin.unmatched


@given(first=streams(), second=streams(), data=st.data())
def test_the_cores_merge_to_the_same_columns_byte_for_byte(
    first: EventBatch, second: EventBatch, data: st.DataObject
) -> None:
    numbers = st.integers(0, STREAM_FUNCTIONS - 1)
    function_map = array("I", data.draw(st.lists(numbers, min_size=STREAM_FUNCTIONS, max_size=STREAM_FUNCTIONS)))
    native, twin = fed(NativeTree(), first), fed(ReferenceContextTree(), first)

    native.merge(fed(NativeTree(), second), function_map)
    twin.merge(fed(ReferenceContextTree(), second), function_map)

    assert native.columns() == twin.columns()
    assert native.unmatched == twin.unmatched


@CORES
@given(stream=streams(), parts=st.lists(st.integers(0, 9), max_size=20), data=st.data())
def test_a_bad_event_is_refused_and_those_before_it_are_counted(
    core: Callable[[], ContextTree], stream: EventBatch, parts: list[int], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(stream)))
    bad = data.draw(st.sampled_from([(0, 0, 0), (6, 0, 0), (ENTER, 1 << 20, 0), (ENTER, 0, 1 << 63)]))
    broken = joined([stream])
    for column, value in zip((broken.kind, broken.thread, broken.time_ns), bad, strict=True):
        column.insert(at, value)
    broken.function.insert(at, 1)
    broken.call_line.insert(at, 1)
    tree = core()

    with pytest.raises(ValueError, match=f"event {at} has an unknown kind, thread number or time"):
        fed(tree, broken)

    assert tree.columns() == fed(core(), *list(stream.split(at))[:1] if at else []).columns()


@given(stream=streams())
def test_calls_and_times_are_those_of_a_walk_over_the_stream(stream: EventBatch) -> None:
    analysis = analysis_of(stream)

    profile = analysis.snapshot()

    profile.check_valid()
    calls, self_ns, unmatched = walk(stream)
    total_calls, total_ns = sums_over_prefixes(calls), sums_over_prefixes(self_ns)
    assert values_of(profile) == {
        path: (calls[path], total_calls[path], self_ns[path], total_ns[path]) for path in total_calls
    }
    assert [loss.amount for loss in profile.losses] == ([unmatched] if unmatched else [])


@given(stream=streams(), sizes=st.lists(st.integers(1, 9)))
def test_the_profile_is_that_of_the_whole_stream_in_whatever_batches_it_arrived(
    stream: EventBatch, sizes: list[int]
) -> None:
    analysis = ExactContexts(FunctionTable(FUNCTIONS))
    rest = stream
    for size in sizes:
        head, *tail = rest.split(size) if len(rest) else [rest]
        analysis.update(head)
        rest = joined(tail)
    analysis.update(rest)

    assert analysis.snapshot() == analysis_of(stream).snapshot()


@given(streams_=st.tuples(streams(), streams(), streams()))
def test_merging_is_associative_and_commutative_up_to_the_order_of_rows(
    streams_: tuple[EventBatch, EventBatch, EventBatch],
) -> None:
    def of(number: int) -> ExactContexts:
        return analysis_of(streams_[number])

    left = merged(merged(of(0), of(1)), of(2))
    right = merged(of(0), merged(of(1), of(2)))
    turned = merged(merged(of(2), of(1)), of(0))

    assert values_of(left) == values_of(right) == values_of(turned)
    assert left.snapshot() == right.snapshot()  # with functions in the same order, so are the rows
    assert left.snapshot().losses == turned.snapshot().losses


@given(first=streams(), second=streams(first_thread=10))
def test_merging_equals_feeding_both(first: EventBatch, second: EventBatch) -> None:
    together = analysis_of(first)
    together.update(second)

    assert merged(analysis_of(first), analysis_of(second)).snapshot() == together.snapshot()


@given(first=streams(), second=streams(), order=st.permutations(range(STREAM_FUNCTIONS)))
def test_merging_goes_by_functions_and_not_by_their_numbers(
    first: EventBatch, second: EventBatch, order: list[int]
) -> None:
    renumbered = joined([second])
    renumbered.function = array("I", (order.index(number) for number in second.function))
    other = ExactContexts(FunctionTable(FUNCTIONS[number] for number in order))
    other.update(renumbered)

    got = merged(analysis_of(first), other)

    assert values_of(got) == values_of(merged(analysis_of(first), analysis_of(second)))


@given(first=streams(), second=streams())
def test_merging_leaves_the_other_as_it_was(first: EventBatch, second: EventBatch) -> None:
    other = analysis_of(second)
    before = other.snapshot()

    merged(analysis_of(first), other)

    assert other.snapshot() == before


@given(first=streams(), second=streams())
def test_a_snapshot_changes_nothing(first: EventBatch, second: EventBatch) -> None:
    watched, alone = analysis_of(first), analysis_of(first)

    assert watched.snapshot() == watched.snapshot()
    watched.update(second)
    alone.update(second)

    assert watched.snapshot() == alone.snapshot()


@given(stream=streams(threads=1))
def test_self_times_add_up_to_the_time_in_which_something_ran(stream: EventBatch) -> None:
    profile = analysis_of(stream).snapshot()

    covered = depth = last = 0
    for kind, time_ns in zip(stream.kind, stream.time_ns, strict=True):
        covered += max(0, time_ns - last) if depth else 0
        last = max(last, time_ns)
        depth = depth + 1 if kind == ENTER else max(0, depth - 1)
    assert sum(profile.contexts.self_ns) == profile.total_ns == covered


@given(stream=streams())
def test_totals_are_the_sums_of_what_is_below(stream: EventBatch) -> None:
    tree = analysis_of(stream).snapshot().contexts
    for row, below in enumerate(tree.children()[:-1]):
        assert tree.total_ns[row] == tree.self_ns[row] + sum(tree.total_ns[child] for child in below)
        assert tree.total_calls[row] == tree.calls[row] + sum(tree.total_calls[child] for child in below)


@given(stream=streams(), times=st.integers(2, 4))
def test_memory_grows_with_distinct_contexts_and_nothing_else(stream: EventBatch, times: int) -> None:
    depths = Counter(stream.thread)
    for thread in depths:  # leave everything, so that the next round begins as this one did
        for _ in range(depths[thread]):
            stream.leave(thread=thread, time_ns=0)
    once, often = analysis_of(stream), analysis_of(stream)
    for _ in range(times - 1):
        often.update(stream)

    assert len(often.snapshot().contexts) == len(once.snapshot().contexts)
    assert often.snapshot().total_calls == times * once.snapshot().total_calls


@CORES
def test_a_tree_as_wide_and_deep_as_programs_get(core: Callable[[], ContextTree]) -> None:
    batch = EventBatch()
    for depth in range(3000):
        batch.enter(thread=0, function=depth % 2, call_line=depth % 3, time_ns=depth)
    for function in range(3000):
        batch.enter(thread=0, function=function, call_line=1, time_ns=3000)
        batch.leave(thread=0, time_ns=3000)
    for _ in range(3000):
        batch.leave(thread=0, time_ns=4000)

    columns = [list(memoryview(column).cast("q")) for column in fed(core(), batch).columns()]

    parent, functions, _lines, calls, total_calls, _self_ns, total_ns, _errors = columns
    assert parent == [NO_PARENT, *range(2999), *[2999] * 3000]
    assert functions[3000:] == list(range(3000))
    assert calls == [1] * 6000
    assert (total_calls[0], total_ns[0]) == (6000, 4000)


def fed(tree: ContextTree, *batches: EventBatch) -> ContextTree:
    for batch in batches:
        tree.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
    return tree


def analysis_of(stream: EventBatch) -> ExactContexts:
    analysis = ExactContexts(FunctionTable(FUNCTIONS))
    analysis.update(stream)
    return analysis


def merged(into: ExactContexts, other: ExactContexts) -> ExactContexts:
    into.merge(other)
    return into


def joined(batches: Iterable[EventBatch]) -> EventBatch:
    """One batch with the events of several."""
    whole = EventBatch()
    for batch in batches:
        for column in ("kind", "thread", "function", "call_line", "time_ns"):
            getattr(whole, column).extend(getattr(batch, column))
    return whole


def walk(stream: EventBatch) -> "tuple[Counter[Path], Counter[Path], int]":
    """The oracle: whatever time passes on a thread belongs to the path on top of its stack."""
    calls: Counter[Path] = Counter()
    self_ns: Counter[Path] = Counter()
    stacks: dict[int, list[Path]] = {}
    now: dict[int, int] = {}
    unmatched = 0
    events = zip(stream.kind, stream.thread, stream.function, stream.call_line, stream.time_ns, strict=True)
    for kind, thread, function, call_line, time_ns in events:
        stack = stacks.setdefault(thread, [])
        passed = max(0, time_ns - now.get(thread, 0))
        now[thread] = now.get(thread, 0) + passed
        if stack:
            self_ns[stack[-1]] += passed
        if kind == ENTER:
            stack.append((*(stack[-1] if stack else ()), (FUNCTIONS[function].name, call_line)))
            calls[stack[-1]] += 1
        elif stack:
            stack.pop()
        else:
            unmatched += 1
    return calls, self_ns, unmatched


def sums_over_prefixes(values: "Counter[Path]") -> "Counter[Path]":
    sums: Counter[Path] = Counter()
    for path, value in values.items():
        for length in range(1, len(path) + 1):
            sums[path[:length]] += value
    return sums


def values_of(analysis: ExactContexts | ContextProfile) -> Values:
    profile = analysis.snapshot() if isinstance(analysis, ExactContexts) else analysis
    tree = profile.contexts
    paths: list[Path] = []
    values: Values = {}
    for row, parent in enumerate(tree.parent):
        step = (profile.functions[tree.function[row]].name, tree.call_line[row])
        paths.append(tuple(chain(paths[parent] if parent != NO_PARENT else (), (step,))))
        assert paths[row] not in values
        values[paths[row]] = (tree.calls[row], tree.total_calls[row], tree.self_ns[row], tree.total_ns[row])
    return values
