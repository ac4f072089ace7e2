"""Walking a tree given as parent links, to any depth, without recursion."""

from array import array
from collections.abc import Iterator, Sequence

from sonde.instruments.contexts.profile import NO_PARENT

_NONE = -1


def depth_first(parent: Sequence[int]) -> Iterator[int]:
    """Yield `row` where a context opens and `~row` (negative) where it closes.

    Siblings come in row order.

    Args:
        parent: row of each row's parent, `NO_PARENT` for roots; always less than the own row.
    Cost: O(n) time; 16 bytes a row, whatever the depth.

    >>> list(depth_first([-1, 0, 0, -1]))
    [0, 1, -2, 2, -3, -1, 3, -4]
    """
    first_child, next_sibling = _links(parent)
    row = first_child[NO_PARENT]  # the last entry: the roots hang from it
    while row != _NONE:
        yield row
        if first_child[row] != _NONE:
            row = first_child[row]
            continue
        yield ~row
        while next_sibling[row] == _NONE:
            row = parent[row]
            if row == NO_PARENT:
                return
            yield ~row
        row = next_sibling[row]


def _links(parent: Sequence[int]) -> "tuple[array[int], array[int]]":
    first_child = array("q", [_NONE]) * (len(parent) + 1)
    next_sibling = array("q", [_NONE]) * len(parent)
    for row in range(len(parent) - 1, -1, -1):
        above = parent[row]
        next_sibling[row] = first_child[above]
        first_child[above] = row
    return first_child, next_sibling
