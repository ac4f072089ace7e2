"""The forest of a routine as a tree of rows: how often each sequence was taken, of its parent and of its root."""

from array import array
from heapq import nsmallest

from sonde.base.units import format_share
from sonde.instruments.paths.profile import NO_PARENT, PathRoutine, PathTree
from sonde.report import Column, Part, Row, Table, short_name

_COLUMNS = (
    Column("count", "taken", "count", meaning="how often the paths from the root to here were taken"),
    Column("of_parent", "of parent", "count", shown="share", meaning="how often this path followed those above it"),
    Column("of_root", "of root", "count", shown="share", priority=1),
    Column("path", "path", "name"),
)


def forest_table(key: str, routine: PathRoutine, *, min_share: float, most: int, is_secondary: bool) -> Table:
    """The roots with what follows them, the most frequent first; what is left out is counted.

    Args:
        min_share: of the paths of the routine; sequences with less are left out.
        most: sequences at most, the most frequent ones; 0 for all.
    Cost: O(n log n) for n sequences. No recursion.
    """
    forest = routine.forest
    least = max(1.0, min_share * routine.taken)
    rows = [row for row, count in enumerate(forest.counts) if count >= least]
    if most:
        # With a sequence there are those that it begins with: they are as frequent, and stand before it.
        rows = sorted(nsmallest(most, rows, key=lambda row: (-forest.counts[row], row)))
    left_out = _left_out(forest, set(rows))
    rest = left_out.get(NO_PARENT, 0)
    note = f"by times taken, from {format_share(least, routine.taken)} on" if rest or left_out else "by times taken"
    made = _rows(routine, rows, left_out)
    title = f"paths of {short_name(routine.function)}"
    return Table(key, title, _COLUMNS, made, (note,), "path", left_out=rest, is_secondary=is_secondary)


def _left_out(forest: PathTree, listed: set[int]) -> dict[int, int]:
    """How many sequences that begin with a listed one are not, by the longest one that is."""
    left_out: dict[int, int] = {}
    nearest = array("q")
    for row, parent in enumerate(forest.parents):
        if row in listed:
            nearest.append(row)
            continue
        nearest.append(NO_PARENT if parent == NO_PARENT else nearest[parent])
        left_out[nearest[row]] = left_out.get(nearest[row], 0) + 1
    return left_out


def _rows(routine: PathRoutine, listed: list[int], left_out: dict[int, int]) -> list[Row]:
    forest = routine.forest
    counts, parents, taken = forest.counts, forest.parents, routine.taken
    roots: dict[int, int] = {}
    below: dict[int, list[int]] = {}
    for row in listed:
        parent = parents[row]
        roots[row] = row if parent == NO_PARENT else roots[parent]
        below.setdefault(parent, []).append(row)
    for children in below.values():
        children.sort(key=lambda row: -counts[row])
    made: dict[int, Row] = {}
    for row in reversed(listed):  # those below stand behind
        parent = parents[row]
        above = taken if parent == NO_PARENT else counts[parent]
        made[row] = Row(
            (counts[row], Part(counts[row], above), Part(counts[row], counts[roots[row]]), str(forest.ids[row])),
            tuple(made.pop(child) for child in below.get(row, ())),
            left_out=left_out.get(row, 0),
        )
    return [made[row] for row in below.get(NO_PARENT, ())]
