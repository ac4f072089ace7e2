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
from sonde.profiles.database import ProfileKind, kind_of_profile
from sonde.profiles.focus import focus_on
from sonde.profiles.function_totals import FunctionTotals, function_totals, totals_by_function
from sonde.profiles.hot_contexts import ContextClass, context_classes, hot_context_tree
from sonde.profiles.memory_difference import MemoryChange, MemoryCounts, MemoryDifference, compare_memory
from sonde.profiles.memory_file import read_memory_profile, write_memory_profile
from sonde.profiles.memory_merging import merge_memory_profiles
from sonde.profiles.memory_profile import (
    MEMORY_KINDS,
    MOST_OBJECTS,
    NO_PLACE,
    CacheLevel,
    CodeFunction,
    CodePlace,
    Collections,
    Lifetimes,
    LineAccesses,
    MemoryProfile,
    MemoryRun,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
)
from sonde.profiles.memory_shares import HEAP_KINDS, Attribution, HeapShare, attribution, heap_share, miss_rate
from sonde.profiles.memory_totals import (
    CodeLayer,
    LineTotals,
    MemoryTotals,
    by_function,
    by_line,
    by_site,
    by_type,
    lifetimes_by_site,
    lifetimes_by_type,
)
from sonde.profiles.merging import merge_profiles
from sonde.profiles.profile_file import ContextRow, ProfileWriter, read_function_totals, read_profile, write_profile
from sonde.profiles.program_identity import are_of_one_program, program_name
from sonde.profiles.watching_cost import watching_cost_text

__all__ = [
    "Approximation",
    "Attribution",
    "CacheLevel",
    "CodeFunction",
    "CodeLayer",
    "CodePlace",
    "Collections",
    "ContextClass",
    "ContextProfile",
    "ContextRow",
    "Contexts",
    "FUNCTION_KINDS",
    "Function",
    "FunctionKind",
    "FunctionTotals",
    "HEAP_KINDS",
    "HeapShare",
    "Lifetimes",
    "LineAccesses",
    "LineTotals",
    "Loss",
    "MEMORY_KINDS",
    "METRICS",
    "MOST_OBJECTS",
    "MeasuredProcess",
    "MemoryChange",
    "MemoryCounts",
    "MemoryDifference",
    "MemoryProfile",
    "MemoryRun",
    "MemoryTotals",
    "MemoryType",
    "Metric",
    "NO_PARENT",
    "NO_PLACE",
    "ObjectClass",
    "ProfileKind",
    "ProfileWriter",
    "Run",
    "Sampling",
    "TrackedObject",
    "TypeMisses",
    "are_of_one_program",
    "attribution",
    "by_function",
    "by_line",
    "by_site",
    "by_type",
    "compare_memory",
    "context_classes",
    "contexts_from_self",
    "focus_on",
    "function_totals",
    "heap_share",
    "hot_context_tree",
    "hot_threshold",
    "kind_of_profile",
    "lifetimes_by_site",
    "lifetimes_by_type",
    "merge_memory_profiles",
    "merge_profiles",
    "miss_rate",
    "program_name",
    "read_function_totals",
    "read_memory_profile",
    "read_profile",
    "totals_by_function",
    "watching_cost_text",
    "write_memory_profile",
    "write_profile",
]
