"""Which differences follow from a call that was inlined in one run only, although they are in another compilation.

Where a method is no longer inlined, it becomes a unit of its own. That is compared with the code that was inlined, cut
out as a fragment, and much differs there: because of the call.
"""

from typing import Generic, TypeVar

from sonde.instruments.decisions.analysis.call_differences import CallDifference
from sonde.instruments.decisions.experiments import Fragment, UnitPair, is_prefix, path_to

T = TypeVar("T")


class Causes(Generic[T]):
    """The calls of a comparison that were inlined in one run only, by the units they are in."""

    def __init__(self) -> None:
        self._calls: tuple[dict[int, list[_Found[T]]], dict[int, list[_Found[T]]]] = ({}, {})

    def add(self, pair: UnitPair, call: CallDifference, finding: T) -> None:
        """Take in a difference between two compilations, and what it is called outside."""
        for side, compilation in enumerate((pair.first, pair.second)):
            if not isinstance(compilation, Fragment):  # whose parent is compared, too
                self._calls[side].setdefault(compilation.number, []).append((call, finding, pair))

    def of(self, pair: UnitPair) -> T | None:
        """The call because of which there is code to compare at all; None: there is no such call.

        Where that follows in turn from another call, it is that one; where calls follow from each other in a circle, as
        in recursion that begins elsewhere, there is none.
        """
        found: T | None = None
        seen: set[int] = set()
        while (cause := self._next(pair)) is not None:
            found, pair = cause
            if id(pair) in seen:
                return None
            seen.add(id(pair))
        return found

    def _next(self, pair: UnitPair) -> tuple[T, UnitPair] | None:
        for side, compilation in enumerate((pair.first, pair.second)):
            if not isinstance(compilation, Fragment):
                continue
            path = path_to(compilation.path)
            for call, finding, where in self._calls[side].get(compilation.parent.number, ()):
                if any(is_prefix(inlined, path) for inlined in call.paths[side]):
                    return finding, where
        return None


_Found = tuple[CallDifference, T, UnitPair]
