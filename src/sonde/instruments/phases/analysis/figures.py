"""What follows from the columns of calls, worked out once: lengths, own amounts, which calls are the outermost."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.phases.profile import PhaseProfile, PhaseThread


@dataclass(frozen=True, slots=True, eq=False)
class ThreadFigures:
    """The calls of one thread; columns have a value for each."""

    thread: PhaseThread
    elapsed_ns: Sequence[int]
    """With all that they call, without what watching took."""
    own_ns: Sequence[int]
    """Without phases in them."""
    own: tuple[Sequence[int], ...]
    """Of each counter, likewise."""
    is_outermost: Sequence[int]
    """1: no call of the same phase is further up."""


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """A profile, and what follows from it."""

    profile: PhaseProfile
    threads: tuple[ThreadFigures, ...]


def figures_of(profile: PhaseProfile) -> Figures:
    """Work it out.

    Cost: O(n) for n calls, times the counters; O(n d) where methods recurse d deep.
    """
    threads = []
    for thread in profile.threads:
        calls = thread.calls
        elapsed = calls.elapsed_ns()
        own = tuple(calls.exclusive(column) for column in calls.counters)
        threads.append(ThreadFigures(thread, elapsed, calls.exclusive(elapsed), own, calls.is_outermost()))
    return Figures(profile, tuple(threads))
