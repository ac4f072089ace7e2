"""What became of the calls and the code of each unit, in numbers: to stand beside what was measured of its function."""

from sonde.base.errors import InputError
from sonde.instruments.decisions.analysis.chosen_units import chosen_units
from sonde.instruments.decisions.analysis.words import call_counts
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import CallKind, Decision, Phase, Unit
from sonde.instruments.decisions.report.cells import method_cell
from sonde.report import Column, Fact, Facts, Report, Row, Table

_MOST_UNITS = 500
"""Units whose trees are read: those with the most time, else the first ones of the record."""


def summary_report(experiment: Experiment) -> Report:
    """Calls inlined and not, optimizations applied and missed, for each of the first units.

    Cost: reads the trees of at most `_MOST_UNITS` units.
    """
    run = experiment.run
    units = chosen_units(experiment, only_hot=False)
    rows = [row for unit in units[:_MOST_UNITS] if (row := _row(experiment, unit)) is not None]
    columns = (
        Column("inlined", "inlined", "count", meaning="calls that became part of the function"),
        Column("not_inlined", "calls left", "count", meaning="calls that are in the compiled code"),
        Column("applied", "optimized", "count", meaning="optimizations that were applied"),
        Column("missed", "missed", "count", shown="data", meaning="optimizations that could not be applied"),
        Column("method", "method", "name"),
    )
    table = Table("units", "compilation units", columns, rows, noun="unit", left_out=len(units) - len(rows))
    facts = Facts((Fact("units", len(run.units), "count", "{} compilation units", "{} compilation unit"),), "run")
    return Report("decisions", run.name, (facts, table))


def _row(experiment: Experiment, unit: Unit) -> Row | None:
    try:
        trees = unit.load()
    except InputError:
        return None
    calls = call_counts(trees.inlining)
    left = sum(calls.get(kind, 0) for kind in (CallKind.DIRECT, CallKind.INDIRECT, CallKind.DEVIRTUALIZED))
    outcomes = _outcomes(trees.optimizations)
    name = method_cell(experiment.run, unit.method, unit.variant)
    return Row((calls.get(CallKind.INLINED, 0), left, outcomes.get("applied", 0), outcomes.get("missed", 0), name))


def _outcomes(root: Phase) -> dict[str, int]:
    """How many decisions below a phase had which outcome."""
    counts: dict[str, int] = {}
    pending: list[Phase | Decision] = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, Phase):
            pending.extend(each.children)
        else:
            counts[each.outcome] = counts.get(each.outcome, 0) + 1
    return counts
