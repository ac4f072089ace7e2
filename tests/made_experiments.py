"""Sides of a comparison made from trees in memory."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees, Unit


class Made(NamedTuple):
    """What a unit is made of."""

    method: str
    period: int = 0
    calls: Sequence[CallSite] = ()
    """In the method."""
    optimizations: Phase | None = None


def inlined(method: str, at: int, *children: CallSite) -> CallSite:
    return CallSite(method, at, inlined=True, children=list(children))


def trees_of(made: Made) -> Trees:
    root = CallSite(made.method, inlined=True, is_root=True, children=list(made.calls))
    return Trees(root, made.optimizations or Phase("RootPhase"))


def experiment(number: int, *units: Made, hot: Sequence[int] = ()) -> Experiment:
    """A side.

    Args:
        hot: numbers of units; none: all with a period.
    """
    listed = [
        Unit(place, made.method, str(number * 100 + place), partial(trees_of, made), period=made.period)
        for place, made in enumerate(units)
    ]
    side = Experiment(DecisionRun(f"run {number}", "graal", "bytecode index", listed), number)
    side.mark([listed[place] for place in hot] if hot else [unit for unit in listed if unit.period])
    return side
