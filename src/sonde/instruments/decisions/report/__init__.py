"""Answers about decisions as values: one run, the comparison of two, what tells groups of runs apart, and words."""

from sonde.instruments.decisions.report.comparison_page import comparison_page
from sonde.instruments.decisions.report.comparison_report import comparison_report
from sonde.instruments.decisions.report.consistency_report import consistency_report
from sonde.instruments.decisions.report.run_page import run_page
from sonde.instruments.decisions.report.run_report import run_report

__all__ = ["comparison_page", "comparison_report", "consistency_report", "run_page", "run_report"]
