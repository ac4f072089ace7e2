"""The time of a thread, cut wherever a phase begins or ends: which call is the innermost one."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from sonde.instruments.phases.analysis.figures import ThreadFigures
from sonde.instruments.phases.profile import NO_CALL, PhaseThread


class Segments(NamedTuple):
    """Consecutive parts of a thread's time, without gaps; a value for each."""

    start_ns: "array[int]"
    end_ns: "array[int]"
    call: "array[int]"
    """Row of the innermost call of a phase; `NO_CALL`: none."""


def own_segments(thread: PhaseThread) -> Segments:
    """Cut the time of a thread.

    Guarantee: the segments of a call and of those that it made are its time.
    Cost: O(n) for n calls.
    """
    found = Segments(array("q"), array("q"), array("q"))
    at = thread.start_ns
    stack: list[int] = []
    calls = thread.calls

    def until(time_ns: int) -> None:
        nonlocal at
        if time_ns > at:
            found.start_ns.append(at)
            found.end_ns.append(time_ns)
            found.call.append(stack[-1] if stack else NO_CALL)
            at = time_ns

    for row, (parent, start) in enumerate(zip(calls.parent, calls.start_ns, strict=True)):
        while stack and stack[-1] != parent:
            until(calls.end_ns[stack[-1]])
            stack.pop()
        until(start)
        stack.append(row)
    while stack:
        until(calls.end_ns[stack[-1]])
        stack.pop()
    until(thread.end_ns)
    return found


def binned(thread: PhaseThread, segments: Segments, keys: Sequence[int], bins: int) -> list[dict[int, float]]:
    """How long each key had in each of some equal parts of the thread's time.

    Args:
        keys: of each call.
    Returns:
        For each part, nanoseconds by key; `NO_CALL` where no phase ran.
    Cost: O(n + bins).
    """
    width = (thread.end_ns - thread.start_ns) / bins if bins else 0.0
    found: list[dict[int, float]] = [{} for _ in range(bins)]
    if width <= 0:
        return found
    for start, end, call in zip(segments.start_ns, segments.end_ns, segments.call, strict=True):
        key = keys[call] if call != NO_CALL else NO_CALL
        place = min(int((start - thread.start_ns) / width), bins - 1)
        left = float(start)
        while left < end:
            right = float(end) if place == bins - 1 else min(float(end), thread.start_ns + (place + 1) * width)
            if right > left:
                found[place][key] = found[place].get(key, 0.0) + right - left
            left = max(left, right)
            place += 1
            if place == bins:
                break
    return found


def own_rates(figures: ThreadFigures, counter: int) -> Sequence[float]:
    """What each call counted itself in a nanosecond of its own."""
    rows = zip(figures.own[counter], figures.own_ns, strict=True)
    return array("d", [max(count, 0) / time if time > 0 else 0.0 for count, time in rows])
