"""A small database, sorted by shell sort: the program whose source the document annotates (Table 2.4), in Python.

sonde memory -o run.sonde examples/memory/shell_sort.py 3000
sonde view run.sonde --html run.html
"""

import random
import sys
from dataclasses import dataclass
from itertools import pairwise


@dataclass(slots=True)
class Entry:
    """One record of the database."""

    items: list[str]


def shell_sort(index: list[Entry], field: int) -> None:
    """Sort `index` by one item of its entries, in place."""
    size = len(index)
    gap = size // 2
    while gap > 0:
        for start in range(gap, size):
            at = start - gap
            while at >= 0:
                first = index[at].items[field]
                second = index[at + gap].items[field]
                if first <= second:
                    break
                index[at], index[at + gap] = index[at + gap], index[at]
                at -= gap
        gap //= 2


def make_database(size: int, seed: int = 1) -> list[Entry]:
    """Entries with random items, in random order."""
    source = random.Random(seed)
    entries = [Entry([f"{source.random():.12f}" for _ in range(4)]) for _ in range(size)]
    source.shuffle(entries)
    return entries


def main() -> None:
    """Sort a database by each of its fields."""
    database = make_database(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
    for field in range(4):
        shell_sort(database, field)
        assert all(a.items[field] <= b.items[field] for a, b in pairwise(database))
    print(database[0].items[3])


if __name__ == "__main__":
    main()
