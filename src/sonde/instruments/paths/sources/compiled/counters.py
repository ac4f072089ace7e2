"""What counters of single paths have counted, as forests of sequences of one path."""

from array import array
from collections.abc import Iterable
from pathlib import Path

from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile import (
    NO_PARENT,
    PathProfile,
    PathRoutine,
    PathTree,
    forest_losses,
    merge_path_profiles,
)
from sonde.native import PathCounts, Spool
from sonde.passes import FunctionPaths


def read_counters(folder: Path, functions: Iterable[tuple[Function, FunctionPaths]]) -> PathProfile:
    """Those of all threads of a run, in a profile of k = 1.

    Args:
        functions: that have probes.
    Guarantee: counts and activations are those of forests for k = 1.
    """
    counted = PathCounts.of(Spool(bytes(path)) for path in sorted(folder.glob("*.cells")))
    if not counted.counters:
        return PathProfile(1, ())
    routines = [_routine(function, paths, counted) for function, paths in functions]
    losses = forest_losses(counted.dropped, 0)
    if counted.uncounted_threads:
        detail = "threads could have no counts: there was no memory, or no room on the disk"
        losses = (*losses, Loss("paths-of-threads", counted.uncounted_threads, detail))
    each_once = merge_path_profiles([PathProfile(1, (each,)) for each in routines if each.activations])
    return PathProfile(1, each_once.routines, losses=losses)


def _routine(function: Function, paths: FunctionPaths, counted: PathCounts) -> PathRoutine:
    counts = paths.counts(counted.counters, counted.by_key)
    if paths.begun is not None:
        activations = counted.counters[paths.begun]
    else:  # each has taken all of its paths, the first one from the entry on
        starts = (count for path, count in counts.items() if paths.numbering.decode(path).start == 0)
        activations = sum(starts)
    ids = sorted(counts)
    forest = PathTree(array("q", [NO_PARENT] * len(ids)), array("Q", ids), array("Q", [counts[path] for path in ids]))
    return PathRoutine(function, activations, forest)
