"""What is written into a trace is what is read from it, by us and by a reader made from the page alone."""

import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import InputError
from sonde.events import ENTER, FOUND, LEAVE, LOST, UNWIND, EventBatch
from sonde.trace import TraceAbout, TraceReader, TraceWriter
from strategies import STREAM_FUNCTIONS, streams
from trace_decoder import WrongTraceError, decode_trace

Events = list[tuple[int, int, int, int, int]]

_SMALL = st.integers(0, 3)
_U32 = _SMALL | st.integers(0, 2**32 - 1)
_TIME = st.integers(0, 2**10) | st.integers(0, 2**64 - 1)
_ABOUT = st.builds(
    TraceAbout,
    command=st.text(st.characters(codec="utf-8"), max_size=8),
    clock=st.sampled_from(("none", "monotonic")),
    unit_shift=_SMALL | st.integers(0, 62),
    start_ticks=st.integers(0, 2**40),
)


@st.composite
def odd_streams(draw: st.DrawFn) -> EventBatch:
    """Any events at all, with loops of them, since what is repeated is what is predicted."""
    event = st.tuples(st.integers(ENTER, LOST), _U32, st.integers(0, STREAM_FUNCTIONS - 1), _U32, _TIME)
    calls = st.tuples(st.sampled_from((ENTER, LEAVE, UNWIND)), st.just(0), _SMALL, _SMALL, st.integers(0, 200))
    batch = EventBatch()
    for phrase in draw(st.lists(st.lists(event | calls, max_size=6), max_size=6)):
        for _ in range(draw(st.sampled_from((1, 1, 3, 40)))):
            for kind, thread, function, line, time in phrase:
                if kind == ENTER:
                    batch.enter(thread=thread, function=function, call_line=line, time_ns=time)
                elif kind == FOUND:
                    batch.found(thread=thread, function=function, call_line=line, time_ns=time)
                elif kind == LOST:
                    batch.lost(thread=thread, time_ns=time)
                else:
                    batch.leave(thread=thread, time_ns=time, unwound=kind == UNWIND)
    return batch


def events_of(batch: EventBatch) -> Events:
    columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
    return list(zip(*columns, strict=True))


def as_read(batch: EventBatch, about: TraceAbout) -> Events:
    """What a reader should give: times in whole units, none before the one before."""
    units, events = about.start_ticks >> about.unit_shift, []
    for kind, thread, function, line, time in events_of(batch):
        units = max(units, time >> about.unit_shift)
        events.append((kind, thread, function, line, 0 if about.clock == "none" else units << about.unit_shift))
    return events


def read(path: Path, size: int = 1000) -> Events:
    return [event for batch in TraceReader(path).batches(size) for event in events_of(batch)]


@contextmanager
def written(batch: EventBatch, about: TraceAbout, *, finished: bool = True) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.trace"
        writer = TraceWriter(path, about)
        for number in range(STREAM_FUNCTIONS):
            writer.function(f"f{number}", "app", "app.py", number)
        writer.write(batch)
        if finished:
            writer.finish()
        yield path


@given(streams() | odd_streams(), _ABOUT, st.booleans())
def test_what_is_written_is_read(batch: EventBatch, about: TraceAbout, finished: bool) -> None:
    with written(batch, about, finished=finished) as path:
        reader = TraceReader(path)
        events = [event for part in reader for event in events_of(part)]

    assert events == as_read(batch, about)
    assert [function.name for function in reader.functions] == [f"f{number}" for number in range(STREAM_FUNCTIONS)]
    assert reader.about.command == about.command
    assert reader.ending is not None
    assert (reader.ending.state == "finished") == finished


@given(odd_streams(), _ABOUT, st.integers(1, 50))
def test_any_size_of_batches_gives_the_same_events(batch: EventBatch, about: TraceAbout, size: int) -> None:
    with written(batch, about) as path:
        assert read(path, size) == read(path)


@given(streams() | odd_streams(), _ABOUT, st.booleans())
def test_a_reader_made_from_the_page_reads_the_same(batch: EventBatch, about: TraceAbout, finished: bool) -> None:
    with written(batch, about, finished=finished) as path:
        trace = decode_trace(path.read_bytes())

    assert trace.events == as_read(batch, about)
    assert trace.finished == finished
    assert [name for name, *_ in trace.functions] == [f"f{number}".encode() for number in range(STREAM_FUNCTIONS)]


@given(odd_streams(), st.data())
def test_damage_anywhere_gives_the_beginning_of_what_was_written(batch: EventBatch, data: st.DataObject) -> None:
    about = TraceAbout(unit_shift=2)
    with written(batch, about) as path:
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            start = data.draw(st.integers(0, len(content) - 1))
            kind = data.draw(st.sampled_from(("overwrite", "cut", "repeat")))
            if kind == "overwrite":
                new = data.draw(st.binary(min_size=1, max_size=9))
                content[start : start + len(new)] = new
            elif kind == "cut":
                del content[start:]
            else:
                content[start:start] = content[start : start + 8]
            if not content:
                break
        path.write_bytes(content)
        events: Events = []
        damaged = False
        try:
            reader = TraceReader(path)
            for part in reader.batches(7):
                events += events_of(part)
        except InputError:
            damaged = True
        try:
            decoded = decode_trace(bytes(content)).finished
        except (WrongTraceError, struct.error):
            decoded = False

    truth = as_read(batch, about)
    assert events == truth[: len(events)]
    if not damaged and reader.ending is not None and reader.ending.state == "finished":
        assert events == truth
        assert decoded
