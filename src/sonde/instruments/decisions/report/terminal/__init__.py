"""Decisions on a terminal: of one run, the differences of two, and what tells groups of runs apart."""

from sonde.instruments.decisions.report.terminal.consistency_page import print_consistency
from sonde.instruments.decisions.report.terminal.difference_page import print_differences
from sonde.instruments.decisions.report.terminal.glossary_page import print_meanings
from sonde.instruments.decisions.report.terminal.run_page import print_run

__all__ = ["print_consistency", "print_differences", "print_meanings", "print_run"]
