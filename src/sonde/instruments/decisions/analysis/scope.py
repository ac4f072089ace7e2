"""How much of two runs a comparison looked at."""

from dataclasses import dataclass
from typing import Literal

from sonde.base.units import counted, format_count
from sonde.instruments.decisions.analysis.comparison import Comparison
from sonde.instruments.decisions.analysis.shares import SIDES, share_of_run, share_text, unit_number


@dataclass(frozen=True, slots=True)
class Scope:
    """What was compared."""

    which: Literal["hot", "all"]
    """Whether only hot units were."""
    units: tuple[int, int]
    """How many, on either side."""
    methods: int
    shares: tuple[float | None, float | None]
    """Of the whole time of either run; None: it has no profile."""
    cold: tuple[int, int]
    """Units that were left out since they are not hot."""
    fragments: tuple[int, int]
    """Fragments that were left out since their units have too many."""


def scope_of(comparison: Comparison) -> Scope:
    """Sum up the units of all pairs, each once."""
    compared: tuple[dict[int, int], dict[int, int]] = ({}, {})
    methods = [method for method in comparison.methods if method.units]
    for method in methods:
        for units in method.units:
            for side, compilation in enumerate((units.pair.first, units.pair.second)):
                compared[side][unit_number(compilation)] = compilation.period
    first, second = (
        share_of_run(experiment.run, sum(periods.values()))
        for experiment, periods in zip(comparison.experiments(), compared, strict=True)
    )
    is_all = comparison.options.cold_too
    cold = [0 if is_all else len(side.run.units) - len(side.hot) for side in comparison.experiments()]
    return Scope(
        "all" if is_all or not any(cold) else "hot",
        (len(compared[0]), len(compared[1])),
        len(methods),
        (first, second),
        (cold[0], cold[1]),
        (comparison.first.fragments_left_out, comparison.second.fragments_left_out),
    )


def scope_text(scope: Scope) -> str:
    """Units, methods and shares of time: `10 units against 12 for 9 methods, 36.0% of the time of A`."""
    shares = [
        f"{share_text(share)} of the time of {side}"
        for share, side in zip(scope.shares, SIDES, strict=True)
        if share is not None
    ]
    words = f"{counted(scope.units[0], 'unit')} against {format_count(scope.units[1])}"
    return ", ".join([f"{words} for {counted(scope.methods, 'method')}", *shares])
