"""What is replayed from a trace is what the same events say when they are fed, all of them or in bursts."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from example_counts import examples
from hot_oracles import fed, rows_of
from hot_streams import ADVERSARIES, FUNCTIONS, hot_streams
from recordings import read_back, write_trace
from sonde._native import BurstGate, Recorded
from sonde.events import EventBatch, Function, FunctionTable
from sonde.instruments.contexts.analyses import ExactContexts, HotContexts, RecordedContexts
from sonde.instruments.contexts.hotness import HotLimits, hot_limits
from sonde.instruments.contexts.profile import Run
from sonde.native.reference_bursts import ReferenceBursts
from sonde.native.reference_hot import ReferenceHotTree
from sonde.options.bursts import Bursts
from sonde.testing.trees import identical, same
from sonde.trace import TraceReader

streams = hot_streams() | st.sampled_from(list(ADVERSARIES)).map(ADVERSARIES.__getitem__)
spans = st.tuples(st.integers(2, 40), st.integers(1, 39)).filter(lambda span: span[1] < span[0])
limits = st.builds(
    lambda metric, counters, nodes: HotLimits(metric, 0.5, 0.1, counters, nodes),
    st.sampled_from(["calls", "time"]),
    st.integers(1, 4),
    st.integers(1, 20),
)
RUN = Run(clock="recorded")


def table() -> FunctionTable:
    return FunctionTable(Function(f"f{number}", "app", "app.py", number + 1) for number in range(FUNCTIONS))


def recorded(stream: EventBatch, folder: str, *, finished: bool = True) -> TraceReader:
    return TraceReader(write_trace(Path(folder) / "t.trace", stream, functions=FUNCTIONS, finished=finished))


@given(stream=streams)
@examples(0.4)
def test_an_exact_replay_is_what_exact_contexts_says(stream: EventBatch) -> None:
    with TemporaryDirectory() as folder:
        contexts = RecordedContexts(recorded(stream, folder))
        contexts.replay()
        exact = ExactContexts(table())
        exact.update(read_back(Path(folder) / "t.trace"))

    profile = contexts.snapshot(RUN)

    profile.check_valid()
    assert same(profile, exact.snapshot())


@given(stream=streams, metric=st.sampled_from(["calls", "time"]), nodes=st.none() | st.integers(1, 20))
@examples(0.4)
def test_a_hot_replay_is_what_hot_contexts_says(stream: EventBatch, metric: str, nodes: int | None) -> None:
    with TemporaryDirectory() as folder:
        contexts = RecordedContexts(recorded(stream, folder), hot_limits(metric, phi=0.5, epsilon=0.25, nodes=nodes))
        contexts.replay()
        hot = HotContexts(table(), metric, phi=0.5, epsilon=0.25, nodes=nodes)  # type: ignore[arg-type]
        hot.update(read_back(Path(folder) / "t.trace"))

    profile, expected = contexts.snapshot(RUN), hot.snapshot()

    profile.check_valid()
    assert same(profile, expected)
    assert profile.approximation == expected.approximation
    assert list(profile.contexts.error) == list(expected.contexts.error)


@given(stream=streams, hot=st.none() | limits, span=st.none() | spans, cut=st.floats(0, 1), finished=st.booleans())
@examples(0.6)
def test_a_replay_in_parts_is_a_replay_of_the_whole(
    stream: EventBatch, hot: HotLimits | None, span: tuple[int, int] | None, cut: float, finished: bool
) -> None:
    bursts = None if span is None else Bursts(*span, 0)
    with TemporaryDirectory() as folder:
        reader = recorded(stream, folder, finished=finished)
        content = reader.path.read_bytes()
        whole = RecordedContexts(reader, hot, bursts)
        whole.replay()
        growing = Path(folder) / "growing.trace"
        growing.write_bytes(content)
        parts = RecordedContexts(TraceReader(growing), hot, bursts)
        growing.write_bytes(content[: max(1024, round(cut * len(content)))])
        parts.replay()
        parts.snapshot(RUN)
        growing.write_bytes(content)
        parts.replay()

    assert identical(parts.snapshot(RUN), whole.snapshot(RUN))


@given(
    stream=streams,
    metric=st.sampled_from(["calls", "time"]),
    counters=st.none() | st.integers(1, 4),
    nodes=st.none() | st.integers(1, 20),
    span=spans,
    rooms=st.tuples(st.integers(1, 60), st.integers(1, 60)),
)
@examples(0.6)
def test_the_gate_lets_through_what_its_twin_does(
    stream: EventBatch,
    metric: str,
    counters: int | None,
    nodes: int | None,
    span: tuple[int, int],
    rooms: tuple[int, int],
) -> None:
    tree, gate = sonde._native.HotTree(metric, counters, nodes), BurstGate(*span)
    twin, bursts = ReferenceHotTree(metric, counters, nodes), ReferenceBursts(*span)  # type: ignore[arg-type]
    with TemporaryDirectory() as folder:
        reader = recorded(stream, folder)
        events = read_back(reader.path)
        pieces = []
        for turn, batch in enumerate(events.split(rooms[0])):
            part = Recorded(rooms[0])
            assert part.read(reader.native) == 0
            tree.feed_recorded(part, reader.note_functions(), gate)
            pieces += bursts.feed(batch)
            if turn % 2:  # an end that was none: what runs is found again
                tree.end_recorded(gate)
                pieces += bursts.end()
        tree.end_recorded(gate)
        pieces += bursts.end()
    for seen, ended in pieces:
        fed(twin, seen)
        if ended:
            twin.end_burst()

    assert rows_of(tree) == rows_of(twin)
    assert tree.burst_columns() == twin.burst_columns()
    assert (tree.floor, tree.dropped, tree.unmatched) == (twin.floor, twin.dropped, twin.unmatched)
    assert (gate.bursts, gate.open_time, gate.elapsed) == (bursts.bursts, bursts.looked_ns, bursts.elapsed_ns)


@pytest.mark.parametrize("hot", [None, hot_limits("calls", phi=0.5)])
def test_a_replay_in_bursts_says_how_far_it_may_be_off(hot: HotLimits | None, tmp_path: Path) -> None:
    stream = EventBatch()
    for now in range(0, 1000, 10):
        for call in range(1 + now // 100 % 3):
            stream.enter(thread=0, function=1, call_line=0, time_ns=now + call)
            stream.leave(thread=0, time_ns=now + call + 1)
    contexts = RecordedContexts(recorded(stream, str(tmp_path)), hot, Bursts(100, 25, 0))
    contexts.replay()

    profile = contexts.snapshot(RUN)

    profile.check_valid()
    assert profile.sampling is not None
    assert profile.sampling.bursts == 10
    assert abs(profile.sampling.fraction - 0.25) < 0.01
    (calls,), (deviation,) = profile.contexts.calls, profile.contexts.calls_deviation
    assert 0 < deviation < calls
    assert abs(calls - 190) < 3 * deviation
