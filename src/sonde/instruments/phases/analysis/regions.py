"""Regions of a timeline: when a program's behaviour changes, by change points of a counter's rate."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sonde.instruments.phases.analysis.figures import ThreadFigures
from sonde.instruments.phases.analysis.segments import binned, own_rates, own_segments
from sonde.instruments.phases.profile import NO_CALL, PhaseThread
from sonde.native import change_points

BINS = 200
"""Equal parts of the time, of which each has a rate: enough to find a region of a fiftieth of the run."""
LEAST_VARIATION = 0.05
"""A rate whose parts differ less around their mean is level."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a thread's time in which the rate of a counter is about the same."""

    start_ns: int
    end_ns: int
    counter: int | None
    """Index into `PhaseProfile.counters`; None: no counter's rate changes, and phases tell regions apart."""
    rate: float
    """Of it, a nanosecond."""
    phases: tuple[tuple[int, float], ...]
    """Phases that ran in it, without those that they called, with their shares of it; the largest first."""


def time_regions(figures: ThreadFigures) -> tuple[Region, ...]:
    """Cut the time of a thread where the rate of a counter changes: that counter whose regions differ most.

    Guarantee: regions follow one another without gaps, from the beginning of the thread to its end.
    Cost: O(n) for n calls, times the counters.
    Source: Buytaert, figure 3.7.
    Differs: the document's regions are drawn by hand.
    """
    thread = figures.thread
    if thread.end_ns <= thread.start_ns or not len(thread.calls):
        return ()
    segments, calls = own_segments(thread), thread.calls
    shares = binned(thread, segments, calls.phase, BINS)
    by_call = binned(thread, segments, range(len(calls)), BINS)
    best: tuple[float, int, list[float], list[int]] | None = None
    for counter in range(len(calls.counters)):
        rates = own_rates(figures, counter)
        series = [_mean_rate(each, rates) for each in by_call]
        cuts = _cuts(series)
        told = _share_told(series, cuts)
        if cuts and (best is None or told > best[0]):
            best = (told, counter, series, cuts)
    if best is None:
        return _by_phase(thread, shares)
    _, counter, series, cuts = best
    edges = [0, *cuts, BINS]
    return tuple(
        _region(thread, shares, first, last, counter, sum(series[first:last]) / (last - first))
        for first, last in pairwise(edges)
    )


def _mean_rate(times: dict[int, float], rates: Sequence[float]) -> float:
    whole = sum(times.values())
    found = sum(time * rates[call] for call, time in times.items() if call != NO_CALL)
    return found / whole if whole else 0.0


def _cuts(series: Sequence[float]) -> list[int]:
    mean = sum(series) / len(series)
    if mean <= 0 or max(series) - min(series) < LEAST_VARIATION * mean:
        return []
    points = array("q")
    points.frombytes(change_points(array("d", series), array("q", [0, len(series)]))[0])
    return list(points)


def _share_told(series: Sequence[float], cuts: Sequence[int]) -> float:
    """Share of the variance that lies between the regions."""
    mean = sum(series) / len(series)
    total = sum((value - mean) ** 2 for value in series)
    edges = [0, *cuts, len(series)]
    within = 0.0
    for first, last in pairwise(edges):
        part = series[first:last]
        middle = sum(part) / len(part)
        within += sum((value - middle) ** 2 for value in part)
    return 1 - within / total if total > 0 else 0.0


def _by_phase(thread: PhaseThread, shares: Sequence[dict[int, float]]) -> tuple[Region, ...]:
    largest = [max(each, key=lambda key: each[key], default=NO_CALL) for each in shares]
    edges = [0, *(at for at in range(1, BINS) if largest[at] != largest[at - 1]), BINS]
    return tuple(_region(thread, shares, first, last, None, 0.0) for first, last in pairwise(edges))


def _region(
    thread: PhaseThread, shares: Sequence[dict[int, float]], first: int, last: int, counter: int | None, rate: float
) -> Region:
    whole_ns = thread.end_ns - thread.start_ns
    start, end = (thread.start_ns + round(whole_ns * edge / BINS) for edge in (first, last))
    times: dict[int, float] = {}
    for each in shares[first:last]:
        for phase, time in each.items():
            times[phase] = times.get(phase, 0.0) + time
    whole = sum(times.values()) or 1.0
    ordered = sorted(((phase, time / whole) for phase, time in times.items()), key=lambda item: -item[1])
    return Region(start, end, counter, rate, tuple(item for item in ordered if item[0] != NO_CALL))
