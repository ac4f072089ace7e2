"""Which units of which run are read: what is hot in one run is looked at in all."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sonde.code import CodeSelection, Function, no_code_left
from sonde.instruments.decisions.analysis.filtered_units import function_of
from sonde.instruments.decisions.experiments import HeatPolicy, hot_units
from sonde.instruments.decisions.model import DecisionRun, Unit

_EVERYTHING = CodeSelection()


class HotCode(NamedTuple):
    """What is looked at in a run."""

    units: list[Unit]
    hot: set[int]
    """Numbers of those that are hot in this very run."""
    weights: dict[int, float]
    """Unit's number -> share of the run's time; without a profile all weigh the same."""


def hot_code(
    runs: Sequence[DecisionRun],
    policy: HeatPolicy,
    name: Callable[[str], str],
    selection: CodeSelection = _EVERYTHING,
) -> list[HotCode]:
    """Choose the units to be read, for each run.

    A unit that is just below the limit in one run and just above it in another would make a difference that is none;
    so of methods that are hot in any run, all units that took time are read in all runs. Runs without a profile have
    all units of these methods read; if no run has a profile, every unit is. Of a selection, methods are read that fit
    in any run.

    Raises:
        UsageError: `no-code-left`, no unit to be read is of such a method.
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
    selected = None if selection.is_everything else _selected(runs, name, selection)
    chosen = []
    for run, numbers in zip(runs, hot, strict=True):
        timed = bool(run.compiled_period)
        units = [
            unit
            for unit in run.units
            if not methods or (name(unit.method) in methods and (unit.period or not timed)) or unit.number in numbers
        ]
        units = [unit for unit in units if selected is None or name(unit.method) in selected]
        if timed:
            total = max(run.profile.total if run.profile is not None else 0, run.compiled_period)
            weights = {unit.number: unit.period / total for unit in units}
        else:
            weights = {unit.number: 1 / len(units) for unit in units}
        chosen.append(HotCode(units, numbers if timed else {unit.number for unit in units}, weights))
    if selected is not None and not any(code.units for code in chosen):
        raise no_code_left(selection, [*_functions(runs)], what="compilation unit that is hot")
    return chosen


def _selected(runs: Sequence[DecisionRun], name: Callable[[str], str], selection: CodeSelection) -> set[str]:
    """Names of the methods that are looked at."""
    return {name(method) for function, method in _functions(runs).items() if selection.has(function)}


def _functions(runs: Sequence[DecisionRun]) -> dict[Function, str]:
    """What was compiled -> its method."""
    return {function_of(run, unit.method): unit.method for run in runs for unit in run.units}
