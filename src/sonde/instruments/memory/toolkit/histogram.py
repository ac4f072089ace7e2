"""`Histogram`: how values are spread, in bins that double; one for all, or one for each key."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from sonde.instruments.memory.toolkit.containers import Key, Table
from sonde.instruments.memory.toolkit.int64 import wrapped

BINS = 64


@dataclass(slots=True)
class Bins:
    """What is known of the values of one key.

    >>> bins = Bins()
    >>> for value in (0, 1, 5, 6):
    ...     bins.add(value)
    >>> list(bins.ranges())
    [(0, 0, 1), (1, 1, 1), (4, 7, 2)]
    >>> bins.share_below(4)
    0.5
    """

    count: int = 0
    sum: int = 0
    min: int = 0
    max: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    """(64,) values each: bin 0 has those of 0 and less, bin b those from 2**(b - 1) to 2**b - 1."""

    def add(self, value: int) -> None:
        """Count a value."""
        value = int(value)
        self.min = value if self.count == 0 or value < self.min else self.min
        self.max = value if self.count == 0 or value > self.max else self.max
        self.count += 1
        self.sum = wrapped(self.sum + value)  # type: ignore[assignment]  # of an int comes an int
        self.bins[value.bit_length() if value > 0 else 0] += 1

    @property
    def mean(self) -> float:
        """Of all values; 0 where there are none."""
        return self.sum / self.count if self.count else 0.0

    def ranges(self) -> Iterator[tuple[int, int, int]]:
        """Lowest value, highest value, how many: for each bin that has any."""
        for number, count in enumerate(self.bins):
            if count:
                yield (1 << (number - 1), (1 << number) - 1, count) if number else (min(self.min, 0), 0, count)

    def share_below(self, limit: int) -> float:
        """Which share of the values is certainly below `limit`: exact when it is a power of two."""
        below = sum(count for _, highest, count in self.ranges() if highest < limit)
        return below / self.count if self.count else 0.0

    def include(self, other: "Bins") -> None:
        """Count what `other` has counted, too."""
        if other.count:
            self.min = min(self.min, other.min) if self.count else other.min
            self.max = max(self.max, other.max) if self.count else other.max
        self.count += other.count
        self.sum = wrapped(self.sum + other.sum)  # type: ignore[assignment]  # of an int comes an int
        self.bins = [mine + theirs for mine, theirs in zip(self.bins, other.bins, strict=True)]


class Histogram(Table):
    """Values by key, or without a key.

    In advice: `self.lives[type].add(value)` or `self.lives.add(value)`. In `report()`: a mapping from keys to `Bins`;
    `all()` is everything in one.

    >>> lives = Histogram()
    >>> lives["Node"].add(12)
    >>> lives["Leaf"].add(3)
    >>> lives.all().count
    2
    """

    ROWS: ClassVar[int] = 1 << 16

    def __init__(self) -> None:
        super().__init__()
        self.by_key: dict[Key, Bins] = {}

    def __getitem__(self, key: object) -> Bins:
        key = self.key_of(key)
        bins = self.by_key.get(key)
        if bins is not None:
            return bins
        bins = Bins()
        if len(self.by_key) < self.ROWS:
            self.by_key[key] = bins
        else:
            self.refused += 1
        return bins

    def add(self, value: int) -> None:
        """Count a value that has no key."""
        self[()].add(value)

    @property
    def count(self) -> int:
        """Of values, whatever their key."""
        return sum(bins.count for bins in self.by_key.values())

    def all(self) -> Bins:
        """The values of all keys together."""
        together = Bins()
        for bins in self.by_key.values():
            together.include(bins)
        return together

    def __len__(self) -> int:
        return len(self.by_key)

    def __iter__(self) -> Iterator[object]:
        return (key for key, _ in self.items())

    def items(self) -> Iterator[tuple[object, Bins]]:
        """Each key with its bins; a key of one part is that part."""
        return ((key[0] if len(key) == 1 else key, bins) for key, bins in self.by_key.items())
