"""How surely the own time of a function is known, over all of its contexts, where that was estimated by itself."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sonde.events import Function
from sonde.instruments.contexts.profile.deviations import joint_deviation


class OwnEstimate(NamedTuple):
    """The own time of a function, and its standard error: less than the contexts' together, as changes between contexts
    of one function are no error of it."""

    self_ns: int
    deviation: int


OwnEstimates: TypeAlias = Mapping[Function, OwnEstimate]


def merged_own_estimates(parts: Sequence[OwnEstimates]) -> OwnEstimates:
    """Of independent samples together: the squares add up. None where a part has none at all.

    >>> work = Function("work", "app", "app.py", 5)
    >>> merged_own_estimates([{work: OwnEstimate(10, 3)}, {work: OwnEstimate(20, 4)}])[work]
    OwnEstimate(self_ns=30, deviation=5)
    """
    if not all(parts):
        return {}
    merged: dict[Function, OwnEstimate] = {}
    for function in dict.fromkeys(function for part in parts for function in part):
        found = [part[function] for part in parts if function in part]
        deviation = joint_deviation((each.deviation for each in found), independent=True)
        merged[function] = OwnEstimate(sum(each.self_ns for each in found), deviation)
    return merged


def own_estimate_rows(functions: Sequence[Function], estimates: OwnEstimates) -> list[tuple[int, int, int]]:
    """Number of the function, own time, standard error; as they are kept in a file."""
    return [(number, *estimates[function]) for number, function in enumerate(functions) if function in estimates]


def read_own_estimates(rows: Sequence[Sequence[int]], functions: Sequence[Function]) -> OwnEstimates | None:
    """The same out of a file; None: they make no sense."""
    found: dict[Function, OwnEstimate] = {}
    for number, self_ns, deviation in rows:
        if not 0 <= number < len(functions) or min(self_ns, deviation) < 0:
            return None
        found[functions[number]] = OwnEstimate(self_ns, deviation)
    return found
