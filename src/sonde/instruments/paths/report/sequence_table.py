"""The sequences of paths over several iterations in which most paths lie."""

from collections.abc import Sequence

from sonde.instruments.paths.analysis import HotPath, hot_paths
from sonde.instruments.paths.profile import PathRoutine
from sonde.instruments.paths.report.path_names import path_words
from sonde.report import Column, Row, Table

_REPEATED = 2
"""A sequence that was taken once does not repeat."""

HotSequence = tuple[PathRoutine, HotPath]


def hot_sequences(routines: Sequence[PathRoutine], min_share: float) -> list[HotSequence]:
    """Those of some routines, that in which most paths lie first.

    Args:
        min_share: of the paths of its routine that lie in a sequence, at least.
    """
    found = []
    for routine in routines:
        # What lies in a sequence of k paths is at most k times as much as how often it was taken.
        longest, taken = max(routine.forest.lengths(), default=1), routine.taken
        least = max(_REPEATED, int(min_share * taken / longest))
        found += [
            (routine, path) for path in hot_paths(routine.forest, least=least) if path.covered >= min_share * taken
        ]
    found.sort(key=lambda item: -item[1].covered)
    return found


def sequence_table(hot: Sequence[HotSequence], taken: int, most: int, *, has_names: bool, has_all: bool) -> Table:
    """The sequences as rows.

    Args:
        taken: paths of all routines.
        most: rows on paper.
        has_all: else one of those that have the same paths in other numbers or another order: a reader knows them then.
    """
    kept, notes = list(hot), ["by paths covered, at least"]
    if not has_all:
        firsts: dict[tuple[object, frozenset[int]], HotSequence] = {}
        for routine, path in hot:
            firsts.setdefault((routine.function, frozenset(path.ids)), (routine, path))
        kept = list(firsts.values())
        if len(kept) < len(hot):
            notes.append("one of those with the same paths")
    names = (Column("function", "function", "name"),) if has_names else ()
    columns = (
        Column("covered", "covers", "count", taken, "both", is_hot=True, meaning="paths that lie in it, at least"),
        Column("count", "taken", "count", meaning="how often it was taken; these may overlap"),
        Column("length", "paths", "count", priority=1),
        Column("sequence", "sequence", "text"),
        *names,
        Column("ids", "ids", "text", shown="data"),
    )
    rows = [
        Row(
            (
                path.covered,
                path.count,
                len(path.ids),
                path_words(path.ids),
                *((routine.function,) if has_names else ()),
                " ".join(map(str, path.ids)),
            )
        )
        for routine, path in kept
    ]
    left_out = len(hot) - len(kept)
    return Table("sequences", "hottest sequences", columns, rows, tuple(notes), "sequence", most, left_out=left_out)
