"""Batches of events: appended one by one, cut anywhere."""

from sonde.events import ENTER, LEAVE, UNWIND, EventBatch


def batch_of(count: int) -> EventBatch:
    batch = EventBatch()
    for number in range(count):
        batch.enter(thread=number, function=number + 1, call_line=number + 2, time_ns=number + 3)
    return batch


def test_columns_have_the_widths_that_the_core_expects() -> None:
    batch = EventBatch()

    widths = [column.itemsize for column in (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)]

    assert widths == [1, 4, 4, 4, 8]


def test_events_are_kept_in_order() -> None:
    batch = EventBatch()

    batch.enter(thread=1, function=2, call_line=3, time_ns=4)
    batch.leave(thread=1, time_ns=5)
    batch.leave(thread=0, time_ns=2**63, unwound=True)

    assert list(batch.kind) == [ENTER, LEAVE, UNWIND]
    assert list(batch.thread) == [1, 1, 0]
    assert list(batch.function) == [2, 0, 0]
    assert list(batch.call_line) == [3, 0, 0]
    assert list(batch.time_ns) == [4, 5, 2**63]


def test_two_batches_share_no_columns() -> None:
    one, other = EventBatch(), EventBatch()

    one.leave(thread=0, time_ns=0)

    assert (len(one), len(other)) == (1, 0)


def test_splitting_loses_nothing_and_leaves_the_batch_as_it_is() -> None:
    for count in range(6):
        for size in range(1, 8):
            whole = batch_of(count)

            parts = list(whole.split(size))

            assert all(0 < len(part) <= size for part in parts)
            assert [event for part in parts for event in part.time_ns] == list(whole.time_ns)
            assert [event for part in parts for event in part.function] == list(whole.function)
            assert whole == batch_of(count)
