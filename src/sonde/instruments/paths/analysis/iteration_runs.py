"""Loops whose iterations go the same way many times in a row, however their branches are mixed over all."""

from collections.abc import Iterator
from dataclasses import dataclass

from sonde.instruments.paths.profile import NO_PARENT, PathRoutine, PathTree

ALIKE = 0.8
"""From this share of the iterations on it pays to look at several together: the others run as before."""
_LEAST_SHARE = 0.01
"""Of the iterations: what is taken fewer times is no way of the loop to be treated apart."""
_MANY = 4
"""Iterations together: looking at fewer is hardly cheaper than looking at each."""


@dataclass(frozen=True, slots=True)
class RunsOf:
    """How one path of a loop follows itself."""

    path: int
    count: int
    runs: int
    """How many times it followed another path, or none: maximal runs of it."""

    @property
    def mean(self) -> float:
        """Paths in a run."""
        return self.count / self.runs


@dataclass(frozen=True, slots=True)
class IterationRuns:
    """A loop, and how long its iterations stay on one path."""

    paths: tuple[RunsOf, ...]
    """Those with a hundredth of the iterations or more, the one taken most first."""
    iterations: int
    together: int
    """A power of two, k at most: the most iterations such that `ALIKE` begin so many on one path."""
    alike: float
    """The share of the iterations that do."""
    if_independent: float
    """What that share would be if each iteration chose its path anew: all that an acyclic profile can tell."""


def iteration_runs(routine: PathRoutine, k: int) -> list[IterationRuns]:
    """The loops of a routine that go on as they began, of those that take two paths or more; most iterations first.

    Guarantee: counts are exact; those of runs, too, if sequences of two paths are.
    Cost: O(n) for n sequences.
    Source: D'Elia, thesis, section 6.1.1.
    """
    tree = routine.forest
    found = []
    for paths in _paths_by_loop(routine):
        runs = _repeats(tree, paths)
        counts = {path: lengths[0] for path, lengths in runs.items()}
        iterations = sum(counts.values())
        ways = sorted((path for path in paths if counts[path] >= _LEAST_SHARE * iterations), key=lambda p: -counts[p])
        together = 1
        while 2 * together <= k and _alike(runs, 2 * together) >= ALIKE * iterations:
            together *= 2
        if len(ways) < 2 or not 1 < together >= min(_MANY, k // 2 + 1):
            continue
        told = tuple(RunsOf(path, counts[path], counts[path] - _times(runs[path], 2)) for path in ways)
        alike = _alike(runs, together) / iterations
        independent = sum((count / iterations) ** together for count in counts.values())
        if all(each.runs for each in told):
            found.append(IterationRuns(told, iterations, together, alike, independent))
    return sorted(found, key=lambda each: -each.iterations)


def _paths_by_loop(routine: PathRoutine) -> Iterator[list[int]]:
    """The paths that are iterations of one loop; of a stream, all that follow themselves are taken to be of one."""
    loops: dict[int, list[int]] = {}
    for path in routine.acyclic:
        way = routine.code.ways.get(path)
        if way is None:
            loops.setdefault(0, []).append(path)
        elif way.is_iteration:
            loops.setdefault(way.blocks[0], []).append(path)
    yield from loops.values()


def _repeats(tree: PathTree, paths: list[int]) -> dict[int, list[int]]:
    """Path -> how often it was taken at least once, twice, ... in a row, starting anywhere."""
    wanted = set(paths)
    found: dict[int, list[int]] = {}
    row_of: dict[int, int] = {}  # by path: the row of its longest repetition so far
    for row, (parent, path, count) in enumerate(zip(tree.parents, tree.ids, tree.counts, strict=True)):
        if path in wanted and parent == row_of.get(path, NO_PARENT):
            found.setdefault(path, []).append(count)
            row_of[path] = row
    return found


def _times(lengths: list[int], length: int) -> int:
    return lengths[length - 1] if length <= len(lengths) else 0


def _alike(runs: dict[int, list[int]], together: int) -> int:
    return sum(_times(lengths, together) for lengths in runs.values())
