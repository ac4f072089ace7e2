"""How the cost of a compiled function is made up of the functions that were inlined into it, line by line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from sonde.base.largest_remainders import divide_by_weights
from sonde.ir.analyses.instruction_costs import instruction_cost
from sonde.ir.block import Block
from sonde.ir.debug_location import SourceFrames
from sonde.ir.source_functions import SourceFunction

ENDLESS = 2.0**20
"""Runs of a block that is never left, for each call: the estimate says infinity, which nothing can be a share of."""


class InlinedPart(NamedTuple):
    """A line of a function that was inlined, or of the compiled function itself."""

    functions: tuple[SourceFunction, ...]
    """Innermost first; the last one is the compiled function."""
    lines: tuple[int, ...]
    """In each of them; 0 where the compiler made the code up."""


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Estimated cycles of one call of a compiled function, without what it calls.

    Source: Burchell, Larose, Marr, MPLR 2024, section 4.2: costs of the instructions that remain, weighted by how
        often they are expected to run.
    Differs: the costs are of kinds of instructions, by a model of one processor; lines are told apart, and so is what
        has no location.
    """

    parts: Mapping[InlinedPart, float]
    unplaced: float
    """Of instructions that do not say where they come from."""

    @classmethod
    def of(cls, blocks: Iterable[Block], frames: SourceFrames, frequencies: Mapping[str, float]) -> "UnitCosts":
        """Add up the costs of instructions.

        Args:
            blocks: of a function, or some of them, as they are when the optimiser is done.
            frequencies: block -> runs for each call, measured or guessed; any other weights give the same shares.
        """
        parts: dict[InlinedPart, float] = {}
        unplaced = 0.0
        by_location: dict[int, InlinedPart] = {}
        for block in blocks:
            frequency = frequencies.get(block.name, 0.0)
            runs = frequency if isfinite(frequency) else ENDLESS
            for each in block.instructions:
                cycles = instruction_cost(each).cycles * runs
                if not cycles:
                    continue
                location = each.location
                if location is None:
                    unplaced += cycles
                    continue
                if location not in by_location:
                    lines = tuple(frame.line for frame in frames.of(location))
                    by_location[location] = InlinedPart(frames.functions_of(location), lines)
                part = by_location[location]
                parts[part] = parts.get(part, 0.0) + cycles
        return cls(parts, unplaced)

    @property
    def cycles(self) -> float:
        """Of one call."""
        return sum(self.parts.values()) + self.unplaced

    def divide(self, measured: int) -> "DividedCycles":
        """Divide what was measured among the parts, as their costs are.

        Guarantee: the parts and what is unplaced add up to what was measured.
        """
        if not self.cycles:
            return DividedCycles({}, measured)
        *of_parts, unplaced = divide_by_weights(measured, [*self.parts.values(), self.unplaced])
        return DividedCycles(dict(zip(self.parts, of_parts, strict=True)), unplaced)


class DividedCycles(NamedTuple):
    """What was measured of a compiled function, by its parts; in whatever unit it was measured in."""

    parts: Mapping[InlinedPart, int]
    unplaced: int
