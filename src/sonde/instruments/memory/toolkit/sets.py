"""`Set`: which keys there were, and nothing else of them."""

from collections.abc import Iterator
from typing import ClassVar

from sonde.instruments.memory.toolkit.containers import Key, Table


class Set(Table):
    """Keys of one to three parts.

    In advice: `self.seen.add(type)`, `self.seen.add((loc.method, loc.line))`, `type in self.seen`, `len(self.seen)`.
    In `report()`: a collection of keys (a name or number, or a tuple of them).

    >>> seen = Set()
    >>> seen.add(("Node", 3))
    >>> ("Node", 3) in seen, ("Node", 4) in seen, len(seen)
    (True, False, 1)
    """

    ROWS: ClassVar[int] = 1 << 20

    def __init__(self) -> None:
        super().__init__()
        self.by_key: dict[Key, None] = {}

    def add(self, key: object) -> None:
        """Take a key in; beyond the limit it is counted as refused."""
        key = self.key_of(key)
        if key in self.by_key:
            return
        if len(self.by_key) < self.ROWS:
            self.by_key[key] = None
        else:
            self.refused += 1

    def __contains__(self, key: object) -> bool:
        return self.key_of(key) in self.by_key

    def __len__(self) -> int:
        return len(self.by_key)

    def __iter__(self) -> Iterator[object]:
        return (key[0] if len(key) == 1 else key for key in self.by_key)
