"""The forest of a routine as a tree of rows: how often each sequence was taken, of its parent and of its root."""

from sonde.instruments.paths.profile import NO_PARENT, PathRoutine
from sonde.report import Column, Part, Row

FOREST_COLUMNS = (
    Column("count", "taken", "count", meaning="how often the paths from the root to here were taken"),
    Column("of_parent", "of parent", "share", shown="share", meaning="how often this path followed those above it"),
    Column("of_root", "of root", "share", shown="share", priority=1),
    Column("path", "path", "name"),
)


def forest_rows(routine: PathRoutine, least: float) -> tuple[Row, ...]:
    """The roots, with what follows them; the most frequent first.

    Args:
        least: sequences taken fewer times are left out, and counted.
    Cost: O(n log n) for n sequences. No recursion.
    """
    forest = routine.forest
    counts, parents, lengths = forest.counts, forest.parents, forest.lengths()
    below: dict[int, list[int]] = {}  # rows by parent
    left_out: dict[int, int] = {}
    for row, (parent, count) in enumerate(zip(parents, counts, strict=True)):
        if count >= least:
            below.setdefault(parent, []).append(row)
        elif parent == NO_PARENT or counts[parent] >= least:
            left_out[parent] = left_out.get(parent, 0) + 1
    root_of, root = {}, NO_PARENT
    shown = []
    for row, length in enumerate(lengths):
        root = row if length == 1 else root
        if counts[row] >= least:
            shown.append(row)
            root_of[row] = root
    rows: dict[int, Row] = {}
    for row in reversed(shown):  # children stand behind their parents
        children = sorted(below.get(row, ()), key=lambda child: -counts[child])
        parent = parents[row]
        above = routine.taken if parent == NO_PARENT else counts[parent]
        rows[row] = Row(
            (counts[row], Part(counts[row], above), Part(counts[row], counts[root_of[row]]), str(forest.ids[row])),
            (*(rows.pop(child) for child in children), *_rest(left_out.get(row, 0))),
        )
    roots = sorted(below.get(NO_PARENT, ()), key=lambda root: -counts[root])
    return (*(rows[root] for root in roots), *_rest(left_out.get(NO_PARENT, 0)))


def _rest(left_out: int) -> tuple[Row, ...]:
    if not left_out:
        return ()
    return (Row((None, None, None, f"… {left_out:,} more"), tone="faint"),)
