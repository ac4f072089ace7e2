"""What path profiles say."""

from sonde.instruments.paths.analysis.branch_sides import BranchSide, BranchSides, branch_sides
from sonde.instruments.paths.analysis.fixed_orders import FixedOrder, fixed_orders
from sonde.instruments.paths.analysis.hot_paths import HotPath, hot_paths
from sonde.instruments.paths.analysis.iteration_runs import IterationRuns, RunsOf, iteration_runs

__all__ = [
    "BranchSide",
    "BranchSides",
    "FixedOrder",
    "HotPath",
    "IterationRuns",
    "RunsOf",
    "branch_sides",
    "fixed_orders",
    "hot_paths",
    "iteration_runs",
]
