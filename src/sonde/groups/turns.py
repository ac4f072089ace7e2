"""Whether runs of two groups took turns, as the times tell at which they started."""

from collections.abc import Sequence
from datetime import UTC, datetime


def rounds_of(first: Sequence[str], second: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pair the runs of two groups that took turns.

    They did if, in the order of time, every two of them are one of each group: first, second, first, second, or the
    other one first in some rounds.

    Args:
        first, second: when the runs of each group started, ISO 8601; empty where that is not known.
    Returns:
        (number in the first group, number in the second) by round; none where they took no turns, or where that cannot
        be told: groups of different size, times that are missing or the same.
    Guarantee: each run is in exactly one pair, or there are none; exchanging the groups exchanges the numbers.

    >>> rounds_of(["2026-01-01T10:00:00", "2026-01-01T10:02:00"], ["2026-01-01T10:03:00", "2026-01-01T10:01:00"])
    ((0, 1), (1, 0))
    """
    times = [_moment(each) for each in (*first, *second)]
    known = [time for time in times if time is not None]
    if len(first) != len(second) or len(set(known)) < len(times):
        return ()
    runs = [
        (time, side, number)
        for side, group in enumerate((first, second))
        for number, time in enumerate(known[side * len(first) :][: len(group)])
    ]
    runs.sort()
    pairs = []
    for one, other in zip(runs[::2], runs[1::2], strict=True):
        if one[1] == other[1]:
            return ()
        ours, theirs = sorted((one, other), key=lambda run: run[1])
        pairs.append((ours[2], theirs[2]))
    return tuple(pairs)


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
