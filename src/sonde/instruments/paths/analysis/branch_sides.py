"""Branches of which one side was never, or hardly ever, taken."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sonde.flow import FlowGraph, loop_bodies
from sonde.instruments.paths.profile import PathRoutine

LEAST_TIMES = 100
"""A branch that was come by fewer times has shown nothing."""
_LEAST_SHARE = 0.01
"""Of the routine's paths, likewise."""
_RARE = 0.001
"""The share of the times up to which a side counts as hardly ever taken."""


@dataclass(frozen=True, slots=True)
class BranchSide:
    """One side of a branch, by lines."""

    line: int
    """Of the branch."""
    to_line: int
    """Where the side begins."""
    count: int
    """How often that line was come by."""
    times: int
    """How often the branch was."""


@dataclass(frozen=True, slots=True)
class BranchSides:
    """What was found of a routine's branches."""

    sides: tuple[BranchSide, ...]
    """The branch that was come by most first."""
    looked_at: int
    """Lines with branches that were come by often enough."""


@dataclass(frozen=True, slots=True)
class _Side:
    line: int
    to_line: int
    count: int
    times: int
    leaves_loop: bool


def branch_sides(routine: PathRoutine) -> BranchSides:
    """The sides whose code hardly ever ran, of branches that were come by often.

    What only exceptions lead to is no side; of computed jumps it is not known which side was taken. A loop that is left
    as rarely as that is no news, unless it never was. Lines are those of the code that ran: what the compiler made
    several blocks of is one branch here, and a side that it merged with other code is none.

    Guarantee: counts are exact.
    Cost: O(blocks of all paths + loops * blocks).
    """
    if not routine.code:
        return BranchSides((), 0)
    ran = routine.code.line_counts(routine.acyclic)
    least = max(LEAST_TIMES, _LEAST_SHARE * routine.taken)
    times, leaves = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    branches = Counter[int]()
    for side in _sides(routine):
        branches[side.line] += side.times
        times[side.line, side.to_line] += side.times
        leaves[side.line, side.to_line] += side.leaves_loop and side.count
    kept = [
        BranchSide(line, to_line, ran[to_line], come_by)
        for (line, to_line), come_by in times.items()
        if come_by >= least and ran[to_line] <= _RARE * come_by and not leaves[line, to_line]
    ]
    kept.sort(key=lambda side: (-side.times, side.line, side.to_line))
    return BranchSides(tuple(kept), sum(come_by >= least for come_by in branches.values()))


def _sides(routine: PathRoutine) -> Iterator[_Side]:
    """Those of all branches of which it is known which way they went, and in which lines they are."""
    code, taken = routine.code, routine.acyclic
    edges, entered = code.edge_counts(taken), code.block_counts(taken)
    loops = loop_bodies(FlowGraph.of([block.successors for block in code.blocks]))
    for number, block in enumerate(code.blocks):
        targets = [target for target in block.successors if target not in block.handlers]
        went = sum(edges.get((number, target), 0) for target in block.successors)
        if len(targets) < 2 or not block.lines or went != entered[number]:
            continue
        for target in targets:
            to_line = next(iter(code.blocks[target].lines), 0)
            if to_line and to_line not in block.lines:
                leaves = any(number in body and target not in body for body in loops.values())
                yield _Side(block.lines[-1], to_line, edges.get((number, target), 0), entered[number], leaves)
