"""How many stacks fit when each is written out from root to leaf.

Collapsed stacks and pprof spell every stack in full: n contexts of mean depth d cost n * d
frames, which has no bound in n (one chain of a million calls has half a billion frames).
When all stacks would exceed a stated size, only the heaviest contexts get their own; the
rest is added up in a "(not listed)" leaf of the nearest listed caller, so every inclusive
value stays right and the size stays within the bound.
"""

from array import array
from collections.abc import Sequence
from itertools import accumulate


def path_costs(parent: Sequence[int], function: Sequence[int], frame_cost: Sequence[int]) -> "array[int]":
    """Add up the cost of the frames from the root to each context. O(n).

    Args:
        parent, function: columns of the tree.
        frame_cost: cost of writing each function's frame once.
    """
    costs = array("q", [0])
    # One ahead of the rows, so that the parent of a root (-1) finds the zero.
    for above, number in zip(parent, function, strict=True):
        costs.append(costs[above + 1] + frame_cost[number])
    del costs[0]
    return costs


def heaviest_within(weights: Sequence[int], costs: Sequence[int], budget: int) -> bytearray | None:
    """Choose the heaviest contexts whose costs fit in a budget.

    Args:
        weights: inclusive weight of each context; at least that of each of its children.
        costs: what listing each context costs.
    Returns:
        1 for each context to list, closed under "parent of"; None when all fit.
    Cost: O(n) when all fit, else O(n log n) time and O(n) space.
    """
    if sum(costs) <= budget:
        return None
    listed = bytearray(len(weights))
    # A stable sort: of equal weights the smaller row comes first, so parents precede children
    # and every prefix of the order is a tree.
    order = sorted(range(len(weights)), key=weights.__getitem__, reverse=True)
    for row, spent in zip(order, accumulate(costs[row] for row in order), strict=True):
        if spent > budget:
            break
        listed[row] = 1
    return listed
