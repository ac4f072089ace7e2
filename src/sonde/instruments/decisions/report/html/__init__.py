"""Decisions as HTML pages: trees side by side to unfold and to search, what differs most; what tells groups apart."""

from sonde.instruments.decisions.report.html.consistency_page import write_consistency
from sonde.instruments.decisions.report.html.decisions_page import write_differences, write_run

__all__ = ["write_consistency", "write_differences", "write_run"]
