"""The flat profile as people read it: functions that do something, and in one line each what waits and what imports."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.contexts.analysis.uncertainty import deviations_of_functions
from sonde.instruments.contexts.profile import (
    IMPORTS,
    WAITING,
    ContextProfile,
    FunctionTotals,
    are_independent,
    is_stand_in,
    is_waiting,
    regrouped_deviations,
    totals_by_function,
)


@dataclass(frozen=True, slots=True)
class FunctionGroup:
    """A function, or all functions that a stand-in is for."""

    function: int
    """Number in `GroupedFunctions.functions`."""
    own: int
    """Own weight: nanoseconds, or calls when times were not measured; never more than the truth."""
    calls: int
    total: int
    """Inclusive weight, recursion counted once."""
    contexts: int
    deviation: int
    """Standard error of `own`, at most; 0 when nothing was sampled."""


class GroupedFunctions:
    """Sums over the contexts of each function, those of all that wait taken together.

    Args:
        profile: as it is shown.
        totals: of the functions of the profile.
    Where times were not measured nothing is known of waiting.

    Guarantee: own weights of all groups add up to those of all functions.
    Cost: O(n) for n contexts.
    """

    def __init__(self, profile: ContextProfile, totals: FunctionTotals) -> None:
        waiting = len(profile.functions)
        self.functions = (*profile.functions, WAITING)
        group_of = [
            waiting if function == WAITING or (profile.has_time and is_waiting(function)) else number
            for number, function in enumerate(profile.functions)
        ]
        tree = profile.contexts
        of_groups = totals_by_function(tree, [group_of[function] for function in tree.function], waiting + 1)
        inclusive = of_groups.total_ns if profile.has_time else of_groups.total_calls
        known = totals.total_ns if profile.has_time else totals.total_calls
        own, calls, contexts = (
            _gathered(column, group_of)
            for column in (totals.self_ns if profile.has_time else totals.calls, totals.calls, totals.contexts)
        )
        deviations = _deviations(profile, group_of, waiting + 1)
        totals_of = [max(*pair) for pair in zip(inclusive, (*known, 0), strict=True)]
        totals_of[waiting] = max(totals_of[waiting], own[waiting])
        groups = [
            FunctionGroup(number, own[number], calls[number], totals_of[number], contexts[number], deviations[number])
            for number in range(waiting + 1)
            if own[number] > 0
        ]
        self.groups = sorted(groups, key=lambda group: (-group.own, group.function))
        """Those with own weight, heaviest first."""
        self.covered = sum(own)
        """Own weight of all contexts that are known."""
        self.waiting = own[waiting]
        self.imports = sum(own[number] for number, function in enumerate(profile.functions) if function == IMPORTS)

    @property
    def work(self) -> list[FunctionGroup]:
        """Functions of the program and its libraries that do something, heaviest first."""
        return [group for group in self.groups if not is_stand_in(self.functions[group.function])]


def _gathered(column: Sequence[int], group_of: Sequence[int]) -> list[int]:
    sums = [0] * (len(group_of) + 1)
    for group, value in zip(group_of, column or [0] * len(group_of), strict=True):
        sums[group] += value
    return sums


def _deviations(profile: ContextProfile, group_of: Sequence[int], count: int) -> Sequence[int]:
    """Standard errors of own values by group; zeros where nothing was sampled, or not all contexts were read."""
    tree = profile.contexts
    column = () if profile.pruned_contexts else tree.ns_deviation if profile.has_time else tree.calls_deviation
    of_functions = deviations_of_functions(profile, column)
    independent = profile.has_time and are_independent(profile.sampling)
    return regrouped_deviations(of_functions, group_of, count, independent=independent) or [0] * count
