"""Heights of the horizontal parts of lines between two layers, so that none lie upon one another."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

TOUCH = 5
"""Horizontal parts whose ends are nearer than this many pixels do not share a track: their corners would meet."""


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a line between two layers: from one place to another, where it is horizontal.

    `down` joins the layer above with the one below; `under` joins two places of the layer above, by a turn below
    them; `over` joins two places of the layer below. Start of a `down` is its upper end.
    """

    start: int
    end: int
    shape: Literal["down", "under", "over"] = "down"

    @property
    def left(self) -> int:
        return min(self.start, self.end)

    @property
    def right(self) -> int:
        return max(self.start, self.end)


def assign_tracks(spans: Sequence[Span]) -> list[int]:
    """Give each span a track, 0 the highest.

    Turns under the upper layer are above everything else, short ones first, so that long ones go round them; turns
    over the lower layer are below, the other way round. Of those that lead to the right, the one that begins further
    right is higher, and of those that lead to the left, the one further left: then two of them cross only if they must.

    Guarantee: spans that meet, or nearly do, have different tracks. Two spans in one direction do not cross unless
        their ends are in opposite order.
    Cost: O(n log n + n t) for n spans and t tracks.
    Source: Hashimoto, Stevens, Wire routing by optimizing channel assignment, DAC 1971, has spans on tracks.
    Differs: the order of tracks is given by crossings, as above, and tracks are not refilled; tracks are cheap here.
    """
    track_of = [0] * len(spans)
    # By track, the places it is taken at: disjoint, since a span goes below everything earlier that it meets.
    taken: list[list[tuple[int, int]]] = []
    for number in sorted(range(len(spans)), key=lambda number: _rank(spans[number])):
        span = spans[number]
        left, right = span.left - TOUCH, span.right
        track = len(taken)
        while track > 0 and not _is_met(taken[track - 1], left, right):
            track -= 1
        if track == len(taken):
            taken.append([])
        taken[track].insert(bisect_left(taken[track], (left, right)), (left, right))
        track_of[number] = track
    return track_of


def _rank(span: Span) -> tuple[int, int, int]:
    length = span.right - span.left
    match span.shape:
        case "under":
            return 0, length, span.left
        case "over":
            return 3, -length, span.left
        case "down" if span.start <= span.end:
            return 1, -span.start, span.end
        case "down":
            return 2, span.start, span.end


def _is_met(taken: Sequence[tuple[int, int]], left: int, right: int) -> bool:
    """Whether a place between `left` and `right` is taken; places taken are disjoint and in order."""
    after = bisect_left(taken, (left, right))
    return (after < len(taken) and taken[after][0] <= right) or (after > 0 and taken[after - 1][1] >= left)
