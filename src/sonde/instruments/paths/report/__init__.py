"""Path profiles as reports."""

from sonde.instruments.paths.report.difference_report import difference_report
from sonde.instruments.paths.report.path_report import path_report

__all__ = ["difference_report", "path_report"]
