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
    other_code: tuple[Function, ...] = ()
    """Functions whose code is not the same: what their paths are called does not mean the same, and is not compared."""


def compare_paths(before: PathProfile, after: PathProfile) -> PathDifference:
    """Compare two profiles; routines are matched by what they are called, paths by their ids, where both have one code.

    Cost: O(n log n) for n sequences of both.
    """
    k = min(before.k, after.k)
    sides = [{function_key(each.function): each for each in profile.routines} for profile in (before, after)]
    keys = sorted({**sides[0], **sides[1]})
    others = [key for key in keys if _have_other_code(sides[0].get(key), sides[1].get(key))]
    changes = [
        change for key in keys if key not in others for change in _changes(sides[0].get(key), sides[1].get(key), k)
    ]
    changes.sort(
        key=lambda each: (-abs(each.after - each.before), -len(each.path), function_key(each.function), each.path)
    )
    other_code = tuple(sides[0][key].function for key in others)
    return PathDifference(k, before.taken, after.taken, tuple(changes), other_code)


def _have_other_code(before: PathRoutine | None, after: PathRoutine | None) -> bool:
    return before is not None and after is not None and before.code.blocks != after.code.blocks


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
