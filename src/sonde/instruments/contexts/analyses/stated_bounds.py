"""What an approximate profile says of its own bounds, when there was less room than they take."""

from array import array
from dataclasses import replace
from typing import Protocol

from sonde.instruments.contexts.profile import ContextProfile, Loss

_ROUNDING = 1.001
"""Clocks' rates are known to less than a thousandth, and nanoseconds are whole."""


class Counted(Protocol):
    """What every tree says of events that it could not count."""

    @property
    def unmatched(self) -> int: ...
    @property
    def dropped(self) -> int: ...


def losses_of(tree: Counted) -> tuple[Loss, ...]:
    """What a tree that was fed with events lacks."""
    losses = []
    if tree.unmatched:
        detail = "ends of calls whose beginning was not recorded were ignored"
        losses.append(Loss("unmatched-ends", tree.unmatched, detail))
    if tree.dropped:
        detail = "calls found no room, as the stack was deeper than the tree may have nodes, and were not counted"
        losses.append(Loss("contexts-not-stored", tree.dropped, detail))
    return tuple(losses)


def at_most_ns(ticks: int, ns_per_tick: float) -> int:
    """Ticks as nanoseconds, rounded up: a bound that is added to a value that was rounded to the nearest.

    >>> at_most_ns(3, 0.5), at_most_ns(3, 1.0)
    (2, 3)
    """
    if ns_per_tick == 1.0:
        return ticks
    ns = ticks * ns_per_tick
    return int(ns) + (int(ns) < ns)


def widened(profile: ContextProfile, dropped: int) -> ContextProfile:
    """Let errors and floor bound what was dropped as well: any context may have been among it.

    Args:
        dropped: calls or nanoseconds, by metric, that were counted in no context.
    """
    bounds, tree = profile.approximation, profile.contexts
    if bounds is None or not dropped:
        return profile
    error = tree.error or bytes(len(tree))
    return replace(
        profile,
        contexts=replace(tree, error=array("q", (each + dropped for each in error))),
        approximation=replace(bounds, floor=bounds.floor + dropped),
    )


def with_exceeded_bound(profile: ContextProfile) -> ContextProfile:
    """The profile, with a loss if its floor is more than epsilon of the total."""
    bounds = profile.approximation
    if bounds is None:
        return profile
    by_calls = bounds.metric == "calls"
    total = profile.total_calls if by_calls else profile.total_ns
    if bounds.floor <= _ROUNDING * bounds.epsilon * total + max(1, len(profile.processes)):
        return profile
    unit = "calls" if by_calls else "nanoseconds"
    detail = f"{unit} that a context which is not listed may have: there was too little room for epsilon"
    return replace(profile, losses=(*profile.losses, Loss("bound-exceeded", bounds.floor, detail)))
