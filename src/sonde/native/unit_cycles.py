"""Cycles of compiled functions, as probes left them in the spool of a thread."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from sonde._native import Spool

_CYCLES = 12
"""`SN_RECORD_CYCLES` of native/core/base/cells.h."""
_OF_THREAD_BYTES = 32
_UNIT = struct.Struct("<Q2q4QdQQQdQQQ")
"""`sn_unit_cycles` of native/probes/unit_cycles.h."""


class UnitCycles(NamedTuple):
    """Of one function in one thread."""

    unit: int
    """Its number."""
    entries: int
    intervals: int
    """Times that it began to run by itself: at its entries, and after its calls."""
    measured: int
    """Of these, how many were measured."""
    ticks: float
    """Of all intervals, by those that were measured; what measuring took is in it."""
    variance: float
    """Of these ticks, as not all intervals were measured."""


def unit_cycles_of(spool: Spool) -> Iterator[UnitCycles]:
    """What a thread's spool has, of functions that it has run."""
    for kind, (units, *_), raw, _ in spool.sums:
        if kind == _CYCLES:
            for unit in range(units):
                found = _unit(unit, _UNIT.unpack_from(raw, _OF_THREAD_BYTES + unit * _UNIT.size))
                if found.entries or found.intervals:
                    yield found


def loop_counts_of(spool: Spool) -> list[int]:
    """What a thread's spool has of loops: how often their headers ran, by number."""
    counts = list[int]()
    for kind, (units, _, loops, _), raw, _ in spool.sums:
        if kind == _CYCLES:
            counts = list(struct.unpack_from(f"<{loops}Q", raw, _OF_THREAD_BYTES + units * _UNIT.size))
    return counts


def _unit(unit: int, words: tuple[float, ...]) -> UnitCycles:
    """The estimate that native/probes/unit_cycles.h describes; its last period is settled here."""
    entries, wait, given, stride, period, measured = map(int, words[:6])
    ticks, squares = words[6:8]
    settled_intervals, settled_measured = map(int, words[8:10])
    settled_ticks, settled_variance = words[10:12]
    last = period + given - wait
    if stride > 1 and measured:
        spread = squares - ticks * ticks / measured
        if spread > 0 and last > measured > 1:
            settled_variance += last / measured * (last - measured) / (measured - 1) * spread
        ticks *= last / measured
    return UnitCycles(
        unit, entries, settled_intervals + last, settled_measured + measured, settled_ticks + ticks, settled_variance
    )
