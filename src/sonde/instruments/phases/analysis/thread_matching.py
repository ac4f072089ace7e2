"""Which thread of a run is which of another: names follow the order in which threads begin, and that may differ."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde.instruments.phases.profile import NO_CALL, PhaseProfile, PhaseThread


def with_matching_threads(first: PhaseProfile, other: PhaseProfile, phase_of: Sequence[int]) -> PhaseProfile:
    """The other run, its threads named as those of the first that did the same.

    Threads of one name that made the same calls are a pair; then those that made the same calls, in their order. Of
    the rest each keeps its name if that is free, else it has one that is left.

    Args:
        phase_of: of each phase of `other`, its number in `first`; `NO_CALL`: that does not have it.
    Guarantee: names stay different; no pair of one name that made the same calls is parted.
    Cost: O(n) for n calls.
    """
    did = {thread.name: _calls_made(thread, range(len(first.phases))) for thread in first.threads}
    did_there = [_calls_made(thread, phase_of) for thread in other.threads]
    name_of: dict[int, str] = {
        at: thread.name for at, thread in enumerate(other.threads) if did.get(thread.name) == did_there[at]
    }
    free: dict[bytes, list[str]] = {}
    taken = set(name_of.values())
    for name, calls in did.items():
        if name not in taken:
            free.setdefault(calls, []).append(name)
    for at, calls in enumerate(did_there):
        if at not in name_of and free.get(calls):
            name_of[at] = free[calls].pop(0)
    taken = set(name_of.values())
    rest = [at for at in range(len(other.threads)) if at not in name_of]
    for at in rest:
        if other.threads[at].name not in taken:
            name_of[at] = other.threads[at].name
            taken.add(name_of[at])
    left = iter([name for name in dict.fromkeys((*did, *(each.name for each in other.threads))) if name not in taken])
    for at in rest:
        if at not in name_of:
            name_of[at] = next(left)
    return replace(other, threads=tuple(replace(thread, name=name_of[at]) for at, thread in enumerate(other.threads)))


def around(thread: PhaseThread, phase_of: Sequence[int]) -> Sequence[int]:
    """Of each call, the nearest one around it whose phase the first run has."""
    calls = thread.calls
    found = array("q")
    for parent in calls.parent:
        known = parent == NO_CALL or phase_of[calls.phase[parent]] != NO_CALL
        found.append(parent if known else found[parent])
    return found


def _calls_made(thread: PhaseThread, phase_of: Sequence[int]) -> bytes:
    """The calls of phases that the first run has, in their order: which, within which, and whether resumed."""
    calls, made = thread.calls, array("q")
    for row, caller in enumerate(around(thread, phase_of)):
        phase = phase_of[calls.phase[row]]
        if phase != NO_CALL:
            within = NO_CALL if caller == NO_CALL else phase_of[calls.phase[caller]]
            made.extend((phase, within, calls.is_resumed[row]))
    return made.tobytes()
