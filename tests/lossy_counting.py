"""Lossy Counting, as its authors define it.

Source: Manku, Motwani, "Approximate frequency counts over data streams", VLDB 2002. An alternative to
Space-Saving, to compare it with: weights of one only, no tree.
"""

from collections.abc import Hashable
from math import ceil


class LossyCounting:
    """Counts of the items of a stream that is cut into buckets of 1 / epsilon items.

    An entry (item, count, delta) was made in bucket delta + 1; at the end of bucket b, those with
    count + delta <= b are dropped.

    Guarantee: true - epsilon N <= count <= true for each entry; true <= epsilon N for every other item.
    Cost: O(1) amortised for each item; at most (1 / epsilon) log(epsilon N) entries.
    """

    def __init__(self, epsilon: float) -> None:
        self._width = ceil(1 / epsilon)
        self._arrivals = 0
        self._entries: dict[Hashable, tuple[int, int]] = {}

    def add(self, item: Hashable) -> None:
        """Count one arrival."""
        bucket = self._arrivals // self._width + 1
        self._arrivals += 1
        count, delta = self._entries.get(item, (0, bucket - 1))
        self._entries[item] = (count + 1, delta)
        if self._arrivals % self._width == 0:
            self._entries = {
                entry: (count, delta) for entry, (count, delta) in self._entries.items() if count + delta > bucket
            }

    def counts(self) -> dict[Hashable, tuple[int, int]]:
        """Count and delta of each entry: the true count is between count and count + delta."""
        return dict(self._entries)
