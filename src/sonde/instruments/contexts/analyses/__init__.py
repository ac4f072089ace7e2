"""Analyses: events in, profiles out, in memory that is known beforehand."""

from sonde.instruments.contexts.analyses.analysis import Analysis
from sonde.instruments.contexts.analyses.burst_estimates import scaled
from sonde.instruments.contexts.analyses.exact_contexts import ExactContexts
from sonde.instruments.contexts.analyses.hot_contexts import HotContexts
from sonde.instruments.contexts.analyses.recorded_contexts import RecordedContexts
from sonde.instruments.contexts.analyses.spooled_contexts import SpooledContexts

__all__ = ["Analysis", "ExactContexts", "HotContexts", "RecordedContexts", "SpooledContexts", "scaled"]
