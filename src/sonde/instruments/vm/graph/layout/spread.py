"""Places in a row: in order, apart, and as near as can be to where they are wanted."""

from collections.abc import Sequence


def spread(wanted: Sequence[int], gaps: Sequence[int], low: int, high: int) -> list[int]:
    """Places in order, `gaps` apart at least, between `low` and `high`, near where they are wanted.

    Args:
        wanted: (n,) in the order in which they are to be.
        gaps: (n - 1,) least distances between neighbours.
        low: least place; with more gaps than room, the last places are beyond `high`.
    Guarantee: with room enough the sum of squared distances from what is wanted is the least there is, but for
        rounding down.
    Cost: O(n).
    Source: Ayer, Brunk, Ewing, Reid, Silverman, An empirical distribution function for sampling with incomplete
        information, 1955: neighbours out of order are pooled at their mean.
    Differs: what is pooled is the place less the gaps before it; bounds are met by cutting off afterwards.

    >>> spread([50, 50, 51], [10, 10], 0, 100)
    [40, 50, 60]
    >>> spread([50, 90], [10], 0, 60)
    [50, 60]
    """
    before = [0]
    for gap in gaps:
        before.append(before[-1] + gap)
    pools: list[tuple[int, int]] = []  # sum and number of members
    for place, offset in zip(wanted, before, strict=False):
        total, members = place - offset, 1
        while pools and pools[-1][0] * members > total * pools[-1][1]:
            total, members = total + pools[-1][0], members + pools[-1][1]
            pools.pop()
        pools.append((total, members))
    means = [total // members for total, members in pools for _ in range(members)]
    latest = max(low, high - before[-1])
    return [min(max(mean, low), latest) + offset for mean, offset in zip(means, before, strict=False)]
