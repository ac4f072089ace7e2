"""What all views of decisions share: the comparison, what differs most, words, names that fit, and it all as data."""

from sonde.instruments.decisions.report.comparison import Comparison, compare_runs
from sonde.instruments.decisions.report.comparison_data import differences_as_data
from sonde.instruments.decisions.report.consistency_data import consistency_as_data
from sonde.instruments.decisions.report.options import TREES, ConsistencyLimits, DiffOptions, ShowOptions, TreeName
from sonde.instruments.decisions.report.run_data import run_as_data
from sonde.instruments.decisions.report.scope import scope_of, scope_text

__all__ = [
    "Comparison",
    "ConsistencyLimits",
    "DiffOptions",
    "ShowOptions",
    "TREES",
    "TreeName",
    "compare_runs",
    "consistency_as_data",
    "differences_as_data",
    "run_as_data",
    "scope_of",
    "scope_text",
]
