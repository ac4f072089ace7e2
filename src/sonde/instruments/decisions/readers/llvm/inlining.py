"""Inlining trees of the functions of one object file, from the remarks of the inliner in their order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sonde.instruments.decisions.readers.llvm.call_chain import InlinerRemark
from sonde.instruments.decisions.readers.llvm.growing_tree import GrowingTree
from sonde.instruments.decisions.readers.llvm.source_places import SourceFunctions

_KEPT = 200_000
"""Nodes of trees that are kept for callers to copy, so that memory does not grow with the program."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """An indirect call that is first tried as a direct one."""

    target: str
    file: str
    line: int
    column: int
    share: float
    last: bool
    order: int


Event = InlinerRemark | Promotion


class Inlinings:
    """Trees of the functions of one object file; made when they are asked for, with those of what they inline.

    Args:
        events_of: what was said about calls in a function, by its symbol, in order.
    """

    def __init__(self, events_of: Callable[[str], Sequence[Event]], source: SourceFunctions) -> None:
        self._events_of = events_of
        self._source = source
        self._made: dict[str, GrowingTree] = {}
        self._nodes = 0

    def tree(self, symbol: str) -> GrowingTree:
        """The tree of a function at the end of the compilation. It is shared: not to be changed.

        Guarantee: the same as when all remarks of the file are replayed in their order.
        """
        if symbol not in self._made:
            if self._nodes > _KEPT:
                self._made.clear()
                self._nodes = 0
            self._replay(self._needed(symbol))
        return self._made[symbol]

    def _needed(self, symbol: str) -> dict[str, Sequence[Event]]:
        """The function, and what it inlines, directly or not, that is not made yet."""
        needed: dict[str, Sequence[Event]] = {}
        waiting = [symbol]
        while waiting:
            name = waiting.pop()
            if name in needed:
                continue
            events = needed[name] = self._events_of(name)
            for event in events:
                if isinstance(event, InlinerRemark) and event.inlined:
                    callee = event.callee
                    last = self._events_of(callee)[-1:]
                    # One that is made is as it was at the end, which is good enough unless it changed later.
                    if callee not in self._made or (last and last[0].order > event.order):
                        waiting.append(callee)
        return needed

    def _replay(self, needed: dict[str, Sequence[Event]]) -> None:
        growing = {name: GrowingTree(name, self._source) for name in needed}
        in_order = sorted(((event.order, name, event) for name, events in needed.items() for event in events),
                          key=lambda each: each[0])  # fmt: skip
        for _, name, event in in_order:
            tree = growing[name]
            if isinstance(event, Promotion):
                tree.promote(event.target, event.file, event.line, event.column, event.share, last=event.last)
            else:
                tree.take(event, growing.get(event.callee) or self._made.get(event.callee))
        self._made.update(growing)
        self._nodes += sum(map(_size, growing.values()))


def _size(tree: GrowingTree) -> int:
    return sum(1 for _ in tree.root.below())
