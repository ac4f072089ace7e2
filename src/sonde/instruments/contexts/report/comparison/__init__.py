"""Two profiles compared, as reports: how they differ, and how accurate one of them is."""

from sonde.instruments.contexts.report.comparison.accuracy_report import accuracy_report
from sonde.instruments.contexts.report.comparison.difference_report import DiffLimits, difference_report
from sonde.instruments.contexts.report.comparison.likeness_report import likeness_report

__all__ = ["DiffLimits", "accuracy_report", "difference_report", "likeness_report"]
