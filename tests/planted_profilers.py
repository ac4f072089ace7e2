"""Profilers that are run for real and whose faults are known: sonde's own, whose answers are spoilt."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sonde.instruments.audit.sources import Driver, Told
from sonde.instruments.audit.sources.drivers import COUNTING, SONDE_SAMPLE, read_calls


def _drops_tenth(path: Path) -> Told:
    told = SONDE_SAMPLE.read(path)
    own = {name: amount * 0.9 for name, amount in told.own.items()}
    return Told(own, total_ns=round(0.9 * (told.total_ns or 0)))


def _charges_callers(path: Path) -> Told:
    told = SONDE_SAMPLE.read(path)
    return Told(told.charged, total_ns=told.total_ns)


def _counts_calls(path: Path) -> Told:
    return Told({name: float(count) for name, count in read_calls(path).of.items()})


PLANTED: Mapping[str, tuple[Driver, list[str]]] = {
    "honest": (replace(SONDE_SAMPLE, name="honest"), []),
    "drops": (replace(SONDE_SAMPLE, name="drops", read=_drops_tenth), ["loses-time"]),
    "callers": (replace(SONDE_SAMPLE, name="callers", read=_charges_callers), ["charges-callers"]),
    "calls": (replace(COUNTING, name="calls", read=_counts_calls), ["counts-calls"]),
}
"""By name, with the faults that an audit is to find."""
