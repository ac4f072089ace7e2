"""The largest of many numbers."""

from collections.abc import Sequence


def largest(values: Sequence[int], most: int) -> list[int]:
    """The positions of the `most` largest values, ascending; of equal ones the first.

    So where each value has an earlier one that is at least as large, as frames of a tree have their callers, these are
    among the largest, too.

    >>> largest([5, 1, 5, 3, 3], 3)
    [0, 2, 3]

    Args:
        most: >= 1.
    Cost: O(n log n).
    """
    if len(values) <= most:
        return list(range(len(values)))
    least = sorted(values)[-most]
    room = most - sum(map(least.__lt__, values))
    found = []
    for position, value in enumerate(values):
        if value > least:
            found.append(position)
        elif value == least and room:
            found.append(position)
            room -= 1
    return found
