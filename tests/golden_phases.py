"""Answers about phases that golden files hold: of `view` and `diff`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from golden_answers import Case
from made_phases import MS, Made, phase_profile, sort_program
from sonde.evidence import Loss
from sonde.instruments.phases.profile import PhaseProfile, write_phase_profile

_ALL = frozenset({"text", "json", "markdown", "page"})


def _file(profile: PhaseProfile) -> Callable[[Path], object]:
    return lambda path: write_phase_profile(path, profile)


def lossy() -> PhaseProfile:
    """Counters are missing, and the program was killed."""
    missing = Loss("counters-missing", 2, "counters cannot be had here: instructions, cycles", hint="sonde doctor")
    return replace(sort_program(), losses=(missing,), is_complete=False)


def slower() -> PhaseProfile:
    """`read` takes three times as long, with as many more page faults."""
    calls = [Made(1, n * 30 * MS, n * 30 * MS + 15 * MS, (15 * MS, 1500, 2)) for n in range(6)]
    counters = ("task-clock", "page-faults", "context-switches")
    return phase_profile(["main", "read", "sort"], counters, calls, 200 * MS)


CASES: dict[str, Case] = {
    "view/phases": Case(("view", "a.sonde", "--rows", "6"), {"a.sonde": _file(sort_program())}, forms=_ALL),
    "view/phases-lossy": Case(("view", "a.sonde", "-v"), {"a.sonde": _file(lossy())}),
    "diff/phases": Case(("diff", "a.sonde", "b.sonde"), {"a.sonde": _file(sort_program()), "b.sonde": _file(slower())}),
}
