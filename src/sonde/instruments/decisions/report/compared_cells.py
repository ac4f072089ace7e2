"""What compared methods and compilations are called, and the time in them: for text, data and pages."""

from collections.abc import Iterator

from sonde.instruments.decisions.analysis.comparison import AnyDelta, ComparedMethod, ComparedUnits
from sonde.instruments.decisions.analysis.shares import (
    SIDES,
    compilation_name,
    share_of_run,
    share_text,
)
from sonde.instruments.decisions.experiments import Compilation, Experiment, Fragment, TooBig
from sonde.instruments.decisions.options import TREES, TreeName
from sonde.instruments.decisions.report.cells import period_part
from sonde.render.name_text import short_name
from sonde.report import (
    Cell,
    Column,
)

_NAME = 48
"""Columns of a method's name in a note."""

SHARE_COLUMNS = (Column("a", SIDES[0], "count", shown="share"), Column("b", SIDES[1], "count", shown="share"))


def method_shares(method: ComparedMethod) -> tuple[Cell, Cell]:
    """The time of a method in both runs."""
    first, second = (
        period_part(experiment.run, experiment.total_period(method.method))
        for experiment in (method.pair.first, method.pair.second)
    )
    return first, second


def compilation_text(experiment: Experiment, compilation: Compilation) -> str:
    """Which compilation it is, what it is a fragment of, and how much time it has."""
    text = compilation_name(compilation)
    if isinstance(compilation, Fragment):
        text += f" in {short_name(compilation.parent.method, _NAME)}"
    share = share_of_run(experiment.run, compilation.period)
    return text if share is None else f"{text} ({share_text(share)})"


def trees_of(units: ComparedUnits, *, pruned: bool) -> Iterator[tuple[TreeName, AnyDelta | TooBig]]:
    """The trees of differences that were made, by name."""
    differences = units.pruned if pruned else units.whole
    trees = (differences.inlining, differences.optimizations, differences.context)
    for name, tree in zip(TREES, trees, strict=True):
        if tree is not None:
            yield name, tree
