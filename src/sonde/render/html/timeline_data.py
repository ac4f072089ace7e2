"""A timeline as a page holds it: packed numbers, and of millions of spans those that can be told apart."""

import sys
from array import array
from base64 import b64encode
from collections.abc import Callable
from heapq import nlargest
from typing import Any, Final

from sonde.report import Timeline, TimelineLane

MOST_SPANS = 80_000
"""Of all timelines of a page: 1.5 MB of it."""

_MOST_LANES = 200
_MOST_MARKS = 1_000
_MOST_NAMES = 65_535
_LAST_TICK: Final = 2**32 - 1
"""Times are so many parts of the whole."""


def timeline_data(timeline: Timeline, most: int, cut: Callable[[str], str]) -> dict[str, Any]:
    """Lanes for the page's script.

    Where there are more spans than there is room for, those that are shorter than a time, `apart`, are drawn together:
    one for all that begin in a stretch of that length, which has the name of what took most of it, and says how many
    there are.

    Args:
        most: spans at most, for there to be room; a few more where each lane has one.
        cut: makes a text short enough.
    Returns:
        `duration` and `apart` in nanoseconds; of each lane its group, depth, and number of spans; and `data`, base64 of
        little-endian numbers: starts, then lengths (32 bits, in parts of the whole), counts (32 bits) and names (16
        bits) of all spans, lane after lane.
    Guarantee: no span is left out of the lanes that are kept; what overlaps in none does not here.
    Cost: O(n) for n spans.
    """
    kept = timeline.lanes
    if len(kept) > _MOST_LANES:
        chosen = set(nlargest(_MOST_LANES, range(len(kept)), key=lambda at: (_length(kept[at]), -at)))
        kept = tuple(lane for at, lane in enumerate(kept) if at in chosen)
    count = sum(len(lane.starts) for lane in kept)
    apart_ns = 0 if count <= most else -(-2 * len(kept) * timeline.duration_ns // max(most, 1))
    columns = array("I"), array("I"), array("I"), array("H")
    unit = _LAST_TICK / max(timeline.duration_ns, 1)
    lanes = []
    for lane in kept:
        spans = _spans(lane, apart_ns)
        for start, end, name, calls in spans:
            first = round(start * unit)
            row = first, round(end * unit) - first, calls, min(name, _MOST_NAMES)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
        lanes.append([cut(lane.group), lane.depth, len(spans)])
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    return {
        "duration": timeline.duration_ns,
        "apart": apart_ns,
        "spans": count,
        "left_out": len(timeline.lanes) - len(kept),
        "lanes": lanes,
        "marks": list(timeline.marks[:_MOST_MARKS]),
        "data": b64encode(b"".join(column.tobytes() for column in columns)).decode("ascii"),
    }


def _length(lane: TimelineLane) -> int:
    return sum(end - start for start, end in zip(lane.starts, lane.ends, strict=True))


def _spans(lane: TimelineLane, apart_ns: int) -> list[tuple[int, int, int, int]]:
    """Start, end, name, and how many calls: 1, or those that are too short to be told apart."""
    rows = zip(lane.starts, lane.ends, lane.names, strict=True)
    if not apart_ns:
        return [(start, end, name, 1) for start, end, name in rows]
    found: list[tuple[int, int, int, int]] = []
    stretch, first, last, calls, times = -1, 0, 0, 0, dict[int, int]()

    def close() -> None:
        if calls:
            found.append((first, last, max(times, key=lambda name: times[name]), calls))

    for start, end, name in rows:
        if end - start >= apart_ns:
            close()
            calls, stretch = 0, -1
            found.append((start, end, name, 1))
            continue
        if start // apart_ns != stretch:
            close()
            stretch, first, calls, times = start // apart_ns, start, 0, {}
        last, calls = end, calls + 1
        times[name] = times.get(name, 0) + end - start
    close()
    return found
