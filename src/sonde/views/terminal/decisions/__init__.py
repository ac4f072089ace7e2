"""Decisions on a terminal: of one run, the differences of two, and what tells groups of runs apart."""

from sonde.views.terminal.decisions.consistency_page import print_consistency
from sonde.views.terminal.decisions.difference_page import print_differences
from sonde.views.terminal.decisions.glossary_page import print_meanings
from sonde.views.terminal.decisions.run_page import print_run

__all__ = ["print_consistency", "print_differences", "print_meanings", "print_run"]
