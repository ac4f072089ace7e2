"""The slow twin of native/core/contexts/function_sums.c: each context is asked for all that are above it."""

from array import array
from collections.abc import Iterator, Sequence


def reference_function_sums(columns: Sequence[Sequence[int]], functions: int) -> tuple[bytes, ...]:
    """As `sonde.native.function_sums`."""
    parent, function = columns[:2]
    if len({len(column) for column in columns}) > 1:
        raise ValueError("columns differ in length")
    sums = tuple(array("q", bytes(8 * functions)) for _ in range(5))
    try:
        for row, (above, own, *values) in enumerate(zip(*columns, strict=True)):
            if not (-1 <= above < row and 0 <= own < functions):
                raise ValueError("a parent does not stand before its child, or a function has no number below")
            is_outermost = own not in (function[each] for each in _above(row, parent))
            counted = (1, values[0], values[1] if is_outermost else 0, values[2], values[3] if is_outermost else 0)
            for column, value in zip(sums, counted, strict=True):
                column[own] += value
    except OverflowError:
        raise ValueError("a sum does not fit") from None
    return tuple(column.tobytes() for column in sums)


def _above(row: int, parent: Sequence[int]) -> Iterator[int]:
    while (row := parent[row]) >= 0:
        yield row
