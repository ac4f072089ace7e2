"""Looking in bursts: what is seen is what happened then, however the stream is cut."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hot_oracles import Truth, fed, rows_of, truth_of
from hot_streams import hot_streams
from sonde.events import ENTER, LOST, EventBatch
from sonde.native.reference_bursts import ReferenceBursts
from sonde.native.reference_hot import ReferenceHotTree

Seen = list[tuple[int, ...]]

spans = st.tuples(st.integers(1, 12), st.integers(1, 40)).map(lambda pair: (max(pair), min(pair)))
firsts = st.integers(0, 30)


@given(stream=hot_streams(), span=spans, first=firsts, size=st.integers(1, 9))
def test_the_pieces_do_not_depend_on_how_the_stream_was_cut(
    stream: EventBatch, span: tuple[int, int], first: int, size: int
) -> None:
    whole, cut = ReferenceBursts(*span, first), ReferenceBursts(*span, first)

    assert joined([piece for part in stream.split(size) for piece in cut.feed(part)]) == joined(whole.feed(stream))
    assert (cut.bursts, cut.looked_ns, cut.elapsed_ns) == (whole.bursts, whole.looked_ns, whole.elapsed_ns)


@given(stream=hot_streams(), interval=st.integers(1, 40))
def test_bursts_without_pauses_see_every_call_and_no_more_time(stream: EventBatch, interval: int) -> None:
    ordered(stream)
    for thread in range(3):  # so that it is known of every thread how long it ran
        stream.leave(thread=thread, time_ns=max(stream.time_ns, default=0))
    seen, truth = seen_of(stream, (interval, interval)), truth_of(stream)

    assert +seen.calls == +truth.calls
    assert all(seen.ns[path] <= truth.ns[path] for path in seen.ns)


@given(stream=hot_streams(), span=spans, first=firsts)
def test_what_is_seen_happened_within_bursts(stream: EventBatch, span: tuple[int, int], first: int) -> None:
    ordered(stream)
    (interval, burst), whole, inside = span, Truth(), Counter[object]()
    begin = stream.time_ns[0] + first if len(stream) else 0
    for event in stream.split(1):
        whole.feed(event)
        now = event.time_ns[0]
        if event.kind[0] == ENTER and now >= begin and (now - begin) % interval < burst:
            inside[whole.running(event.thread[0])] += 1

    assert +seen_of(stream, span, first).calls == inside


@given(stream=hot_streams(), span=spans, first=firsts)
def test_the_time_seen_is_at_most_the_time_looked(stream: EventBatch, span: tuple[int, int], first: int) -> None:
    for thread in range(len(stream)):
        stream.thread[thread] = 0
    bursts = ReferenceBursts(*span, first)
    truth = Truth()
    for piece, _ in bursts.feed(stream):
        truth.feed(piece)

    assert truth.ns.total() <= bursts.looked_ns <= bursts.elapsed_ns
    assert bursts.looked_ns <= bursts.bursts * span[1]


@given(stream=hot_streams(), span=spans)
def test_the_squares_are_sums_over_bursts(stream: EventBatch, span: tuple[int, int]) -> None:
    tree, calls_squares = ReferenceHotTree("calls", None, None), Counter[object]()
    before, truth = Counter[object](), Truth()
    for piece, ended in ReferenceBursts(*span).feed(stream):
        fed(tree, piece)
        truth.feed(piece)
        if ended:
            tree.end_burst()
            for path, calls in truth.calls.items():
                calls_squares[path] += (calls - before[path]) ** 2
            before = Counter(truth.calls)

    squares = memoryview(tree.burst_columns()[0]).cast("d")
    rows = rows_of(tree)
    assert {path: square for path, square in zip(rows, squares, strict=True) if square} == +calls_squares


@given(stream=hot_streams(), rest=hot_streams(), span=spans)
def test_a_stream_that_goes_on_after_its_end_is_found_again(
    stream: EventBatch, rest: EventBatch, span: tuple[int, int]
) -> None:
    whole, ended = Truth(), Truth()
    bursts = ReferenceBursts(*span)
    for piece, _ in bursts.feed(stream) + bursts.end() + bursts.feed(rest):
        ended.feed(piece)
    bursts = ReferenceBursts(*span)
    for piece, _ in bursts.feed(stream) + bursts.feed(rest):
        whole.feed(piece)

    assert +ended.calls == +whole.calls


@pytest.mark.parametrize(("interval", "burst", "first"), [(0, 0, 0), (10, 0, 0), (10, 11, 0), (10, 5, -1)])
def test_bursts_that_do_not_fit_are_refused(interval: int, burst: int, first: int) -> None:
    with pytest.raises(ValueError, match="do not fit into intervals"):
        ReferenceBursts(interval, burst, first)


def ordered(stream: EventBatch) -> None:
    """Let no clock step back."""
    latest = 0
    for event, now in enumerate(stream.time_ns):
        latest = stream.time_ns[event] = max(latest, now)


def seen_of(stream: EventBatch, span: tuple[int, int], first: int = 0) -> Truth:
    seen = Truth()
    for piece, _ in ReferenceBursts(*span, first).feed(stream):
        seen.feed(piece)
    return seen


def joined(pieces: list[tuple[EventBatch, bool]]) -> Seen:
    """The events; an empty tuple where a burst ends."""
    seen: Seen = []
    for batch, ended in pieces:
        columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
        seen += zip(*columns, strict=True)
        if ended:
            assert seen[-1][0] == LOST
            seen.append(())
    return seen
