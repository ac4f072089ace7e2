"""Which counters are counted together: a group for each run of the program."""

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from sonde.instruments.phases.known_counters import (
    HARDWARE_COUNTERS,
    MOST_COUNTERS,
    SIMULATED,
    SLOWING_COUNTERS,
)

CLOCK = "task-clock"
_MOST_HARDWARE = 4
"""Of the hardware's in a run, so that the others of a run fit."""


class CounterGroups(NamedTuple):
    """How counters are divided among runs."""

    groups: tuple[tuple[str, ...], ...]
    """One or more. Those that cost nothing are in all of them but the last, if that is simulated."""
    missing: tuple[str, ...]
    """Of those that were asked for, those that cannot be had here."""


def groups_of(names: Sequence[str], runs: int, available: Callable[[tuple[str, ...]], Container[str]]) -> CounterGroups:
    """Divide counters among runs.

    What the processor counts is asked of it: a group is as many of the rest as it counts at a time. Counters that slow
    the program down have a run of their own if there is more than one, so that the times are not theirs. Those that are
    simulated have the last run for themselves: its times say nothing.

    Args:
        names: of all counters.
        runs: so many runs at least; where more are needed than there are groups, groups come again.
        available: which of some counters can be had together.
    Guarantee: each counter that can be had is in a group, and no group has more than the agent counts. Counters of the
        hardware that cannot be counted together share no group.
    Cost: a call of `available` for each group, and one.
    """
    simulated = tuple(name for name in names if name.startswith(SIMULATED))
    others = (*HARDWARE_COUNTERS, *SLOWING_COUNTERS, *simulated)
    free = [name for name in names if name not in others] or [CLOCK]
    slowing = [name for name in names if name in SLOWING_COUNTERS]
    hardware = [name for name in names if name in HARDWARE_COUNTERS]
    parts: list[list[str]] = []
    while hardware:
        had = available(tuple(hardware[:_MOST_HARDWARE]))
        part = [name for name in hardware[:_MOST_HARDWARE] if name in had]
        if not part:
            # The first may be one that there is not; others are to be tried without it.
            one_by_one = [name for name in hardware if name in available((name,))]
            part = one_by_one[:1]
            if not part:
                break
        parts.append(part)
        hardware = [name for name in hardware if name not in part and name in available((name,))]
    had = {name for part in parts for name in part}
    parts = parts or [[]]
    if slowing and (len(parts) > 1 or runs > 1):
        parts.append(slowing)
    elif slowing:
        parts[0] += slowing
    groups = [tuple(dict.fromkeys((*free, *part)))[:MOST_COUNTERS] for part in parts]
    groups += [groups[at % len(groups)] for at in range(runs - len(groups))]
    groups += [simulated] if simulated else []
    return CounterGroups(tuple(groups), tuple(name for name in names if name in HARDWARE_COUNTERS and name not in had))
