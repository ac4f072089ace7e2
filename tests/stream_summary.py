"""Stream-Summary: Space-Saving with buckets of equal counts, as its authors describe it.

Source: Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k elements in data streams",
ICDT 2005. An alternative to the lazy queue of the hot tree, to compare it with: weights of one only, no tree.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(eq=False)
class _Bucket:
    """Items with the same count, in order of arrival, between those with the next smaller and larger count."""

    count: int
    items: "dict[Hashable, int]" = field(default_factory=dict)
    """With each item, by how much its count may be too high."""
    smaller: "_Bucket | None" = None
    larger: "_Bucket | None" = None


class StreamSummary:
    """At most `counters` items with counts.

    Guarantee: count - error <= true <= count for an item that is monitored; true <= `least()` for any other;
        the counts add up to N, so that least() <= N / counters.
    Cost: O(1) for each item: a count that grows by one moves to the neighbouring bucket.
    """

    def __init__(self, counters: int) -> None:
        self._counters = counters
        self._first: _Bucket | None = None
        self._bucket_of: dict[Hashable, _Bucket] = {}

    def add(self, item: Hashable) -> None:
        """Count one arrival."""
        bucket = self._bucket_of.get(item)
        if bucket is not None:
            self._move(item, bucket, bucket.items[item])
        elif len(self._bucket_of) < self._counters:
            self._place(item, 0, 1, after=None)
        else:
            least = self._first
            assert least is not None
            victim = next(iter(least.items))
            del self._bucket_of[victim]
            least.items[item] = least.count
            del least.items[victim]
            self._bucket_of[item] = least
            self._move(item, least, least.count)

    def least(self) -> int:
        """What an item that is not monitored has at most."""
        return self._first.count if self._first is not None and len(self._bucket_of) == self._counters else 0

    def counts(self) -> dict[Hashable, tuple[int, int]]:
        """Count and error of each monitored item, the least first."""
        found: dict[Hashable, tuple[int, int]] = {}
        bucket = self._first
        while bucket is not None:
            found |= {item: (bucket.count, error) for item, error in bucket.items.items()}
            bucket = bucket.larger
        return found

    def _move(self, item: Hashable, bucket: _Bucket, error: int) -> None:
        del bucket.items[item]
        self._place(item, error, bucket.count + 1, after=bucket)
        if not bucket.items:
            self._unlink(bucket)

    def _place(self, item: Hashable, error: int, count: int, after: _Bucket | None) -> None:
        """Into the bucket of `count`, which belongs right after `after`, or first."""
        following = self._first if after is None else after.larger
        if following is None or following.count != count:
            following = self._link(_Bucket(count), after, following)
        following.items[item] = error
        self._bucket_of[item] = following

    def _link(self, bucket: _Bucket, smaller: _Bucket | None, larger: _Bucket | None) -> _Bucket:
        bucket.smaller, bucket.larger = smaller, larger
        if smaller is None:
            self._first = bucket
        else:
            smaller.larger = bucket
        if larger is not None:
            larger.smaller = bucket
        return bucket

    def _unlink(self, bucket: _Bucket) -> None:
        if bucket.smaller is None:
            self._first = bucket.larger
        else:
            bucket.smaller.larger = bucket.larger
        if bucket.larger is not None:
            bucket.larger.smaller = bucket.smaller
