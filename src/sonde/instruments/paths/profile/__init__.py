"""Path profiles: what routines did over up to k iterations, as values to keep, merge and compare."""

from sonde.instruments.paths.profile.difference import PathChange, PathDifference, compare_paths
from sonde.instruments.paths.profile.forest_rows import forest_losses, routines_of_rows
from sonde.instruments.paths.profile.merging import merge_path_profiles
from sonde.instruments.paths.profile.path_profile import PathProfile, PathRoutine, function_key
from sonde.instruments.paths.profile.path_tree import NO_PARENT, PathTree, merged_trees
from sonde.instruments.paths.profile.profile_file import read_path_profile, write_path_profile
from sonde.instruments.paths.profile.routine_code import RoutineBlock, RoutineCode, Way

__all__ = [
    "NO_PARENT",
    "PathChange",
    "PathDifference",
    "PathProfile",
    "PathRoutine",
    "PathTree",
    "RoutineBlock",
    "RoutineCode",
    "Way",
    "compare_paths",
    "forest_losses",
    "function_key",
    "merge_path_profiles",
    "merged_trees",
    "read_path_profile",
    "routines_of_rows",
    "write_path_profile",
]
