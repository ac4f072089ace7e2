"""What was marked: the numbers that instructions and values of a module were given before passes run over it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sonde.ir.analyses import ControlFlow, DominatorTree, dominators
from sonde.ir.debug_location import SourceFrame, SourceFrames
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module

BEFORE_ALL = -1
"""The `at` of parameters, and of what an invoke yields in the block where it arrives."""


class Numbered(NamedTuple):
    """A numbered thing of a function: a parameter or an instruction."""

    name: str | None
    """Of its value; None when it has none."""
    type: str | None
    block: str
    """Where the value is made."""
    at: int
    """Which of the block's instructions makes it, or `BEFORE_ALL`."""
    is_recorded: bool
    """Whether debug records follow the value."""
    location: int | None
    """The metadata node that says where in the source it comes from."""


@dataclass(eq=False)
class MarkedFunction:
    """The numbers of one function: parameters first, then instructions in the order of the text, from 1 on."""

    name: str
    """With sigil."""
    places: tuple[Numbered, ...]
    flow: ControlFlow
    instructions: dict[int, Instruction]
    """Number -> the instruction, as it was marked; parameters are not among them."""

    def place(self, number: int) -> Numbered:
        return self.places[number - 1]

    def values(self) -> dict[str, int]:
        """Name of a value -> its number; those only that records follow."""
        return {each.name: number for number, each in enumerate(self.places, 1) if each.name and each.is_recorded}

    def number_at(self, block: str, index: int) -> int:
        """The number of an instruction.

        Raises:
            KeyError: there is no such instruction.
        """
        return self._numbers[block, index]

    def is_made_before(self, value: int, number: int) -> bool:
        """Whether every path to instruction `number` goes through where `value` is made. A value is not before itself.

        Cost: O(1) after the first question.
        """
        blocks, first, last = self._intervals
        above, below = blocks[value], blocks[number]
        if above == below:
            return value < number
        return first[below] < 0 or first[above] <= first[below] <= last[above]

    @cached_property
    def dominators(self) -> DominatorTree:
        return dominators(self.flow)

    @cached_property
    def _intervals(self) -> tuple[list[int], tuple[int, ...], tuple[int, ...]]:
        """Number -> block, and the dominator tree's intervals of blocks."""
        number_of = self.flow.number_of
        return [0, *(number_of[each.block] for each in self.places)], self.dominators.first, self.dominators.last

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Name of any value -> its number."""
        return {each.name: number for number, each in enumerate(self.places, 1) if each.name}

    def last_made(self, block: str) -> int | None:
        """The value that was made last, of those that records follow, on every path to the end of a block."""
        if block not in self._last_made:
            found = None
            above: str | None = block
            while found is None and above is not None:
                found = max(self.recorded.get(above, ()), key=lambda number: self.place(number).at, default=None)
                above = self.dominators.immediate(above)
            self._last_made[block] = found
        return self._last_made[block]

    @cached_property
    def _last_made(self) -> dict[str, int | None]:
        return {}

    @cached_property
    def recorded(self) -> dict[str, list[int]]:
        """Block -> numbers of the values made there that records follow."""
        found: dict[str, list[int]] = {}
        for number, each in enumerate(self.places, 1):
            if each.is_recorded:
                found.setdefault(each.block, []).append(number)
        return found

    @cached_property
    def _numbers(self) -> dict[tuple[str, int], int]:
        return {(each.block, each.at): number for number, each in enumerate(self.places, 1) if each.at >= 0}


@dataclass(frozen=True, slots=True)
class Marks:
    """A module ready for passes, and what is needed to read back afterwards what they did."""

    module: Module
    """A copy of the module whose debug information is ours. Print it, and let LLVM have it."""
    functions: dict[str, MarkedFunction]
    """The functions that were marked, by name with sigil."""
    sources: SourceFrames
    """Of the original's own debug information."""

    def source_of(self, function: str, number: int) -> tuple[SourceFrame, ...]:
        """Where in the source an instruction comes from, innermost first; empty when the original did not say."""
        location = self.functions[function].place(number).location
        return () if location is None else self.sources.of(location)
