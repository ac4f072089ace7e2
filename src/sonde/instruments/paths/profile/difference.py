"""Two path profiles compared: which sequences were taken more often, and which fewer times."""

from collections.abc import Iterator
from dataclasses import dataclass

from sonde.code import Function
from sonde.instruments.paths.profile.path_profile import PathProfile, PathRoutine, function_key


@dataclass(frozen=True, slots=True)
class PathChange:
    """One sequence that was not taken as often as before."""

    function: Function
    path: tuple[int, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class PathDifference:
    """What changed."""

    k: int
    """Sequences of up to so many paths were compared: the smaller k."""
    before: int
    """Acyclic paths taken."""
    after: int
    changes: tuple[PathChange, ...]
    """The largest ones first; of equal ones, the longest sequence."""


def compare_paths(before: PathProfile, after: PathProfile) -> PathDifference:
    """Compare two profiles; routines are matched by what they are called, paths by their ids.

    Cost: O(n log n) for n sequences of both.
    """
    k = min(before.k, after.k)
    sides = [{function_key(each.function): each for each in profile.routines} for profile in (before, after)]
    changes = [
        change
        for key in sorted({**sides[0], **sides[1]})
        for change in _changes(sides[0].get(key), sides[1].get(key), k)
    ]
    changes.sort(
        key=lambda each: (-abs(each.after - each.before), -len(each.path), function_key(each.function), each.path)
    )
    return PathDifference(k, before.taken, after.taken, tuple(changes))


def _changes(before: PathRoutine | None, after: PathRoutine | None, k: int) -> Iterator[PathChange]:
    counts = [_counts(before, k), _counts(after, k)]
    routine = before or after
    assert routine is not None
    for path in {**counts[0], **counts[1]}:
        old, new = (side.get(path, 0) for side in counts)
        if old != new:
            yield PathChange(routine.function, path, old, new)


def _counts(routine: PathRoutine | None, k: int) -> dict[tuple[int, ...], int]:
    if routine is None:
        return {}
    forest = routine.forest
    return {path: count for path, count in zip(forest.paths(), forest.counts, strict=True) if len(path) <= k}
