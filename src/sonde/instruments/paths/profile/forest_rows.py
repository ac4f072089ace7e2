"""From the rows that the core makes of a forest to routines, and what is missing of them."""

from collections.abc import Callable
from itertools import pairwise

from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile.path_profile import PathRoutine
from sonde.instruments.paths.profile.path_tree import NO_PARENT, PathTree

Rows = tuple[bytes, bytes, bytes]
"""Columns: the row of the parent (int64), id (uint64), count (uint64); depth first, routines at the top."""


def routines_of_rows(rows: Rows, function: Callable[[int], Function]) -> list[PathRoutine]:
    """The routines of a forest.

    Args:
        function: of a routine's id.
    """
    parents, ids, counts = memoryview(rows[0]).cast("q"), memoryview(rows[1]).cast("Q"), memoryview(rows[2]).cast("Q")
    heads = [row for row, parent in enumerate(parents) if parent == NO_PARENT]
    return [
        PathRoutine(function(ids[head]), counts[head], _tree(rows, head, end))
        for head, end in pairwise([*heads, len(parents)])
    ]


def _tree(rows: Rows, head: int, end: int) -> PathTree:
    """The rows below that of a routine; what is right below it has no parent."""
    tree = PathTree()
    for column, found in zip(rows, (tree.parents, tree.ids, tree.counts), strict=True):
        found.frombytes(memoryview(column)[8 * (head + 1) : 8 * end])
    for row, parent in enumerate(tree.parents):
        tree.parents[row] = NO_PARENT if parent == head else parent - head - 1
    return tree


def forest_losses(dropped: int, unlisted: int, pruned: int = 0, cuts: int = 0) -> tuple[Loss, ...]:
    """What is missing of a profile.

    Args:
        dropped: paths for which there was no room.
        unlisted: no sequence that is not listed is counted more often.
        pruned: no sequence was taken more often than is counted by more than this, for what was pruned.
        cuts: activations that were under way when something was pruned, and began again in the counts.
    Guarantee: bounds. A sequence of n paths was taken as often as is listed at least, and `unlisted + pruned +
        n * dropped + (n - 1) * cuts` times more at most: a dropped path lies in n occurrences at most, and so many less
        one lie across a cut.
    """
    losses = []
    if pruned:
        detail = "rare sequences were removed, to make room for others: counts may be too low by as much"
        losses.append(Loss("paths-pruned", pruned, detail, hint="a smaller -k, or more --memory"))
    if cuts:
        detail = "activations were under way when sequences were removed, and are counted as if they had begun again"
        losses.append(Loss("paths-cut-by-pruning", cuts, detail))
    if dropped:
        detail = "no memory for new sequences: so many paths were left out, and what went on across them"
        losses.append(Loss("paths-dropped", dropped, detail, hint="a smaller -k, or more --memory"))
    if unlisted:
        detail = f"sequences taken fewer than {unlisted + 1:,} times are not listed: there are too many of them"
        losses.append(Loss("rare-paths-left-out", 0, detail, hint="a smaller -k, or more --memory"))
    return tuple(losses)
