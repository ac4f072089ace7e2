"""How a limit of the page is shared by all that want room in it."""

from collections.abc import Iterable


def fair_share(sizes: Iterable[int], room: int) -> int:
    """How much each may have, so that all together have no more than `room` and nothing is cut that need not be.

    Args:
        sizes: what each would take, >= 0.

    >>> fair_share([5, 100, 100], 65), fair_share([5, 7], 65)
    (30, 7)

    Cost: O(n log n).
    """
    ordered = sorted(sizes)
    for number, size in enumerate(ordered):
        share = room // (len(ordered) - number)
        if size > share:
            return share
        room -= size
    return ordered[-1] if ordered else 0
