"""Path profiles as reports."""

from sonde.instruments.paths.report.advice_report import advice_report
from sonde.instruments.paths.report.difference_report import difference_report
from sonde.instruments.paths.report.path_report import path_report

__all__ = ["advice_report", "difference_report", "path_report"]
