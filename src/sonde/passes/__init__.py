"""Transformations: one a file, its options as fields; run ours and LLVM's mixed, and be told what each did.

`docs/adding-a-pass.md` says how to write one.
"""

from sonde.passes.call_probes import ENTER, CallProbes
from sonde.passes.change_log import Action, Change, ChangeLog
from sonde.passes.cycle_probes import CycleProbes
from sonde.passes.eliminate_common_subexpressions import EliminateCommonSubexpressions
from sonde.passes.eliminate_dead_code import EliminateDeadCode
from sonde.passes.hoist_loop_invariants import HoistLoopInvariants
from sonde.passes.interpreter_ends import InterpreterEnds, is_for_shared_library
from sonde.passes.interpreter_probes import InterpreterProbes
from sonde.passes.llvm_steps import LlvmPipeline, LlvmSinglePass, LlvmStep
from sonde.passes.loop_counters import LoopCounters
from sonde.passes.mark_for_inlining import MarkForInlining
from sonde.passes.path_counters import COUNT as COUNT_PATH
from sonde.passes.path_counters import THREAD as PATH_COUNTS
from sonde.passes.path_probes import PathProbes
from sonde.passes.path_sequences import FOLLOW as FOLLOW_PATH
from sonde.passes.path_sequences import FOREST as PATH_FOREST
from sonde.passes.pipeline import Outcome, Pipeline, Step
from sonde.passes.probe_places import ProbePlaces
from sonde.passes.probed_paths import FunctionPaths, ProbedPaths
from sonde.passes.recipe import PASSES, parse_recipe
from sonde.passes.transformation import Pass, option, options_of

__all__ = [
    "ENTER",
    "COUNT_PATH",
    "FOLLOW_PATH",
    "PASSES",
    "PATH_COUNTS",
    "PATH_FOREST",
    "Action",
    "CallProbes",
    "Change",
    "ChangeLog",
    "CycleProbes",
    "EliminateCommonSubexpressions",
    "EliminateDeadCode",
    "FunctionPaths",
    "HoistLoopInvariants",
    "InterpreterEnds",
    "InterpreterProbes",
    "LlvmPipeline",
    "LlvmSinglePass",
    "LlvmStep",
    "Outcome",
    "Pass",
    "PathProbes",
    "Pipeline",
    "ProbedPaths",
    "Step",
    "is_for_shared_library",
    "option",
    "options_of",
    "parse_recipe",
    "LoopCounters",
    "MarkForInlining",
    "ProbePlaces",
]
