"""Analyses: events in, profiles out, in memory that is known beforehand."""

from sonde.analyses.exact_contexts import ExactContexts
from sonde.analyses.spooled_contexts import SpooledContexts

__all__ = ["ExactContexts", "SpooledContexts"]
