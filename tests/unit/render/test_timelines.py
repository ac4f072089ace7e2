"""Timelines: of millions of spans a page holds those that can be told apart; paper has bars."""

import base64
import io
import random
import struct
from itertools import pairwise

from sonde.render.html.timeline_data import timeline_data
from sonde.render.terminal.page import Page
from sonde.render.terminal.timeline_text import print_timeline
from sonde.report import Timeline, TimelineLane

LAST_TICK = 2**32 - 1


def made(count: int, seed: int = 1) -> Timeline:
    """Two lanes: long spans, and many short ones among a few long ones."""
    draw = random.Random(seed)
    starts, ends, names, at = [], [], [], 0
    for number in range(count):
        at += draw.randrange(100)
        length = draw.randrange(1, 300) if number % 1000 else 1_000_000
        starts.append(at)
        ends.append(at + length)
        names.append(draw.randrange(3))
        at += length
    outer = TimelineLane("main", 0, [0], [at], [3])
    return Timeline("when", "when", at, ("a", "b", "c", "main"), (outer, TimelineLane("main", 1, starts, ends, names)))


def unpacked(data: dict[str, object]) -> list[list[tuple[int, int, int, int]]]:
    """Start, length, count and name of each span, by lane."""
    raw = base64.b64decode(str(data["data"]))
    lanes = data["lanes"]
    assert isinstance(lanes, list)
    count = sum(spans for _, _, spans in lanes)
    columns = [struct.unpack_from(f"<{count}I", raw, 4 * count * column) for column in range(3)]
    columns.append(struct.unpack_from(f"<{count}H", raw, 12 * count))
    rows = list(zip(*columns, strict=True))
    found = []
    for _, _, spans in lanes:
        found.append(rows[:spans])
        rows = rows[spans:]
    return found


def test_where_there_is_room_every_span_is_there() -> None:
    timeline = made(1000)
    outer, inner = unpacked(timeline_data(timeline, 80_000, str))
    assert outer == [(0, LAST_TICK, 1, 3)]
    unit = timeline.duration_ns / LAST_TICK
    lane = timeline.lanes[1]
    assert [round(start * unit) for start, _, _, _ in inner] == list(lane.starts)
    assert [name for _, _, _, name in inner] == list(lane.names)


def test_of_many_spans_short_ones_are_drawn_together_and_none_is_left_out() -> None:
    timeline = made(50_000)
    data = timeline_data(timeline, 2_000, str)
    outer, inner = unpacked(data)
    assert len(outer) + len(inner) <= 2_100
    assert sum(count for _, _, count, _ in inner) == 50_000 == int(data["spans"]) - 1
    assert all(a[0] + a[1] <= b[0] + 1 for a, b in pairwise(inner))
    apart = int(data["apart"])
    long = [end - start for start, end in zip(timeline.lanes[1].starts, timeline.lanes[1].ends, strict=True)]
    assert sum(
        count == 1 and length > LAST_TICK * apart / timeline.duration_ns for _, length, count, _ in inner
    ) == sum(length >= apart for length in long)


def test_a_timeline_on_paper_has_a_line_for_each_name() -> None:
    lanes = (TimelineLane("t", 0, (0, 50), (25, 100), (0, 1)),)
    text = io.StringIO()
    print_timeline(Page(text, width=65, colour=False), Timeline("w", "when", 100, ("a", "bb"), lanes, (50,), most=2))
    assert text.getvalue().splitlines() == [
        "",
        "when",
        f" a │{'█' * 15}{' ' * 45}│",
        f"bb │{' ' * 30}{'█' * 30}│",
        f"    0{'100 ns':>59}",
        f"    {' ' * 30}▲",
    ]


def test_a_timeline_of_nothing_says_so() -> None:
    text = io.StringIO()
    print_timeline(Page(text, width=60, colour=False), Timeline("w", "when", 0, (), ()))
    assert "nothing to draw" in text.getvalue()
