"""How a compiled function's time is divided: by what its instructions are expected to cost, corrected by samples."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # few runs need them
    from sonde.ir import SourceFunction
    from sonde.ir.analyses import UnitCosts

WORTH_OF_ESTIMATE = 4.0
"""Samples that the estimate counts as: where there are hundreds, it has no say any more; where there are none, all."""


def blended_costs(estimate: "UnitCosts", samples: "UnitCosts | None") -> "UnitCosts":
    """The mean of the estimated division and the sampled one, weighted by what they are worth.

    Args:
        estimate: in any unit.
        samples: numbers of samples; None: there were none.
    Guarantee: as the mean of a posterior whose prior is the estimate: a part has (n_i + k p_i) / (n + k) for n_i of n
        samples, and p_i of the estimate, which is worth k samples.
    Source: Dirichlet's distribution, the conjugate prior of shares; any textbook.
    """
    from sonde.ir.analyses import UnitCosts  # few runs need it

    if samples is None or not samples.cycles:
        return estimate
    scale = WORTH_OF_ESTIMATE / estimate.cycles if estimate.cycles else 0.0
    parts = {part: cycles * scale for part, cycles in estimate.parts.items()}
    for part, number in samples.parts.items():
        parts[part] = parts.get(part, 0.0) + number
    return UnitCosts(parts, estimate.unplaced * scale + samples.unplaced)


class Disagreement(NamedTuple):
    """How two ways to divide the time of compiled functions differ."""

    share: float
    """Of the time that was compared: what the one gives to another function than the other."""
    by_chance: float
    """Of that, what samples of so many differ from the truth, on average."""
    where: "tuple[SourceFunction, SourceFunction] | None"
    """The compiled function, and the one inlined there or itself, about which they differ most; None: nowhere."""
    estimated: float
    sampled: float
    """Shares of that function, in that compiled function."""


def disagreement(
    units: "Sequence[tuple[SourceFunction, UnitCosts]]", samples: "Mapping[int, UnitCosts]", times: Mapping[int, float]
) -> Disagreement:
    """Compare the estimated division with the sampled one, by function.

    Args:
        units: with their estimates, by number.
        samples: of some units.
        times: of the units; what they weigh.
    Cost: O(n) for n parts.
    """
    differing = chance = whole = most = 0.0
    worst: Disagreement | None = None
    for number, sampled in samples.items():
        unit, estimate = units[number]
        weight, count = times.get(number, 0.0), sampled.cycles
        if not weight or not count or not estimate.cycles:
            continue
        whole += weight
        first, second = _by_function(unit, estimate), _by_function(unit, sampled)
        for function in first.keys() | second.keys():
            p, q = first.get(function, 0.0) / estimate.cycles, second.get(function, 0.0) / count
            differing += weight * abs(p - q) / 2
            chance += weight * _MEAN_OF_NORMAL * sqrt(q * (1 - q) / count) / 2
            if weight * abs(p - q) > most:
                most = weight * abs(p - q)
                worst = Disagreement(0.0, 0.0, (unit, function), p, q)
    if worst is None:
        return Disagreement(0.0, 0.0, None, 0.0, 0.0)
    return worst._replace(share=differing / whole, by_chance=chance / whole)


_MEAN_OF_NORMAL = sqrt(2 / 3.141592653589793)
"""The mean absolute value of a standard normal variable."""


def _by_function(unit: "SourceFunction", costs: "UnitCosts") -> "dict[SourceFunction, float]":
    found = {unit: costs.unplaced}
    for part, cycles in costs.parts.items():
        found[part.functions[0]] = found.get(part.functions[0], 0.0) + cycles
    return found
