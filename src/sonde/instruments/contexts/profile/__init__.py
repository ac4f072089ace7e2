"""Profiles of calling contexts: what was learnt from a run, as values that can be kept, read, checked and compared."""

from sonde.events import FUNCTION_KINDS, Function, FunctionKind
from sonde.evidence import Loss
from sonde.instruments.contexts.profile.approximation import METRICS, Approximation, Metric, Sampling, hot_threshold
from sonde.instruments.contexts.profile.clock_text import clock_text, time_name
from sonde.instruments.contexts.profile.context_profile import (
    CYCLES,
    ESTIMATE,
    NO_PARENT,
    SAMPLES,
    ContextProfile,
    Contexts,
    MeasuredProcess,
    MeasuredThread,
    Run,
    ThreadTrees,
    TimeKind,
    contexts_from_self,
)
from sonde.instruments.contexts.profile.deviations import are_independent, joint_deviation, regrouped_deviations
from sonde.instruments.contexts.profile.focus import focus_on
from sonde.instruments.contexts.profile.function_totals import FunctionTotals, function_totals, totals_by_function
from sonde.instruments.contexts.profile.hot_contexts import ContextClass, context_classes, hot_context_tree
from sonde.instruments.contexts.profile.line_samples import LineSamples, merged_line_samples
from sonde.instruments.contexts.profile.merging import merge_profiles
from sonde.instruments.contexts.profile.one_program import are_of_one_program
from sonde.instruments.contexts.profile.own_estimates import OwnEstimate
from sonde.instruments.contexts.profile.profile_file import (
    read_function_totals,
    read_profile,
    write_profile,
)
from sonde.instruments.contexts.profile.pruning import keep_heaviest
from sonde.instruments.contexts.profile.regrouping import Regrouping, without_idle_functions
from sonde.instruments.contexts.profile.selected_code import fold_imports, select_code
from sonde.instruments.contexts.profile.stand_ins import (
    COLLECTING,
    ELSEWHERE,
    IMPORTS,
    LOCK_WAITING,
    READY,
    TASK_WAITING,
    WAITING,
    is_stand_in,
)
from sonde.instruments.contexts.profile.task_labels import is_group_label, task_label
from sonde.instruments.contexts.profile.task_times import LoopTimes, TaskAwait, TaskGroup, TaskTimes, merged_tasks
from sonde.instruments.contexts.profile.thread_trees import by_thread, check_threads
from sonde.instruments.contexts.profile.waiting import is_waiting
from sonde.instruments.contexts.profile.watching_cost import watching_cost_text

__all__ = [
    "is_group_label",
    "task_label",
    "COLLECTING",
    "LOCK_WAITING",
    "CYCLES",
    "ELSEWHERE",
    "ESTIMATE",
    "FUNCTION_KINDS",
    "IMPORTS",
    "METRICS",
    "NO_PARENT",
    "SAMPLES",
    "READY",
    "TASK_WAITING",
    "WAITING",
    "Approximation",
    "ContextClass",
    "ContextProfile",
    "Contexts",
    "Function",
    "FunctionKind",
    "FunctionTotals",
    "LineSamples",
    "LoopTimes",
    "Loss",
    "MeasuredProcess",
    "MeasuredThread",
    "Metric",
    "OwnEstimate",
    "Regrouping",
    "Run",
    "Sampling",
    "TaskAwait",
    "TaskGroup",
    "TaskTimes",
    "ThreadTrees",
    "TimeKind",
    "are_independent",
    "are_of_one_program",
    "by_thread",
    "check_threads",
    "clock_text",
    "context_classes",
    "contexts_from_self",
    "focus_on",
    "fold_imports",
    "function_totals",
    "hot_context_tree",
    "hot_threshold",
    "is_stand_in",
    "is_waiting",
    "joint_deviation",
    "keep_heaviest",
    "merge_profiles",
    "merged_line_samples",
    "merged_tasks",
    "read_function_totals",
    "read_profile",
    "regrouped_deviations",
    "select_code",
    "time_name",
    "totals_by_function",
    "watching_cost_text",
    "without_idle_functions",
    "write_profile",
]
