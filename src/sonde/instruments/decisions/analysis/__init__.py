"""What is found in the decisions of one run and of two: what differs, what led to it, and how much time it concerns."""

from sonde.instruments.decisions.analysis.comparison import Comparison, compare_runs
from sonde.instruments.decisions.analysis.findings import findings
from sonde.instruments.decisions.analysis.scope import scope_of, scope_text

__all__ = ["Comparison", "compare_runs", "findings", "scope_of", "scope_text"]
