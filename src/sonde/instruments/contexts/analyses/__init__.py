"""Analyses: events in, profiles out, in memory that is known beforehand."""

from sonde.instruments.contexts.analyses.analysis import Analysis
from sonde.instruments.contexts.analyses.blended_costs import Disagreement, blended_costs, disagreement
from sonde.instruments.contexts.analyses.block_contexts import BlockContexts
from sonde.instruments.contexts.analyses.burst_estimates import scaled
from sonde.instruments.contexts.analyses.compiled_code import PERIOD_NS, of_compiled_code
from sonde.instruments.contexts.analyses.exact_contexts import ExactContexts
from sonde.instruments.contexts.analyses.hot_contexts import HotContexts
from sonde.instruments.contexts.analyses.inlined_calls import with_inlined_functions
from sonde.instruments.contexts.analyses.own_losses import own_losses
from sonde.instruments.contexts.analyses.recorded_contexts import RecordedContexts
from sonde.instruments.contexts.analyses.spooled_contexts import SpooledContexts
from sonde.instruments.contexts.analyses.stack_contexts import NativeSide, SeenStacks, stack_contexts
from sonde.instruments.contexts.analyses.task_contexts import task_contexts
from sonde.instruments.contexts.analyses.unit_contexts import UnitTimes, unit_contexts
from sonde.instruments.contexts.analyses.unit_samples import UnitSamples, unit_samples

__all__ = [
    "NativeSide",
    "PERIOD_NS",
    "Analysis",
    "BlockContexts",
    "Disagreement",
    "ExactContexts",
    "HotContexts",
    "RecordedContexts",
    "SeenStacks",
    "SpooledContexts",
    "UnitSamples",
    "UnitTimes",
    "blended_costs",
    "disagreement",
    "of_compiled_code",
    "own_losses",
    "scaled",
    "stack_contexts",
    "task_contexts",
    "unit_contexts",
    "unit_samples",
    "with_inlined_functions",
]
