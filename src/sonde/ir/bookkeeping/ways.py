"""Which values a marked function makes on its way from one of its instructions to another."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from sonde.ir.bookkeeping.marks import BEFORE_ALL, MarkedFunction

_AT_ONCE = 0
"""The key of parameters and phis; others have larger ones."""
_AT_END = 1 << 60


@dataclass(eq=False)
class Ways:
    """Ways through a marked function, from right after one numbered thing to right before another.

    Only values that records follow count as made. Phis of a block are made at once. Answers are kept.
    """

    marked: MarkedFunction
    _direct: dict[tuple[int, int], bool] = field(default_factory=dict)
    _between: dict[tuple[int, int], dict[str, tuple[int, int]]] = field(default_factory=dict)

    def is_direct(self, start: int, end: int) -> bool:
        """Whether some way makes no value in between."""
        key = (start, end)
        if key not in self._direct:
            self._direct[key] = self._find_direct(start, end)
        return self._direct[key]

    def is_possible(self, start: int, end: int) -> bool:
        """Whether there is a way at all."""
        (source, above), (target, below) = self._places[start], self._places[end]
        if source == target and above < below:
            return True
        return bool(self._reach[source] >> self._number[target] & 1)

    def may_make(self, value: int, start: int, end: int) -> bool:
        """Whether some way makes a value before it comes to the end for the first time."""
        pair = (start, end)
        if pair not in self._between:
            self._between[pair] = self._find_between(start, end)
        block, key = self._places[value]
        if block not in self._between[pair] or not self.is_possible(value, end):
            return False
        above, below = self._between[pair][block]
        return above < key < below if above < below else key > above or key < below

    def _find_direct(self, start: int, end: int) -> bool:
        (source, above), (target, below) = self._places[start], self._places[end]
        if source == target:
            keys = self._recorded.get(source, [])
            if above == below == _AT_ONCE and start != end:
                return True
            if above < below:
                return bisect_right(keys, above) == bisect_left(keys, below)
        if source in self._recorded and self._recorded[source][-1] > above:
            return False
        if target in self._recorded and self._recorded[target][0] < below:
            return False
        return self._is_linked(source, target)

    def _is_linked(self, source: str, target: str) -> bool:
        """Whether edges lead from one block to another through blocks that make nothing."""
        seen: set[str] = set()
        waiting = list(self.marked.flow.successors(source))
        while waiting:
            block = waiting.pop()
            if block == target:
                return True
            if block not in seen and block not in self._recorded:
                seen.add(block)
                waiting += self.marked.flow.successors(block)
        return False

    def _find_between(self, start: int, end: int) -> dict[str, tuple[int, int]]:
        """Block -> between which keys something may be made, before the end is reached for the first time."""
        (source, above), (target, below) = self._places[start], self._places[end]
        if source == target and above < below:
            return {source: (above, below)}
        found = {}
        waiting = list(self.marked.flow.successors(source))
        while waiting:
            block = waiting.pop()
            if block not in found:
                found[block] = (-1, below if block == target else _AT_END)
                if block != target:
                    waiting += self.marked.flow.successors(block)
        if source not in found:
            found[source] = (above, _AT_END)
        elif source == target:
            # Both ends of the block: what lies between them is not on the way.
            found[source] = (above, below)
        return found

    @cached_property
    def _places(self) -> list[tuple[str, int]]:
        """Number -> block, and a key that grows along the block; the same for what is made at once."""
        places = [("", 0)]
        for number, each in enumerate(self.marked.places, 1):
            instruction = self.marked.instructions.get(number)
            is_first = each.at == BEFORE_ALL or (instruction is not None and instruction.opcode == "phi")
            places.append((each.block, _AT_ONCE if is_first else each.at + 1))
        return places

    @cached_property
    def _recorded(self) -> dict[str, list[int]]:
        """Block -> keys of what is made there, growing."""
        found: dict[str, list[int]] = {}
        for (block, key), each in zip(self._places[1:], self.marked.places, strict=True):
            if each.is_recorded:
                found.setdefault(block, []).append(key)
        return {block: sorted(keys) for block, keys in found.items()}

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.marked.flow.names)}

    @cached_property
    def _reach(self) -> dict[str, int]:
        """Block -> set of the numbers of blocks that one or more edges lead to."""
        flow = self.marked.flow
        reach = [0] * len(flow.names)
        order = [*(number for number, at in enumerate(flow.position) if at < 0), *reversed(flow.order)]
        is_changing = True
        while is_changing:
            is_changing = False
            for number in order:
                new = reach[number]
                for target in flow.successor_numbers[number]:
                    new |= reach[target] | 1 << target
                if new != reach[number]:
                    reach[number] = new
                    is_changing = True
        return dict(zip(flow.names, reach, strict=True))
