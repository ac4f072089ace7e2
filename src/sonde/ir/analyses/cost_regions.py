"""What a compiled function costs, by the loops that it consists of: counts of these make it the cost of a run."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from sonde.ir.analyses.loops import LoopForest
from sonde.ir.analyses.unit_costs import ENDLESS, InlinedPart, UnitCosts
from sonde.ir.block import Block
from sonde.ir.debug_location import SourceFrames
from sonde.ir.function import Function

_FEW = 8
"""Calls of a function of which all may have been unfinished when the program ended: then nothing is known of loops that
were never left. Of more, most have ended, and loops without a count have not run."""


class CostRegion(NamedTuple):
    """A loop without the loops in it, or what is outside of all loops."""

    header: str
    """Name of the block; empty: it is no loop."""
    parent: int
    """Number of the region around it; -1: none is."""
    guessed: float
    """Runs of the header for each call, by guess; 1 outside of loops."""
    costs: UnitCosts
    """For each run of the header, or each call."""


def cost_regions(
    function: Function, frames: SourceFrames, frequencies: Mapping[str, float], forest: LoopForest
) -> list[CostRegion]:
    """The costs of a function, apart for each natural loop.

    Args:
        function: as it is when the optimiser is done.
        frequencies: block -> runs for each call, guessed; of those in one loop, only their relations count.
        forest: its loops.
    Returns: what is outside of loops first, each loop after the one around it.
    Guarantee: the costs of the regions, times what is guessed, add up to those of the function.
    Cost: O(n) for n instructions.
    """
    numbers = {"": 0, **{loop.header: number for number, loop in enumerate(forest.loops, 1)}}
    blocks: list[list[Block]] = [[] for _ in numbers]
    for block in function.blocks:
        blocks[numbers[forest.innermost_header.get(block.name, "")]].append(block)
    regions = []
    for header, number in numbers.items():
        of_header = frequencies.get(header, 0.0) if header else 1.0
        relative = {
            block.name: _quotient(frequencies.get(block.name, 0.0), of_header, is_header=block.name == header)
            for block in blocks[number]
        }
        loop = forest.by_header.get(header)
        parent = -1 if loop is None else numbers[loop.parent or ""]
        regions.append(CostRegion(header, parent, of_header, UnitCosts.of(blocks[number], frames, relative)))
    return regions


def _quotient(frequency: float, of_header: float, *, is_header: bool) -> float:
    if is_header:
        return 1.0
    if not isfinite(frequency):
        return frequency if isfinite(of_header) else 1.0
    return frequency / of_header if of_header else 0.0


def guessed_costs(regions: Sequence[CostRegion]) -> UnitCosts:
    """Of one call, by guess."""
    return _added(regions, [each.guessed for each in regions])


def counted_costs(regions: Sequence[CostRegion], entries: int, counts: Sequence[int]) -> UnitCosts:
    """Of one call, on average, by what loops were counted to run.

    Args:
        regions: of `cost_regions`.
        entries: calls of the function; if there are none, it is guessed.
        counts: of the region's headers, by number; that of the first is ignored.
    Guarantee: with counts of all headers that are right, those of blocks are guessed only relatively to the header of
        their innermost loop. A loop that was never left, but in which others were, has at least as many runs as these
        are expected to need.
    """
    if not entries:
        return guessed_costs(regions)
    runs = [float(entries), *map(float, counts[1:])]
    if not any(runs[1:]) and entries <= _FEW:
        return guessed_costs(regions)
    for number in range(len(regions) - 1, 0, -1):  # inner ones first
        parent, region = regions[number].parent, regions[number]
        if parent and runs[number] and not counts[parent]:
            needed = regions[parent].guessed / region.guessed if region.guessed and isfinite(region.guessed) else 1.0
            runs[parent] = max(runs[parent], runs[number] * (needed if isfinite(needed) else 1.0))
    return _added(regions, [each / entries for each in runs])


def _added(regions: Sequence[CostRegion], runs: Sequence[float]) -> UnitCosts:
    parts, unplaced = dict[InlinedPart, float](), 0.0
    for region, times in zip(regions, runs, strict=True):
        times = times if isfinite(times) else ENDLESS
        if times:
            unplaced += region.costs.unplaced * times
            for part, cycles in region.costs.parts.items():
                parts[part] = parts.get(part, 0.0) + cycles * times
    return UnitCosts(parts, unplaced)
