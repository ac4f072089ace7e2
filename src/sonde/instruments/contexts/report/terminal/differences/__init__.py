"""Differences between two profiles, as text and as plain data."""

from sonde.instruments.contexts.report.terminal.differences.diff_data import diff_as_data
from sonde.instruments.contexts.report.terminal.differences.diff_page import DiffLimits, print_diff

__all__ = ["DiffLimits", "diff_as_data", "print_diff"]
