"""Analyses: events in, profiles out, in memory that is known beforehand."""

from sonde.analyses.analysis import Analysis
from sonde.analyses.burst_estimates import scaled
from sonde.analyses.exact_contexts import ExactContexts
from sonde.analyses.hot_contexts import HotContexts
from sonde.analyses.recorded_contexts import RecordedContexts
from sonde.analyses.spooled_contexts import SpooledContexts

__all__ = ["Analysis", "ExactContexts", "HotContexts", "RecordedContexts", "SpooledContexts", "scaled"]
