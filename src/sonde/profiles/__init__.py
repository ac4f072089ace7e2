"""Profiles: what was learnt from a run, as values that can be kept, read, checked and compared."""

from sonde.events import FUNCTION_KINDS, Function, FunctionKind
from sonde.profiles.approximation import METRICS, Approximation, Metric, Sampling, hot_threshold
from sonde.profiles.context_profile import (
    NO_PARENT,
    ContextProfile,
    Contexts,
    Loss,
    MeasuredProcess,
    Run,
    contexts_from_self,
)
from sonde.profiles.focus import focus_on
from sonde.profiles.function_totals import FunctionTotals, function_totals, totals_by_function
from sonde.profiles.hot_contexts import ContextClass, context_classes, hot_context_tree
from sonde.profiles.merging import merge_profiles
from sonde.profiles.profile_file import ContextRow, ProfileWriter, read_function_totals, read_profile, write_profile
from sonde.profiles.program_identity import are_of_one_program, program_name

__all__ = [
    "FUNCTION_KINDS",
    "METRICS",
    "NO_PARENT",
    "Approximation",
    "ContextClass",
    "ContextProfile",
    "ContextRow",
    "Contexts",
    "Function",
    "FunctionKind",
    "FunctionTotals",
    "Loss",
    "MeasuredProcess",
    "Metric",
    "ProfileWriter",
    "Run",
    "Sampling",
    "are_of_one_program",
    "context_classes",
    "contexts_from_self",
    "focus_on",
    "function_totals",
    "hot_context_tree",
    "hot_threshold",
    "merge_profiles",
    "program_name",
    "read_function_totals",
    "read_profile",
    "totals_by_function",
    "write_profile",
]
