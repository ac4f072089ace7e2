"""The fast core, and the choice between it and its slow twin.

`SONDE_CORE=python` runs the analyses on the readable Python twins in `reference*.py`; the
answers are the same. Wheels are without them.
"""

from sonde._native import Spool, read_slab_file, slab_file_lost, ticks_now
from sonde.native.cache_model import CacheCounts, CacheModel, KindCounts, LevelCounts
from sonde.native.choice import (
    CacheCore,
    ContextTree,
    HotTree,
    RemarkParser,
    SlabForest,
    change_points,
    function_sums,
    has_twins,
    new_context_tree,
    new_hot_tree,
    new_remark_parser,
    new_slab_forest,
    path_ids,
    remark_groups,
    tree_edits,
)
from sonde.native.code_samples import CodeSamples, code_samples_of
from sonde.native.path_counts import PathCounts
from sonde.native.unit_cycles import UnitCycles, loop_counts_of, unit_cycles_of

__all__ = [
    "CacheCore",
    "CacheCounts",
    "CacheModel",
    "CodeSamples",
    "ContextTree",
    "HotTree",
    "KindCounts",
    "LevelCounts",
    "PathCounts",
    "RemarkParser",
    "SlabForest",
    "Spool",
    "UnitCycles",
    "change_points",
    "code_samples_of",
    "function_sums",
    "has_twins",
    "loop_counts_of",
    "new_context_tree",
    "new_hot_tree",
    "new_remark_parser",
    "new_slab_forest",
    "path_ids",
    "read_slab_file",
    "remark_groups",
    "slab_file_lost",
    "ticks_now",
    "tree_edits",
    "unit_cycles_of",
]
