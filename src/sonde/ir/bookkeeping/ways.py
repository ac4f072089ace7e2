"""Which values a marked function makes on its way from one of its instructions to another."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sonde.ir.bookkeeping.marks import BEFORE_ALL, MarkedFunction
from sonde.ir.call_site import CALLS, call_site
from sonde.ir.instruction import Instruction

_AT_ONCE = 0
"""The key of parameters and phis; others have larger ones."""
_AT_END = 1 << 60


def is_outer_call(instruction: Instruction) -> bool:
    """Whether it calls what is not an intrinsic of LLVM's."""
    return instruction.opcode in CALLS and not call_site(instruction).is_intrinsic


@dataclass(eq=False)
class Ways:
    """Ways through a marked function, from right after one numbered thing to right before another.

    Only values that records follow count as made. Phis of a block are made at once. Answers are kept.
    """

    marked: MarkedFunction
    _direct: dict[tuple[int, int], bool] = field(default_factory=dict)
    _forks: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    _between: dict[tuple[int, int], dict[str, tuple[int, int]]] = field(default_factory=dict)
    _linked: dict[str, set[str]] = field(default_factory=dict)
    """Block -> blocks from which edges lead to it through blocks that make nothing."""

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

    def is_at_once(self, one: int, other: int) -> bool:
        """Whether both are phis of one block, or parameters."""
        return self._places[one] == self._places[other] and self._places[one][1] == _AT_ONCE

    def leads_to_end_of(self, start: int, block: str) -> bool:
        """Whether there is a way to the end of a block."""
        source, _ = self._places[start]
        return source == block or bool(self._reach[source] >> self._number[block] & 1)

    def may_make(self, value: int, start: int, end: int) -> bool:
        """Whether some way makes a value before it comes to the end for the first time."""
        return self._is_within(value, self._found_between(start, end), end)

    def forks(self, start: int, end: int) -> dict[str, int]:
        """Where a way that makes no value parts from ways that make some: block -> the number of its terminator.

        Args:
            start: as in `is_direct`, which holds.
        """
        key = (start, end)
        if key not in self._forks:
            self._forks[key] = self._find_forks(start, end)
        return self._forks[key]

    def is_taken(self, start: int, end: int, leads: Callable[[str], Collection[str]]) -> bool:
        """Whether a way that makes no value is taken for certain, where some way makes one.

        Args:
            start: as in `is_direct`, which holds.
            leads: where the original may have gone on from the end of a fork's block, as far as that is certain.
        """
        (source, _), (target, _) = self._places[start], self._places[end]
        forks = self.forks(start, end)
        flow = self.marked.flow
        seen: set[str] = set()
        waiting = list(leads(source) if source in forks else flow.successors(source))
        while waiting:
            block = waiting.pop()
            if block == target:
                return True
            if block not in seen and block not in self._recorded:
                seen.add(block)
                waiting += leads(block) if block in forks else flow.successors(block)
        return False

    def calls_between(self, start: int, end: int, counts: Callable[[int], bool]) -> Iterator[int]:
        """Numbers of calls on some way that makes no value; if there is no such way, of those on every way.

        Args:
            start: 0: where the function begins.
            end: -1: wherever the function returns.
            counts: whether a call is asked for.
        """
        for each in self._returns if end < 0 else [end]:
            is_direct = self.is_direct(start, each)
            between = self._silent_between(start, each) if is_direct else self._found_between(start, each)
            for block in between:
                for number in self._calls.get(block, ()):
                    if (
                        self._is_within(number, between, each)
                        and counts(number)
                        and (is_direct or not self._is_avoidable(number, start, each))
                    ):
                        yield number

    def _is_within(self, number: int, between: dict[str, tuple[int, int]], end: int) -> bool:
        """Whether something lies between certain keys of blocks, and leads to the end."""
        block, key = self._places[number]
        if block not in between or not self.is_possible(number, end):
            return False
        above, below = between[block]
        return above < key < below if above < below else key > above or key < below

    def _is_avoidable(self, number: int, start: int, end: int) -> bool:
        """Whether some way does not go through something that lies between."""
        (source, above), (target, below) = self._places[start], self._places[end]
        block, key = self._places[number]
        if (block == source and key > above) or (block == target and key < below):
            return False
        seen = {block}
        waiting = list(self.marked.flow.successors(source))
        while waiting:
            next_ = waiting.pop()
            if next_ == target and next_ != block:
                return True
            if next_ not in seen:
                seen.add(next_)
                waiting += self.marked.flow.successors(next_)
        return False

    def _silent_between(self, start: int, end: int) -> dict[str, tuple[int, int]]:
        """Block -> between which keys ways lead through it that make no value."""
        (source, above), (target, below) = self._places[start], self._places[end]
        if source == target and above < below:
            return {source: (above, below)}
        if self.is_at_once(start, end):
            return {}
        found = {source: (above, _AT_END), target: (-1, below)}
        waiting = list(self.marked.flow.successors(source))
        while waiting:
            block = waiting.pop()
            if block not in found and block not in self._recorded and self._is_linked(block, target):
                found[block] = (-1, _AT_END)
                waiting += self.marked.flow.successors(block)
        return found

    def _find_forks(self, start: int, end: int) -> dict[str, int]:
        (source, above), (target, below) = self._places[start], self._places[end]
        if source == target and (above < below or above == below == _AT_ONCE):
            return {}
        flow = self.marked.flow
        # If a loop leads from the end to the start, a way by the start again is a whole turn. It is assumed that its
        # records are not all dropped while those around it are kept: else each `&&` in a loop would be a fork.
        around = source if self.is_possible(end, start) else None
        leading = self._leading_to(target, around)
        found: dict[str, int] = {}
        seen: set[str] = set()
        waiting = [source]
        while waiting:
            block = waiting.pop()
            seen.add(block)
            successors = [each for each in flow.successors(block) if each != target]
            if len(set(flow.successors(block))) > 1 and any(self._makes_any(each, leading) for each in successors):
                found[block] = self._last[block]
            waiting += [each for each in successors if each not in seen and each not in self._recorded]
        return found

    def _leading_to(self, target: str, around: str | None) -> set[str]:
        """Blocks from where ways lead to a block, but not through another."""
        found: set[str] = set()
        waiting = [target]
        while waiting:
            for block in self.marked.flow.predecessors(waiting.pop()):
                if block not in found and block not in (around, target):
                    found.add(block)
                    waiting.append(block)
        return found

    def _makes_any(self, start: str, within: set[str]) -> bool:
        """Whether some way from a block on, through some blocks only, makes a value."""
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            block = waiting.pop()
            if block in within and block not in seen:
                if block in self._recorded:
                    return True
                seen.add(block)
                waiting += self.marked.flow.successors(block)
        return False

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
        if target not in self._linked:
            self._linked[target] = self._find_linked(target)
        return source in self._linked[target]

    def _find_linked(self, target: str) -> set[str]:
        found: set[str] = set()
        waiting = [target]
        while waiting:
            for block in self.marked.flow.predecessors(waiting.pop()):
                if block not in found:
                    found.add(block)
                    if block not in self._recorded:
                        waiting.append(block)
        return found

    def _found_between(self, start: int, end: int) -> dict[str, tuple[int, int]]:
        pair = (start, end)
        if pair not in self._between:
            self._between[pair] = self._find_between(start, end)
        return self._between[pair]

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
        """Number -> block, and a key that grows along the block; the same for what is made at once. 0: the entry."""
        places = [(self.marked.flow.entry, -1)]
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
    def _calls(self) -> dict[str, list[int]]:
        """Block -> numbers of the calls in it."""
        found: dict[str, list[int]] = {}
        for number, instruction in self.marked.instructions.items():
            if is_outer_call(instruction):
                found.setdefault(self.marked.place(number).block, []).append(number)
        return found

    @cached_property
    def _last(self) -> dict[str, int]:
        """Block -> number of its terminator. (What an invoke makes is made elsewhere, where it arrives.)"""
        ends = (number for number, each in self.marked.instructions.items() if each.is_terminator)
        return dict(zip(self.marked.flow.names, ends, strict=True))

    @cached_property
    def _returns(self) -> list[int]:
        return [number for number, each in self.marked.instructions.items() if each.opcode in ("ret", "resume")]

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
