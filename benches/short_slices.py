"""Ratios of work in slices of about a millisecond, when other programs disturb most longer runs.

Each round runs every alternative once, in random order, in this process. Of each, the mean of the times between its 5 %
and its 25 % quantile counts: slices that nobody else disturbed, while a single luckiest one says little.

No numpy here: it starts threads, and the C library's allocator takes twice as long in a process that has some.
"""

import gc
import random
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from ratios import Ratio

_Name = TypeVar("_Name", bound=Hashable)
_Made = TypeVar("_Made")
_RESAMPLES = 200
_MOST_ROUNDS = 3000


def slice_times(
    work: Mapping[_Name, Callable[[], _Made]],
    seconds: float,
    after: Callable[[_Made], object] = lambda _: None,
    warm: int = 1,
) -> dict[_Name, list[float]]:
    """Seconds of each alternative in each round, elapsed, as asking for CPU time is a call of the system.

    Args:
        seconds: so long rounds are run, at most 3,000.
        after: done with each result, outside of the clock.
        warm: so often each is run before the clock, in each round, so that the processor knows its branches.
    """
    names, clock = list(work), time.perf_counter
    times: dict[_Name, list[float]] = {name: [] for name in names}
    end, rounds = time.monotonic() + seconds, 0
    gc.disable()
    try:
        while rounds < _MOST_ROUNDS and time.monotonic() < end:
            rounds += 1
            for name in random.sample(names, len(names)):
                run = work[name]
                for _ in range(warm):
                    after(run())
                began = clock()
                made = run()
                times[name].append(clock() - began)
                after(made)
    finally:
        gc.enable()
    return times


def undisturbed(times: Sequence[float]) -> float:
    """The mean between the 5 % and the 25 % quantile."""
    count = len(times)
    chosen = sorted(times)[count // 20 : max(count // 4, count // 20 + 1)]
    return sum(chosen) / len(chosen)


def undisturbed_ratio(times: Sequence[Sequence[float]], baseline: Sequence[Sequence[float]]) -> Ratio:
    """The ratio of the undisturbed times, each the mean over copies of the same work, with a 95 % interval.

    Method: percentile bootstrap over rounds, seeded, 200 resamples.
    """
    draw, count = random.Random(0), len(times[0])

    def ratio(rounds: Sequence[int]) -> float:
        mean, other = (sum(undisturbed([each[at] for at in rounds]) for each in copies) for copies in (times, baseline))
        return mean / other

    found = sorted(ratio(draw.choices(range(count), k=count)) for _ in range(_RESAMPLES))
    low, high = found[int(0.025 * _RESAMPLES)], found[int(0.975 * _RESAMPLES)]
    return Ratio(ratio(range(count)), low, high, count)
