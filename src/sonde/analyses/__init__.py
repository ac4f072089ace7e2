"""Analyses: events in, profiles out, in memory that is known beforehand."""

from sonde.analyses.analysis import Analysis
from sonde.analyses.exact_contexts import ExactContexts
from sonde.analyses.spooled_contexts import SpooledContexts

__all__ = ["Analysis", "ExactContexts", "SpooledContexts"]
