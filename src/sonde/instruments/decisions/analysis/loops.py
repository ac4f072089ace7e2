"""Loops of a method as far as a record names them, in two compilations, and which is which."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from sonde.instruments.decisions.model import Decision

Start = tuple[int, int]
"""Line and column at which a loop begins."""

_AT_START = frozenset({"loop-vectorize", "loop-unroll", "loop-delete", "loop-distribute", "loop-interchange", "TTI"})
"""Passes of LLVM whose remarks are at the beginning of a loop (`getStartLoc`); what the vectorizer only analysed is at
the instruction that it is about."""

REMOVALS = frozenset({"FullyUnrolled", "Invariant", "NeverExecutes", "ProcessLoopStridedStore",
                      "ProcessLoopStoreOfLoopLoad", "recognizeAndInsertStrLen"})  # fmt: skip
"""After these a loop is gone."""


class Loop(NamedTuple):
    """A loop, the same on both sides."""

    method: str
    number: int
    start: Start
    """On the first side, if that names it."""
    outer: int = -1
    """The number of the loop around it, as far as lines are indented; -1: there is none."""


class Loops:
    """The loops that the remarks of two compilations name.

    A place is taken to be in the last loop of its method that begins at or before it: records do not say where loops
    end. Loops that begin in the same place on both sides are the same; between these, if there are as many on both
    sides, they are in order. A loop that is gone on both sides is none: what is said there is about the one around it.

    Args:
        first, second: all decisions of either side.
    Cost: O(n log n).

    >>> from sonde.instruments.decisions.model import Place
    >>> seen = [[Decision("loop-unroll", "Peeled", (Place("f", at, 5),)) for at in lines] for lines in ((3, 8), (1, 8))]
    >>> loops = Loops(*seen)
    >>> [None if loop is None else loop.start for loop in (loops.at(0, "f", 4, 9), loops.at(1, "f", 2, 9))]
    [(3, 5), (3, 5)]
    >>> loops.at(0, "f", 2, 9) is None
    True
    """

    def __init__(self, first: Iterable[Decision] = (), second: Iterable[Decision] = ()) -> None:
        sides = _named(first), _named(second)
        self._gone: dict[Loop | None, tuple[bool, bool]] = {}
        self._loops: tuple[dict[str, list[tuple[Start, Loop]]], ...] = ({}, {})
        for method in sides[0].keys() | sides[1].keys():
            outer: list[Loop] = []
            for starts in _matched(*(sorted(side.get(method, ())) for side in sides)):
                gone = [sides[side].get(method, {}).get(start, False) for side, start in enumerate(starts)]
                if all(gone):
                    continue
                begin = starts[0]
                while outer and outer[-1].start[1] >= begin[1]:
                    outer.pop()
                loop = Loop(method, len(self._gone), begin, outer[-1].number if outer else -1)
                self._gone[loop] = (gone[0], gone[1])
                outer.append(loop)
                for side, start in enumerate(starts):
                    self._loops[side].setdefault(method, []).append((start, loop))
        for known in self._loops:
            for ordered in known.values():
                ordered.sort()

    def at(self, side: int, method: str | None, line: int, column: int) -> Loop | None:
        """The loop that a place of one side is in; None: in none that is known."""
        known = self._loops[side].get(method or "", ())
        number = bisect_right(known, (line, column), key=lambda each: each[0])
        return known[number - 1][1] if number else None

    def of(self, side: int, decision: Decision) -> Loop | None:
        """The loop that a decision of one side is about."""
        return self.at(side, *decision.position[0]) if decision.position else None

    def gone(self, loop: Loop | None) -> tuple[bool, bool]:
        """On which sides a loop is gone."""
        return self._gone.get(loop, (False, False))


def _named(decisions: Iterable[Decision]) -> dict[str, dict[Start, bool]]:
    """Where loops begin, by method; with whether they are gone."""
    found: dict[str, dict[Start, bool]] = {}
    vectorized = []
    for each in decisions:
        if each.name not in _AT_START or each.outcome == "analysis" or not each.position:
            continue
        method, *start = each.position[0]
        line, column = start
        known = found.setdefault(method, {})
        known[line, column] = known.get((line, column), False) or each.event in REMOVALS
        if each.name == "loop-vectorize" and each.outcome == "applied":
            vectorized.append((method, (line, column)))
    for method, place in vectorized:  # whose rest is at the same place, and may be unrolled as a whole
        found[method][place] = False
    return found


def _matched(left: list[Start], right: list[Start]) -> list[tuple[Start, Start]]:
    """Both in order; one that only one side names is taken to begin in the same place on the other."""
    if len(left) == len(right):
        return list(zip(left, right, strict=True))
    common = set(left) & set(right)
    pairs = [(start, start) for start in common]
    ends = sorted(common)
    for number in range(len(ends) + 1):
        ours, theirs = ([one for one in side if one not in common and bisect_right(ends, one) == number]
                        for side in (left, right))  # fmt: skip
        same = zip(ours, theirs, strict=True) if len(ours) == len(theirs) else ((one, one) for one in (*ours, *theirs))
        pairs.extend(same)
    return sorted(pairs)
