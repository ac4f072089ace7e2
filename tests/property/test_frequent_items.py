"""The alternatives that the hot tree is compared with keep the bounds that their authors prove."""

from collections import Counter
from collections.abc import Hashable
from math import ceil, log

from hypothesis import given
from hypothesis import strategies as st

from hot_oracles import fed, rows_of
from lossy_counting import LossyCounting
from sonde.events import EventBatch
from sonde.native.reference_hot import ReferenceHotTree
from stream_summary import StreamSummary

items = st.lists(st.integers(0, 12) | st.sampled_from([0, 0, 0, 1]), max_size=200)


@given(stream=items, counters=st.integers(1, 6))
def test_stream_summary_bounds(stream: list[int], counters: int) -> None:
    summary, true = StreamSummary(counters), Counter[Hashable](stream)
    for item in stream:
        summary.add(item)

    counts = summary.counts()

    assert all(count - error <= true[item] <= count for item, (count, error) in counts.items())
    assert all(true[item] <= summary.least() for item in true.keys() - counts.keys())
    assert sum(count for count, _ in counts.values()) == len(stream)
    assert summary.least() * counters <= len(stream)
    assert [count for count, _ in counts.values()] == sorted(count for count, _ in counts.values())


@given(stream=items, epsilon=st.floats(0.02, 0.9))
def test_lossy_counting_bounds(stream: list[int], epsilon: float) -> None:
    counting, true = LossyCounting(epsilon), Counter[Hashable](stream)
    for item in stream:
        counting.add(item)

    counts = counting.counts()

    assert all(count <= true[item] <= count + delta for item, (count, delta) in counts.items())
    assert all(delta <= epsilon * len(stream) for _, delta in counts.values())
    assert all(true[item] <= epsilon * len(stream) for item in true.keys() - counts.keys())
    width = ceil(1 / epsilon)
    assert len(counts) <= width * (1 + log(max(1.0, len(stream) / width)) + 1)


@given(stream=items, counters=st.integers(1, 6))
def test_the_lazy_queue_has_the_counts_of_stream_summary(stream: list[int], counters: int) -> None:
    """Which of several least ones makes way may differ, and after it who is monitored; the counts do not."""
    summary, batch = StreamSummary(counters), EventBatch()
    for time_ns, item in enumerate(stream):
        summary.add(item)
        batch.enter(thread=0, function=item, call_line=0, time_ns=time_ns)
        batch.leave(thread=0, time_ns=time_ns)

    tree = fed(ReferenceHotTree("calls", counters, None, space_saving=True), batch)

    uppers = sorted(row.calls + row.error for row in rows_of(tree).values())
    assert uppers == [count for count, _ in summary.counts().values()]
