"""Timelines: what ran when, in lanes of spans that do not overlap. There may be millions of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.code import Function


@dataclass(frozen=True, slots=True, eq=False)
class TimelineLane:
    """Spans in order, none of which begins before the one before it has ended. Columns have a value for each."""

    group: str
    """Lanes of one group stand together: a thread."""
    depth: int
    """In its group, from 0 on: what lies deeper is called by what is above it."""
    starts: Sequence[int]
    """In nanoseconds since the timeline's beginning."""
    ends: Sequence[int]
    names: Sequence[int]
    """Indices into `Timeline.names`."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """What ran when.

    >>> Timeline("when", "when", 10, ("a",), (TimelineLane("main", 0, (0, 6), (4, 10), (0, 0)),)).shares(0, 2)
    [0.8, 0.8]
    """

    key: str
    title: str
    duration_ns: int
    names: tuple[Function | str, ...]
    """Those first that are the most important: on paper each has a line."""
    lanes: tuple[TimelineLane, ...]
    marks: tuple[int, ...] = ()
    """Times at which something changes, in nanoseconds."""
    notes: tuple[str, ...] = ()
    most: int = 0
    """Names on paper; 0 for all. Pages have them all."""

    def shares(self, name: int, bins: int) -> list[float]:
        """The share of each of some equal parts of the time in which something ran, at most 1.

        Cost: O(n + bins) for n spans; what overlaps in several lanes counts once for each.
        """
        return self.all_shares(bins)[name]

    def all_shares(self, bins: int) -> list[list[float]]:
        """The shares of each name, as `shares` says."""
        found = [[0.0] * bins for _ in self.names]
        if not self.duration_ns:
            return found
        width = self.duration_ns / bins
        for lane in self.lanes:
            for start, end, name in zip(lane.starts, lane.ends, lane.names, strict=True):
                into = found[name]
                first, last = min(int(start / width), bins - 1), min(int(end / width), bins - 1)
                if first == last:
                    into[first] += end - start
                    continue
                into[first] += (first + 1) * width - start
                into[last] += end - last * width
                for place in range(first + 1, last):
                    into[place] += width
        return [[min(time / width, 1.0) for time in row] for row in found]
