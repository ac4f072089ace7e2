"""Two profiles side by side: which function, call site and context of one is which of the other, and what changed."""

from sonde.instruments.contexts.profile.approximation import METRICS, Metric
from sonde.instruments.contexts.profile.comparison.accuracy import Accuracy, accuracy, accuracy_curve
from sonde.instruments.contexts.profile.comparison.context_diff import ContextDiff, diff_contexts
from sonde.instruments.contexts.profile.comparison.function_alignment import FunctionPair
from sonde.instruments.contexts.profile.comparison.likeness import Likeness, Likenesses, Overlaps, likeness
from sonde.instruments.contexts.profile.comparison.selected_changes import select_changes
from sonde.instruments.contexts.profile.comparison.yardstick import NORMALISATIONS, Normalise, Status, Yardstick

__all__ = [
    "METRICS",
    "NORMALISATIONS",
    "Accuracy",
    "ContextDiff",
    "FunctionPair",
    "Likeness",
    "Likenesses",
    "Metric",
    "Normalise",
    "Overlaps",
    "Status",
    "Yardstick",
    "accuracy",
    "accuracy_curve",
    "diff_contexts",
    "likeness",
    "select_changes",
]
