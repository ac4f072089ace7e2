"""Which counter a change of a phase is named after, of all that changed with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from sonde.instruments.phases.known_counters import KNOWN_COUNTERS, SIMULATED

LEAST_TIMES = 1.2
"""A count that changed by less is about the same."""
LEAST_EVENTS = 20
"""Fewer of something, on both sides, are chance."""
LEAST_PART = 0.1
"""Of what all changes are worth together; what is worth less is no reason."""
_INSTRUCTIONS = (f"{SIMULATED}instructions", "instructions")
_NO_REASONS = ("task-clock", "cycles", "branches", "cache-references", f"{SIMULATED}accesses")
"""Times are what is to be explained, and the others go with instructions."""
_CYCLES = {each.name: each.cycles for each in KNOWN_COUNTERS}


@dataclass(frozen=True, slots=True)
class CounterChange:
    """How often something was counted in a phase."""

    name: str
    before: int
    after: int


def changed_counter(changes: Sequence[CounterChange]) -> CounterChange | None:
    """The counter that a phase has more (or less) of, and that is worth something; None: about all is as before.

    Where instructions were counted, what grows as they do is more work, and they are named; else the counter whose
    rate by instruction changed most, of those that matter: that have a tenth of all that the changes are worth, in
    cycles that such an event takes typically. One miss that becomes two hundred matters less than a million
    instructions more. Without instructions, what changed most as a multiple is named.

    Guarantee: exchanging before and after names the same counter.
    Cost: O(counters).
    """
    told = [each for each in changes if each.name not in _NO_REASONS and max(each.before, each.after) >= LEAST_EVENTS]
    work = next((each for name in _INSTRUCTIONS for each in told if each.name == name), None)
    if work is None:
        changed = [each for each in told if abs(_log_ratio(each)) > log(LEAST_TIMES)]
        return max(changed, key=lambda each: abs(_log_ratio(each)), default=None)
    worth = {each.name: (each.after - each.before) * _CYCLES.get(each.name, 0.0) for each in told}
    if not sum(worth.values()):
        return None
    direction = 1 if sum(worth.values()) > 0 else -1
    whole = sum(max(direction * each, 0.0) for each in worth.values())
    matter = [each for each in told if whole and direction * worth[each.name] >= LEAST_PART * whole]
    by_instruction = {
        each.name: direction * (_log_ratio(each) - _log_ratio(work))
        for each in matter
        if each.name not in _INSTRUCTIONS
    }
    most = max(matter, key=lambda each: by_instruction.get(each.name, 0.0), default=None)
    if most is not None and by_instruction.get(most.name, 0.0) > log(LEAST_TIMES):
        return most
    return work if direction * _log_ratio(work) > log(LEAST_TIMES) else None


def _log_ratio(change: CounterChange) -> float:
    """Half of one is added, as where nothing was counted there may be a little."""
    return log((change.after + 0.5) / (change.before + 0.5))
