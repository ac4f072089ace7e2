"""Methods and times as cells: functions, with their language and their place where it is known; parts of a run."""

from sonde.instruments.decisions.analysis.filtered_units import function_of
from sonde.instruments.decisions.model import DecisionRun
from sonde.render.name_text import UNKNOWN, bare_name
from sonde.report import Cell, Named, Part

_UNCUT = 10_000
"""Columns."""


def method_cell(run: DecisionRun, method: str | None, variant: str | None = None) -> Cell:
    """The function that a method is; of a variant its name says so."""
    if method is None:
        return UNKNOWN
    function = function_of(run, method)
    return Named(f"{method} [{variant}]", function) if variant else function


def bare_method_cell(run: DecisionRun, method: str | None) -> Cell:
    """The same without its packages: for trees, in which they repeat."""
    return UNKNOWN if method is None else Named(bare_name(method, _UNCUT), function_of(run, method))


def period_part(run: DecisionRun, period: int) -> Part | None:
    """A period as a part of the run's whole time; None without a profile."""
    if run.profile is None or run.profile.total <= 0:
        return None
    return Part(period, run.profile.total)
