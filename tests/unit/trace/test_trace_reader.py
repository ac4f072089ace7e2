"""Reading traces: what is said of them, where they end, and what is refused."""

import struct
from pathlib import Path

import pytest

from sonde.base.errors import InputError, SondeError
from sonde.events import EventBatch, Function
from sonde.trace import TraceAbout, TraceEnding, TraceReader, TraceWriter
from trace_decoder import check

HEADER = 4096


def calls(count: int = 100) -> EventBatch:
    """Some calls of functions 0 to 4, over two threads."""
    batch = EventBatch()
    for number in range(count):
        batch.enter(thread=number // 40 % 2, function=number % 5, call_line=number % 7, time_ns=1000 + 30 * number)
        batch.leave(thread=number // 40 % 2, time_ns=1000 + 30 * number + 20, unwound=number % 11 == 0)
    return batch


def write(path: Path, batch: EventBatch, about: TraceAbout | None = None, *, finished: bool = True) -> Path:
    writer = TraceWriter(path, about)
    for number in range(5):
        writer.function(f"f{number}", "app", "app.py", number + 1)
    writer.write(batch)
    if finished:
        writer.finish(ticks=10**6, ns=2 * 10**6)
    writer.abandon()
    return path


def read(reader: TraceReader, size: int = 1 << 16) -> EventBatch:
    whole = EventBatch()
    for batch in reader.batches(size):
        for name in ("kind", "thread", "function", "call_line", "time_ns"):
            getattr(whole, name).extend(getattr(batch, name))
    return whole


def test_a_trace_says_what_was_recorded(tmp_path: Path) -> None:
    about = TraceAbout(command="python\nnaïve.py", python="3.12.1", mechanism="cpython-monitoring", pid=7, parent_pid=6)

    reader = TraceReader(write(tmp_path / "t.trace", calls(), about))

    said = reader.about
    assert (said.command, said.python, said.mechanism) == (about.command, about.python, about.mechanism)
    assert (said.pid, said.parent_pid, said.clock, said.end_ns) == (7, 6, "monotonic", 2 * 10**6)


def test_a_finished_trace_ends_in_order(tmp_path: Path) -> None:
    reader = TraceReader(write(tmp_path / "t.trace", calls()))

    assert read(reader) == calls()
    assert reader.ending == TraceEnding("finished", events=200, lost_events=0)
    assert reader.check() == reader.ending


def test_a_trace_that_was_not_finished_is_whole_but_cut_off(tmp_path: Path) -> None:
    reader = TraceReader(write(tmp_path / "t.trace", calls(), finished=False))

    assert reader.about.end_ns is None
    assert read(reader) == calls()
    assert reader.ending == TraceEnding("cut off", events=200, lost_events=0)


def test_an_empty_trace_has_no_events(tmp_path: Path) -> None:
    reader = TraceReader(write(tmp_path / "t.trace", EventBatch()))

    assert list(reader) == []
    assert reader.ending == TraceEnding("finished", events=0, lost_events=0)


def test_a_trace_can_be_followed_while_it_is_written(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "t.trace")
    reader = TraceReader(tmp_path / "t.trace")
    seen = [len(read(reader))]
    for number, part in enumerate(calls().split(50)):
        if number == 0:
            for function in range(5):
                writer.function(f"f{function}", "app", "app.py", function + 1)
        writer.write(part)
        seen.append(len(read(reader)))
    assert reader.ending is not None and reader.ending.state == "cut off"
    writer.finish()
    seen.append(len(read(reader)))

    assert seen == [0, 50, 50, 50, 50, 0]
    assert reader.ending == TraceEnding("finished", events=200, lost_events=0)
    assert len(reader.functions) == 5


def test_functions_are_there_before_their_events(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.trace") as writer:
        for number in range(3):
            assert writer.function(f"f{number}", "m", "m.py", 1) == number
            batch = EventBatch()
            batch.enter(thread=0, function=number, call_line=0, time_ns=0)
            writer.write(batch)
    reader = TraceReader(tmp_path / "t.trace")

    for batch in reader.batches(1):
        assert batch.function[0] < len(reader.functions)


def test_equal_functions_are_one(tmp_path: Path) -> None:
    batch = EventBatch()
    with TraceWriter(tmp_path / "t.trace") as writer:
        for number, name in enumerate(("f", "g", "f", "h")):
            writer.function(name, "m", "m.py", 1)
            batch.enter(thread=0, function=number, call_line=0, time_ns=0)
        writer.write(batch)
    reader = TraceReader(tmp_path / "t.trace")

    assert list(read(reader).function) == [0, 1, 0, 2]
    assert list(reader.functions) == [Function(name, "m", "m.py", 1) for name in "fgh"]


def test_names_may_be_any_bytes(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.trace") as writer:
        writer.function("naïve", "", "caf\udce9.py\0x", 3, 0x8000_0000 + 3)
    reader = TraceReader(tmp_path / "t.trace")
    read(reader)

    assert reader.native.functions(0) == [("naïve", "", "caf\udce9.py\0x", 3, 0x8000_0003)]


def test_ticks_become_nanoseconds_by_the_two_pairs_of_readings(tmp_path: Path) -> None:
    about = TraceAbout(clock="tsc", start_ticks=1000, start_ns=5000)
    writer = TraceWriter(tmp_path / "t.trace", about)
    batch = EventBatch()
    for ticks in (1000, 1400, 3000):
        batch.leave(thread=0, time_ns=ticks)
    writer.write(batch)
    writer.finish(ticks=3000, ns=6000)
    reader = TraceReader(tmp_path / "t.trace")

    assert reader.about.ns_per_tick == 0.5
    assert list(read(reader).time_ns) == [5000, 5200, 6000]
    assert list(read(TraceReader(tmp_path / "t.trace", ns_per_tick=2.0)).time_ns) == [5000, 5800, 9000]


def test_without_a_clock_all_times_are_zero(tmp_path: Path) -> None:
    reader = TraceReader(write(tmp_path / "t.trace", calls(), TraceAbout(clock="none", unit_shift=4)))

    assert set(read(reader).time_ns) == {0}


def test_a_file_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file") as error:
        TraceReader(tmp_path / "t.trace")
    assert error.value.slug == "no-such-trace"
    with pytest.raises(InputError, match="it is a folder"):
        TraceReader(tmp_path)


def test_what_is_not_a_trace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    for content in (b"", b"SONDETR", b"SQLite format 3\0" * 500):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a trace") as error:
            TraceReader(path)
        assert error.value.slug == "not-a-trace"


def test_a_newer_trace_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.trace", calls())
    content = bytearray(path.read_bytes())
    content[8:12] = struct.pack("<I", 3)
    path.write_bytes(content)

    with pytest.raises(InputError, match="version 3, newest known is 1") as error:
        TraceReader(path)
    assert error.value.slug == "newer-trace"


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (20, "header at byte 8: the header has impossible sizes"),
        (48, "header at byte 64: the header's checksum is wrong"),
        (130, "header at byte 64: the header's checksum is wrong"),
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, at: int, message: str) -> None:
    path = write(tmp_path / "t.trace", calls(), TraceAbout(command="python"))
    content = bytearray(path.read_bytes())
    content[at] ^= 0x40
    path.write_bytes(content)

    with pytest.raises(InputError, match=message) as error:
        TraceReader(path)
    assert error.value.slug == "corrupt-trace"


def test_damage_is_told_after_the_blocks_before_it(tmp_path: Path) -> None:
    path = write(tmp_path / "t.trace", calls(100_000))
    content = bytearray(path.read_bytes())
    content[HEADER + 2 * 65536 + 1000] ^= 1
    path.write_bytes(content)
    reader = TraceReader(path)

    with pytest.raises(InputError, match=r"block 2 at byte 135208: its checksum is wrong") as error:
        read(reader)
    assert error.value.slug == "corrupt-trace"
    assert error.value.hint is not None and f"{reader.native.events:,}" in error.value.hint
    assert 0 < reader.native.events < 200_000
    with pytest.raises(InputError):
        reader.check()


def test_damage_of_the_end_is_told_at_the_end(tmp_path: Path) -> None:
    path = write(tmp_path / "t.trace", calls())
    content = bytearray(path.read_bytes())
    content[80] ^= 1
    path.write_bytes(content)
    reader = TraceReader(path)

    assert len(next(reader.batches())) == 200
    with pytest.raises(InputError, match="header at byte 104: the checksum of its end is wrong"):
        read(reader)


def test_a_shortened_file_says_what_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "t.trace", calls())
    path.write_bytes(path.read_bytes()[:-10])
    used = path.stat().st_size - HEADER - 64
    reader = TraceReader(path)

    assert len(read(reader)) == 0
    assert reader.ending is not None
    assert (reader.ending.state, reader.ending.unreadable_bytes) == ("cut off", used)
    assert "the file ends within it" in reader.ending.detail


def test_lost_events_are_told_also_when_the_count_was_cut_off_half_way(tmp_path: Path) -> None:
    path = write(tmp_path / "t.trace", calls(), finished=False)
    content = bytearray(path.read_bytes())
    (own,) = struct.unpack_from("<Q", content, 64)
    content[120:128] = struct.pack("<Q", check(own, struct.pack("<Q", 1)))
    path.write_bytes(content)

    assert TraceReader(path).check().lost_events == 1


def test_room_for_no_event_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="room"):
        next(TraceReader(write(tmp_path / "t.trace", calls())).batches(0))


def test_a_writer_refuses_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    with pytest.raises(SondeError, match="No such file") as error:
        TraceWriter(tmp_path / "folder" / "t.trace")
    assert error.value.slug == "cannot-write"
    writer = TraceWriter(path)
    with pytest.raises(SondeError, match="File exists"):
        TraceWriter(path)
    with pytest.raises(ValueError, match="event 0 has an unknown kind or a function that is not defined"):
        writer.write(calls())
    with pytest.raises(ValueError, match="too long"):
        writer.function("f", "m", "x" * 16385, 1)
    with pytest.raises(ValueError, match="no such clock or unit"):
        TraceWriter(tmp_path / "other", TraceAbout(unit_shift=63))
    writer.finish()

    assert TraceReader(path).check() == TraceEnding("finished", events=0, lost_events=0)


def test_a_block_that_fails_leaves_a_trace_without_an_end(tmp_path: Path) -> None:
    with pytest.raises(KeyError), TraceWriter(tmp_path / "t.trace"):
        raise KeyError

    assert TraceReader(tmp_path / "t.trace").check().state == "cut off"


def test_a_finished_writer_counts_what_it_drops(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.trace") as writer:
        writer.function("f", "m", "m.py", 1)
    batch = EventBatch()
    batch.enter(thread=0, function=0, call_line=0, time_ns=0)
    writer.write(batch)

    assert writer.lost_events == 1
    assert writer.function("g", "m", "m.py", 1) is None
    assert TraceReader(tmp_path / "t.trace").check().events == 0
