"""Thresholds, and the estimate of what watching the phases that they select would cost."""

from dataclasses import dataclass
from typing import NamedTuple


class Thetas(NamedTuple):
    """The two thresholds; each is a share of the program's time.

    >>> Thetas(0.1, 0.05).admits(300, 1, 1800)
    True
    """

    weight: float = 0.01
    """Least share that all calls of a phase have together (θ_weight)."""
    grain: float = 0.001
    """Least share that a call of a phase has on average (θ_grain)."""

    def admits(self, total_ns: int, calls: int, whole_ns: int) -> bool:
        """Whether a method with these times is a phase. One of which no time was seen is none, unless any is."""
        if not calls or (not total_ns and self.weight > 0):
            return False
        return total_ns >= self.weight * whole_ns and total_ns >= self.grain * whole_ns * calls


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pair of thresholds would select."""

    thetas: Thetas
    phases: int
    """Methods (static phases)."""
    calls: int
    """Of these methods (dynamic phases)."""
    share_of_calls: float
    """Of all calls that the program made: the document's estimate of the overhead."""
    cost: float
    """Estimated time of watching these calls, as a share of the program's time."""
    coverage: float
    """Share of the time in which at least one of the methods is on the stack."""
    resolved: float
    """The same, without those methods that are the program as a whole."""
