"""Comparing two runs as Graal's profdiff does: what is hot, fragments, what is compared with what, and how.

An `Experiment` is one side: a run and which of its units are hot. `create_fragments` cuts hot methods out of the units
into which they were inlined; `method_pairs` says what is compared with what; `differences` compares.
"""

from sonde.instruments.decisions.experiments.comparing import TOO_BIG, CompareOptions, Differences, TooBig, differences
from sonde.instruments.decisions.experiments.context_tree import DUPLICATE_PATH, TITLE, context_tree
from sonde.instruments.decisions.experiments.experiment import Compilation, Experiment
from sonde.instruments.decisions.experiments.fragment import Fragment, fragment_trees
from sonde.instruments.decisions.experiments.heat import HeatPolicy, hot_units
from sonde.instruments.decisions.experiments.inlining_path import (
    InliningPath,
    PathElement,
    enclosing_path,
    is_prefix,
    path_to,
    paths_match,
)
from sonde.instruments.decisions.experiments.java_order import utf16_key, value_text
from sonde.instruments.decisions.experiments.pairing import (
    MOST_FRAGMENTS,
    MethodPair,
    UnitPair,
    create_fragments,
    method_pairs,
)
from sonde.instruments.decisions.experiments.preparing import (
    CODE_PHASES,
    RemoveDetailed,
    TreeOptions,
    decision_count,
    prepared,
    without_detailed,
)
from sonde.instruments.decisions.experiments.recent_trees import RecentTrees
from sonde.instruments.decisions.experiments.tree_order import decision_key, phase_child_key, site_key

__all__ = [
    "CODE_PHASES",
    "DUPLICATE_PATH",
    "TITLE",
    "TOO_BIG",
    "Compilation",
    "CompareOptions",
    "Differences",
    "Experiment",
    "Fragment",
    "HeatPolicy",
    "MOST_FRAGMENTS",
    "InliningPath",
    "MethodPair",
    "PathElement",
    "RecentTrees",
    "RemoveDetailed",
    "TooBig",
    "TreeOptions",
    "UnitPair",
    "context_tree",
    "create_fragments",
    "differences",
    "enclosing_path",
    "fragment_trees",
    "hot_units",
    "is_prefix",
    "method_pairs",
    "path_to",
    "paths_match",
    "decision_count",
    "prepared",
    "site_key",
    "decision_key",
    "phase_child_key",
    "utf16_key",
    "value_text",
    "without_detailed",
]
