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
from sonde.profiles.profile_file import ContextRow, ProfileWriter, read_profile, write_profile

__all__ = [
    "FUNCTION_KINDS",
    "NO_PARENT",
    "ContextProfile",
    "ContextRow",
    "Contexts",
    "Function",
    "FunctionKind",
    "Loss",
    "MeasuredProcess",
    "ProfileWriter",
    "Run",
    "contexts_from_self",
    "read_profile",
    "write_profile",
]
