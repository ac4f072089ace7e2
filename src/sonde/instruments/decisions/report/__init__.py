"""Answers about decisions as values: one run, the comparison of two, what tells groups of runs apart, and words."""

from sonde.instruments.decisions.report.comparison import Comparison, compare_runs
from sonde.instruments.decisions.report.comparison_report import comparison_report
from sonde.instruments.decisions.report.consistency_report import consistency_report
from sonde.instruments.decisions.report.options import TREES, ConsistencyLimits, DiffOptions, ShowOptions, TreeName
from sonde.instruments.decisions.report.run_report import run_report
from sonde.instruments.decisions.report.scope import scope_of, scope_text

__all__ = [
    "Comparison",
    "ConsistencyLimits",
    "DiffOptions",
    "ShowOptions",
    "TREES",
    "TreeName",
    "compare_runs",
    "comparison_report",
    "consistency_report",
    "run_report",
    "scope_of",
    "scope_text",
]
