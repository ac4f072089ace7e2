"""What belongs to a context's total but to no context that is written: the part to be owned up to."""

from array import array
from collections.abc import Sequence
from operator import sub

from sonde.instruments.contexts.profile import NO_PARENT


def unlisted_below(
    parent: Sequence[int],
    own: Sequence[int],
    total: Sequence[int],
    *,
    below_no_root: int,
    listed: bytearray | None = None,
) -> "array[int]":
    """Compute how much of each context's total is neither its own nor of a listed child.

    Zero everywhere in a whole tree; positive where children were given up in bounded memory, were
    not read, or are left out by `listed`.

    Args:
        parent, own, total: columns of the tree.
        below_no_root: weight that belongs to no root of the tree, see `metric.below_no_root`.
        listed: 1 for each row that will be written, closed under "parent of"; None for all.
    Returns:
        one value per row, and a last one for the roots that are not listed, or not in the tree.
    Guarantee: with the own values of the rows listed, their values and the last one add up to the
        profile's total.
    Cost: O(n).

    >>> list(unlisted_below([-1, 0, 0], own=[1, 2, 3], total=[10, 2, 3], below_no_root=7))
    [4, 0, 0, 7]
    """
    missing = array("q", map(sub, total, own))
    roots = sum(weight for weight, above in zip(total, parent, strict=True) if above == NO_PARENT)
    missing.append(roots + below_no_root)
    for row, above in enumerate(parent):
        if listed is None or listed[row]:
            missing[above] -= total[row]  # the last entry for roots, whose parent is -1
    return missing
