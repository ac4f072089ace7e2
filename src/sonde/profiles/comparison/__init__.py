"""Two profiles side by side: which function, call site and context of one is which of the other, and what changed."""

from sonde.profiles.comparison.context_diff import ContextDiff, diff_contexts
from sonde.profiles.comparison.function_alignment import FunctionPair
from sonde.profiles.comparison.yardstick import METRICS, NORMALISATIONS, Metric, Normalise, Status, Yardstick

__all__ = [
    "METRICS",
    "NORMALISATIONS",
    "ContextDiff",
    "FunctionPair",
    "Metric",
    "Normalise",
    "Status",
    "Yardstick",
    "diff_contexts",
]
