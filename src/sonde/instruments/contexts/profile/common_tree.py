"""Several trees laid over each other: which contexts of one are which of another, by equal functions and lines."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sonde.events import FunctionTable
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile


@dataclass(frozen=True, slots=True)
class CommonTree:
    """The union of several trees; each context is in it once, callers before callees.

    Differs from `comparison.align_contexts`: nothing is guessed. A function that moved by a line is another one.
    """

    functions: FunctionTable
    parent: Sequence[int]
    """(n_contexts,) int64: row of the caller, `NO_PARENT` for roots."""
    function: Sequence[int]
    """(n_contexts,) int64: number in `functions`."""
    call_line: Sequence[int]
    """(n_contexts,) int64."""
    placed: Sequence[Sequence[int]]
    """For each profile the common row of each of its contexts."""

    def __len__(self) -> int:
        return len(self.parent)

    def summed(self, columns: Iterable[Sequence[int]]) -> "array[int]":
        """Add up one column of each profile, in the order of the profiles; an empty column is all zero."""
        sums = array("q", bytes(8 * len(self)))
        for row_of, column in zip(self.placed, columns, strict=True):
            if len(column):
                for row, value in zip(row_of, column, strict=True):
                    sums[row] += value
        return sums

    def spread(self, number: int, column: Sequence[int]) -> "array[int]":
        """A column of one of the profiles by common rows; zero where it has no such context."""
        return self.summed(column if place == number else () for place in range(len(self.placed)))


def lay_over(profiles: Sequence[ContextProfile]) -> CommonTree:
    """Find the contexts that profiles have in common. O(n) for all their contexts together, about 0.5 us each."""
    functions = FunctionTable()
    rows: dict[tuple[int, int, int], int] = {}
    placed = []
    for profile in profiles:
        tree = profile.contexts
        number_of = [functions.number(function) for function in profile.functions]
        row_of = array("q", [NO_PARENT]) * (len(tree) + 1)  # the last one is the caller of roots, -1
        for row, (parent, function, line) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True)):
            row_of[row] = rows.setdefault((row_of[parent], number_of[function], line), len(rows))
        row_of.pop()
        placed.append(row_of)
    return CommonTree(
        functions,
        parent=array("q", (parent for parent, _, _ in rows)),
        function=array("q", (function for _, function, _ in rows)),
        call_line=array("q", (line for _, _, line in rows)),
        placed=placed,
    )
