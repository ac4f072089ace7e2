"""Profiles: what was learnt from a run, as values that can be kept, read, checked and compared."""

from sonde.events import FUNCTION_KINDS, Function, FunctionKind
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
from sonde.profiles.profile_file import ContextRow, ProfileWriter, read_function_totals, read_profile, write_profile

__all__ = [
    "FUNCTION_KINDS",
    "NO_PARENT",
    "ContextProfile",
    "ContextRow",
    "Contexts",
    "Function",
    "FunctionKind",
    "FunctionTotals",
    "Loss",
    "MeasuredProcess",
    "ProfileWriter",
    "Run",
    "contexts_from_self",
    "focus_on",
    "function_totals",
    "read_function_totals",
    "read_profile",
    "totals_by_function",
    "write_profile",
]
