"""Decisions as an HTML page: trees side by side to unfold and to search, and what differs most."""

from sonde.views.html.decisions.decisions_page import write_differences, write_run

__all__ = ["write_differences", "write_run"]
