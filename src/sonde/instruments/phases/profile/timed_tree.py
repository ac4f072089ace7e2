"""What the first step measures: a tree of calls, with how often each was made and how long it took."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.code import Function

NO_PARENT = -1


@dataclass(frozen=True, slots=True)
class FunctionTime:
    """What a function took in all of its calls."""

    function: Function
    calls: int
    total_ns: int
    """Nanoseconds during which it was on the stack, its callees included; recursion counts once."""
    own_ns: int
    """Nanoseconds outside its callees."""

    @property
    def per_call_ns(self) -> float:
        """Mean nanoseconds of a call, callees included. Of a recursive function, calls within calls share the time of
        the outermost."""
        return self.total_ns / self.calls if self.calls else 0.0


@dataclass(frozen=True, slots=True)
class TimedTree:
    """Calls in their contexts, one row each, parents before children. Columns have a value for each row."""

    functions: tuple[Function, ...]
    """Each once."""
    parent: Sequence[int]
    """Row of the caller's context; `NO_PARENT` for roots."""
    function: Sequence[int]
    """Index into `functions`."""
    calls: Sequence[int]
    own_ns: Sequence[int]
    """Nanoseconds in this context outside its callees."""

    @property
    def whole_ns(self) -> int:
        """Nanoseconds in all contexts together."""
        return sum(self.own_ns)

    @property
    def all_calls(self) -> int:
        """Calls in all contexts together."""
        return sum(self.calls)

    def total_ns(self) -> Sequence[int]:
        """Nanoseconds in each context with its callees. O(n)."""
        total = array("q", self.own_ns)
        for row in range(len(total) - 1, -1, -1):
            if self.parent[row] != NO_PARENT:
                total[self.parent[row]] += total[row]
        return total

    def function_times(self) -> tuple[FunctionTime, ...]:
        """What each function took, in the order of `functions`.

        Guarantee: `total_ns` is at most `whole_ns`, however deep a function recurses: each moment counts once.
        Cost: O(n) time and space for n contexts, no recursion.
        """
        total, inside = self.total_ns(), self._lies_within_itself()
        calls, totals, own = ([0] * len(self.functions) for _ in range(3))
        for row, number in enumerate(self.function):
            calls[number] += self.calls[row]
            own[number] += self.own_ns[row]
            if not inside[row]:
                totals[number] += total[row]
        rows = zip(self.functions, calls, totals, own, strict=True)
        return tuple(FunctionTime(*each) for each in rows)

    def _lies_within_itself(self) -> list[bool]:
        """Of each context, whether its function runs further up, too. Depth first, with the functions on the way."""
        below: list[list[int]] = [[] for _ in range(len(self.parent) + 1)]
        for row, parent in enumerate(self.parent):
            below[parent].append(row)
        inside = [False] * len(self.parent)
        above = [0] * len(self.functions)
        pending = [(row, False) for row in below[-1]]
        while pending:
            row, is_left = pending.pop()
            number = self.function[row]
            if is_left:
                above[number] -= 1
                continue
            inside[row] = above[number] > 0
            above[number] += 1
            pending.append((row, True))
            pending.extend((child, False) for child in below[row])
        return inside

    def check_valid(self) -> None:
        """Refuse what is no tree of calls.

        Raises:
            InputError: `corrupt-profile`.
        """
        lengths = {len(column) for column in (self.parent, self.function, self.calls, self.own_ns)}
        in_order = all(NO_PARENT <= parent < row for row, parent in enumerate(self.parent))
        known = all(0 <= number < len(self.functions) for number in self.function)
        if len(lengths) != 1 or not in_order or not known or min((*self.calls, *self.own_ns), default=0) < 0:
            raise InputError("cannot use this tree of calls: its rows do not fit one another", slug="corrupt-profile")
