"""Writing a long JSON array piece by piece, so that a big profile is never one big string."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import BinaryIO

_ITEMS_AT_ONCE = 8192
"""Items joined per write: some 500 kB, past which larger writes gain nothing measurable."""


def write_items(stream: BinaryIO, items: Iterable[str]) -> None:
    """Write JSON texts separated by commas and newlines, without the brackets around them.

    Args:
        items: complete JSON values, ASCII only.
    Cost: O(size) time, O(1) space beyond the items' own.
    """
    remaining = iter(items)
    separator = b""
    for head in remaining:
        batch = chain((head,), islice(remaining, _ITEMS_AT_ONCE - 1))
        stream.write(separator + ",\n".join(batch).encode("ascii"))
        separator = b",\n"
