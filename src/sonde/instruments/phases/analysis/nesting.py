"""How much of each phase's time is within calls of another."""

from collections import Counter

from sonde.instruments.phases.analysis.figures import Figures
from sonde.instruments.phases.profile import NO_CALL

MOSTLY = 0.8
"""Of a phase's time within another, for the two to be one,"""
LARGELY = 0.5
"""of whose time it is that much."""


def nested_ns(figures: Figures) -> Counter[tuple[int, int]]:
    """Nanoseconds of a phase within another, by both of their numbers: the inner one first.

    Only the outermost calls of the inner phase count, so that it is at most that phase's time.

    Cost: O(n d) for n calls, d deep.
    """
    found: Counter[tuple[int, int]] = Counter()
    for thread in figures.threads:
        calls = thread.thread.calls
        for row, (inner, is_outermost) in enumerate(zip(calls.phase, thread.is_outermost, strict=True)):
            if not is_outermost:
                continue
            around = set[int]()
            above = calls.parent[row]
            while above != NO_CALL:
                around.add(calls.phase[above])
                above = calls.parent[above]
            for outer in around:
                found[inner, outer] += thread.elapsed_ns[row]
    return found
