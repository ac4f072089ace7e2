"""Which units of which run are read: what is hot in one run is looked at in all."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sonde.instruments.decisions.experiments import HeatPolicy, hot_units
from sonde.instruments.decisions.model import DecisionRun, Unit


class HotCode(NamedTuple):
    """What is looked at in a run."""

    units: list[Unit]
    hot: set[int]
    """Numbers of those that are hot in this very run."""
    weights: dict[int, float]
    """Unit's number -> share of the run's time; without a profile all weigh the same."""


def hot_code(runs: Sequence[DecisionRun], policy: HeatPolicy, name: Callable[[str], str]) -> list[HotCode]:
    """Choose the units to be read, for each run.

    A unit that is just below the limit in one run and just above it in another would make a difference that is none;
    so of methods that are hot in any run, all units that took time are read in all runs. Runs without a profile have
    all units of these methods read; if no run has a profile, every unit is.
    """
    hot: list[set[int]] = [
        {unit.number for unit in hot_units(run.units, policy)} if run.compiled_period else set() for run in runs
    ]
    methods = {
        name(unit.method)
        for run, numbers in zip(runs, hot, strict=True)
        for unit in run.units
        if unit.number in numbers
    }
    chosen = []
    for run, numbers in zip(runs, hot, strict=True):
        timed = bool(run.compiled_period)
        units = [
            unit
            for unit in run.units
            if not methods or (name(unit.method) in methods and (unit.period or not timed)) or unit.number in numbers
        ]
        if timed:
            total = max(run.profile.total if run.profile is not None else 0, run.compiled_period)
            weights = {unit.number: unit.period / total for unit in units}
        else:
            weights = {unit.number: 1 / len(units) for unit in units}
        chosen.append(HotCode(units, numbers if timed else {unit.number for unit in units}, weights))
    return chosen
