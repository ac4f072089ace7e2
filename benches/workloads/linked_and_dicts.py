"""A linked list and a dict of lists: objects that are made, walked over and dropped.

python linked_and_dicts.py [length]
"""

from __future__ import annotations

import sys


class Link:
    """An element of a linked list."""

    __slots__ = ("following", "weight")

    def __init__(self, weight: int, following: Link | None) -> None:
        self.weight = weight
        self.following = following


def chain(length: int) -> Link | None:
    """Links with the weights 0 to `length` - 1, the last one first."""
    first = None
    for weight in range(length):
        first = Link(weight, first)
    return first


def weight_of(link: Link | None) -> int:
    """Of all links together."""
    found = 0
    while link is not None:
        found += link.weight
        link = link.following
    return found


def neighbours(length: int) -> int:
    """How many neighbours `length` numbers have, from a table of them."""
    table: dict[int, list[int]] = {}
    for number in range(length):
        table[number] = [number - 1, number + 1]
    return sum(len(each) for each in table.values())


def main() -> None:
    length = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print(weight_of(chain(length)), neighbours(length))


if __name__ == "__main__":
    main()
