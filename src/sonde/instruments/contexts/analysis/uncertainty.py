"""How far the values of each context of a profile can be trusted, in numbers."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import sub

from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextClass,
    ContextProfile,
    are_independent,
    joint_deviation,
    regrouped_deviations,
)

DEVIATIONS_OF_95_PERCENT = 2
"""Standard errors on either side that hold the truth 19 times out of 20, for sums over many bursts."""

LEAST_TOLD_ERROR = 0.01
"""Share of a value from which on it is worth saying that it may be so much too small."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How far the own values of some contexts, taken together, may be from the truth."""

    error: int
    """Calls or nanoseconds, whichever the approximation is of, that may be missing."""
    calls_deviation: int
    """Standard error of their calls, at most; 0 when nothing was sampled."""
    ns_deviation: int
    """Standard error of their own time, at most."""
    heat: ContextClass
    """That of the hottest of them; `cold` when nobody has said what is hot."""


class Uncertainties:
    """Looks up uncertainties of contexts; all of them are zero in an exact profile.

    Cost: O(n) to build for n contexts, O(rows) for each question.
    """

    def __init__(self, profile: ContextProfile) -> None:
        tree = profile.contexts
        self._error, self._calls, self._ns = tree.error, tree.calls_deviation, tree.ns_deviation
        self._are_independent = are_independent(profile.sampling)
        self._values = profile.metric_values()
        self._threshold = None if profile.approximation is None else profile.hot_threshold

    def of(self, rows: Sequence[int]) -> Uncertainty:
        """The uncertainty about the sum over some contexts.

        Guarantee: the standard error of a sum is at most the sum of the standard errors, whether contexts run
            in the same bursts or not; so is the uncertainty given here. At a look one context runs, and the squares
            add up.
        """
        return Uncertainty(
            error=_sum(self._error, rows),
            calls_deviation=_sum(self._calls, rows),
            ns_deviation=joint_deviation(
                (self._ns[row] for row in rows) if self._ns else (), independent=self._are_independent
            ),
            heat=self._heat(rows),
        )

    def _heat(self, rows: Sequence[int]) -> ContextClass:
        values, error, threshold = self._values, self._error, self._threshold
        if threshold is None:
            return "cold"
        if any(values[row] >= threshold for row in rows):
            return "hot"
        is_possible = bool(error) and any(values[row] + error[row] >= threshold for row in rows)
        return "possibly hot" if is_possible else "cold"


def largest_error(profile: ContextProfile) -> int:
    """Calls or nanoseconds that the own value of any context of the profile may be too small by."""
    if profile.approximation is None:
        return 0
    # Of contexts that were not read, it is only known that their error is not above the floor.
    return max(profile.contexts.error, default=0) if not profile.pruned_contexts else profile.approximation.floor


def not_kept_below(parent: Sequence[int], own: Sequence[int], total: Sequence[int]) -> "array[int]":
    """What the total of each context has beyond its own value and the totals of its children: (n_contexts,).

    Zero in a whole tree. Else it belongs to callees that were given up in bounded memory, or not read.

    >>> list(not_kept_below([-1, 0, 0], own=[1, 2, 3], total=[10, 2, 4]))
    [3, 0, 1]
    """
    rest = array("q", map(sub, total, own))
    for row, above in enumerate(parent):
        if above != NO_PARENT:
            rest[above] -= total[row]
    return rest


def deviations_of_functions(profile: ContextProfile, column: Sequence[int]) -> list[int]:
    """Standard errors of sums over the contexts of each function, at most; empty when nothing was sampled.

    Args:
        column: (n_contexts,) standard errors of the contexts, or empty.
    Guarantee: where the own time of a function was estimated by itself, and all of it is here, no more than that
        estimate's standard error.
    """
    if not column:
        return []
    tree = profile.contexts
    independent = column is tree.ns_deviation and are_independent(profile.sampling)
    deviations = [*regrouped_deviations(column, tree.function, len(profile.functions), independent=independent)]
    if profile.own_estimates and column is tree.ns_deviation:
        own = [0] * len(profile.functions)
        for number, ns in zip(tree.function, tree.self_ns, strict=True):
            own[number] += ns
        for number, function in enumerate(profile.functions):
            estimate = profile.own_estimates.get(function)
            if estimate is not None and estimate.self_ns == own[number]:
                deviations[number] = min(deviations[number], estimate.deviation)
    return deviations


def _sum(column: Sequence[int], rows: Iterable[int]) -> int:
    return sum(column[row] for row in rows) if column else 0
