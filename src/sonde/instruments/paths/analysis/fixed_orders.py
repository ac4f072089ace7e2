"""Sequences of different paths that go on in one way: loops whose iterations alternate, and traces."""

from dataclasses import dataclass

from sonde.instruments.paths.analysis.hot_paths import hot_paths
from sonde.instruments.paths.profile import NO_PARENT, PathRoutine, PathTree

SURE = 0.9
"""The share of the times from which on what follows counts as known beforehand."""
_LEAST_SHARE = 0.05
"""Of the routine's paths that lie in it."""
_MOST_BEFORE = 2
"""Paths after which the rest is known: who has to see more has decided most of it."""
_SHORTEST = 3
"""Paths of a trace: of two, one is known beforehand."""


@dataclass(frozen=True, slots=True)
class FixedOrder:
    """Paths of which the first ones tell the others."""

    ids: tuple[int, ...]
    """If it repeats itself, one period of it; which path comes first means nothing then."""
    repeats: bool
    """Whether the last is followed by the first again."""
    known_after: int
    """So many paths tell what follows."""
    sure: float
    """The share of the times in which it does."""
    covered: int
    """Paths of the routine that lie in it, at least."""


def fixed_orders(routine: PathRoutine) -> list[FixedOrder]:
    """The alternations and traces of a routine, those with most paths first.

    Cost: that of `hot_paths`.
    Source: D'Elia, thesis, section 6.1.2; Young, Smith, as cited there.
    """
    tree = routine.forest
    longest = max(tree.lengths(), default=1)
    enough = _LEAST_SHARE * routine.taken
    least = max(2, int(enough / longest))
    rows = _rows(tree)
    found = []
    seen = set[int]()
    for hot in hot_paths(tree, least=least):
        if hot.covered < enough or len(set(hot.ids)) == 1:
            continue
        repeats = hot.period < len(hot.ids)
        if not repeats and (hot.ids[0] == hot.ids[1] or hot.ids[-1] == hot.ids[-2]):
            continue  # a run of one path, which may not be whole: see `iteration_runs`
        if set(hot.ids) <= seen:
            continue  # another part of what is listed
        shortest = hot.period + 1 if repeats else _SHORTEST
        for known in range(1, _MOST_BEFORE + 1):
            sure = hot.count / tree.counts[_row_of(rows, hot.ids[:known])]
            if sure >= SURE and len(hot.ids) >= max(shortest, known + 2):
                found.append(FixedOrder(hot.ids[: hot.period], repeats, known, sure, hot.covered))
                seen.update(hot.ids)
                break
    return found


def _rows(tree: PathTree) -> dict[tuple[int, int], int]:
    return {(parent, path): row for row, (parent, path) in enumerate(zip(tree.parents, tree.ids, strict=True))}


def _row_of(rows: dict[tuple[int, int], int], ids: tuple[int, ...]) -> int:
    row = NO_PARENT
    for path in ids:
        row = rows[row, path]
    return row
