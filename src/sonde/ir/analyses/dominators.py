"""Dominators: through which blocks every path leads, from the entry or to the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.flow import reverse_post_order
from sonde.ir.analyses.control_flow import ControlFlow
from sonde.ir.analyses.strongly_connected import strongly_connected_parts

NOBODY = -1
"""The immediate dominator of what has none."""


@dataclass(frozen=True, slots=True)
class DominatorTree:
    """The dominators, or the post-dominators, of every block.

    >>> flow = ControlFlow.from_successors({"%a": ["%b", "%c"], "%b": ["%d"], "%c": ["%d"], "%d": []})
    >>> tree = dominators(flow)
    >>> tree.immediate("%d"), tree.dominates("%b", "%d"), tree.frontier("%b")
    ('%a', False, ('%d',))
    >>> post_dominators(flow).immediate("%a")
    '%d'
    """

    flow: ControlFlow
    is_post: bool
    """Whether these are post-dominators."""
    parent: tuple[int, ...]
    """(n_blocks,) number of the immediate dominator, or `NOBODY`."""
    first: tuple[int, ...]
    """(n_blocks,) number of the block in a walk over the tree, parents first; -1 for unreachable blocks."""
    last: tuple[int, ...]
    """(n_blocks,) the largest such number in the part of the tree below the block."""

    def immediate(self, block: str) -> str | None:
        """The nearest other block that dominates it. None for the entry and for blocks that cannot be reached; for
        post-dominators None where nothing else has to follow.
        """
        parent = self.parent[self.flow.number_of[block]]
        return None if parent == NOBODY else self.flow.names[parent]

    def dominates(self, above: str, below: str) -> bool:
        """Whether every path from the entry to `below` contains `above`; of post-dominators, whether every path
        from `below` to an end does.

        A block dominates itself. No path leads to an unreachable block, so everything dominates that. Cost: O(1).
        """
        return self.dominates_number(self.flow.number_of[above], self.flow.number_of[below])

    def dominates_number(self, above: int, below: int) -> bool:
        """The same, of numbers of blocks."""
        return self.first[below] < 0 or self.first[above] <= self.first[below] <= self.last[above]

    def strictly_dominates(self, above: str, below: str) -> bool:
        """Whether it dominates another block."""
        return above != below and self.dominates(above, below)

    def edge_dominates(self, source: str, target: str, block: str) -> bool:
        """Whether every path from the entry to the block takes this edge. Of dominators only.

        Where two edges lead from `source` to `target`, neither dominates anything that can be reached.
        """
        number_of = self.flow.number_of
        if self.first[number_of[block]] < 0:
            return True
        end = number_of[target]
        if end == 0 or not self.dominates_number(end, number_of[block]):  # into the entry no edge is needed
            return False
        # Other ways into the target must have been through it before.
        from_source = 0
        for before in self.flow.predecessor_numbers[end]:
            if before == number_of[source]:
                from_source += 1
            elif self.first[before] >= 0 and not self.dominates_number(end, before):
                return False
        return from_source == 1

    def children(self, block: str) -> list[str]:
        """The blocks that it dominates immediately. Cost: O(blocks)."""
        number = self.flow.number_of[block]
        return [name for name, parent in zip(self.flow.names, self.parent, strict=True) if parent == number]

    def nearest_common(self, one: str, other: str) -> str | None:
        """The nearest block that dominates both; None when there is none, or one cannot be reached."""
        at = self.flow.number_of[one]
        below = self.flow.number_of[other]
        if self.first[at] < 0 or self.first[below] < 0:
            return None
        while at != NOBODY and not self.dominates_number(at, below):
            at = self.parent[at]
        return None if at == NOBODY else self.flow.names[at]

    def frontier(self, block: str) -> tuple[str, ...]:
        """The dominance frontier: where its dominance ends. See `frontiers`, which costs little more for all."""
        return self.frontiers()[block]

    def frontiers(self) -> dict[str, tuple[str, ...]]:
        """Of each block, the blocks that it does not strictly dominate but one of whose predecessors it dominates, in
        the order of the text. Of post-dominators: successors in place of predecessors.

        Source: Cooper, Harvey, Kennedy 2001 (see `dominators`).
        Cost: O(blocks + the size of the answer).
        """
        flow = self.flow
        into = flow.successor_numbers if self.is_post else flow.predecessor_numbers
        found: list[dict[int, None]] = [{} for _ in flow.names]
        for join, before in enumerate(into):
            if self.first[join] < 0:
                continue
            for each in before:
                runner = each if self.first[each] >= 0 else self.parent[join]
                while runner != self.parent[join]:
                    found[runner][join] = None
                    runner = self.parent[runner]
        names = flow.names
        return {name: tuple(names[each] for each in joins) for name, joins in zip(names, found, strict=True)}


def dominators(flow: ControlFlow) -> DominatorTree:
    """The dominators of every block that can be reached from the entry.

    Guarantee: `dominates(a, b)` exactly if b cannot be reached from the entry once a is taken out.
    Cost: O(edges * depth) for each pass over the blocks; passes are as many as loops are nested, and two more, where
        loops have one entry each.
    Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    Differs: blocks are numbered in reverse post-order, so that dominators have smaller numbers, not larger ones.
    """
    return _tree(flow, False, flow.order, flow.predecessor_numbers)


def post_dominators(flow: ControlFlow) -> DominatorTree:
    """The post-dominators of every block, of unreachable ones too.

    Paths end where nothing follows; and, since some loops have no way out, in every block of a part that cannot be
    left. So each block has a path to an end. LLVM chooses one block of such a part as its end; elsewhere both agree.

    Guarantee: `dominates(a, b)` exactly if b leads to no end once a is taken out.
    Cost: as `dominators`.
    """
    end = len(flow.names)  # one more block, which follows all ends
    before_end = [number for number, after in enumerate(flow.successor_numbers) if not after]
    for part in strongly_connected_parts(flow.successor_numbers):
        inside = set(part)
        if all(target in inside for block in part for target in flow.successor_numbers[block]):
            before_end += (block for block in part if flow.successor_numbers[block])
    ends = set(before_end)
    after = [(*targets, end) if block in ends else targets for block, targets in enumerate(flow.successor_numbers)]
    order = reverse_post_order([*flow.predecessor_numbers, sorted(ends)], end)
    return _tree(flow, True, order, after)


def _tree(flow: ControlFlow, is_post: bool, order: Sequence[int], before: Sequence[Sequence[int]]) -> DominatorTree:
    """Make the tree whose root is the first of `order`, and leave the root out if it is no block."""
    count = len(flow.names)
    parent = [NOBODY] * (count + 1)
    for block, above in zip(order, _immediate_dominators(order, before, count + 1), strict=True):
        parent[block] = above
    parent[order[0]] = NOBODY
    first, last = [-1] * (count + 1), [-1] * (count + 1)
    children: list[list[int]] = [[] for _ in range(count + 1)]
    for block in order[1:]:
        children[parent[block]].append(block)
    waiting = [order[0]]
    walk: list[int] = []
    while waiting:
        block = waiting.pop()
        first[block] = last[block] = len(walk)
        walk.append(block)
        waiting += reversed(children[block])
    for block in reversed(walk[1:]):
        above = parent[block]
        last[above] = max(last[above], last[block])
    blocks = tuple(NOBODY if above == count else above for above in parent[:count])
    return DominatorTree(flow, is_post, blocks, tuple(first[:count]), tuple(last[:count]))


def _immediate_dominators(order: Sequence[int], before: Sequence[Sequence[int]], count: int) -> list[int]:
    """For each of `order`, its immediate dominator; the root is its own."""
    position = [-1] * count
    for at, block in enumerate(order):
        position[block] = at
    joined = [
        [position[each] for each in (before[block] if at else ()) if position[each] >= 0]
        for at, block in enumerate(order)
    ]
    above = [-1] * len(order)  # in positions; -1 is not yet known
    above[0] = 0
    is_changing = True
    while is_changing:
        is_changing = False
        for at in range(1, len(order)):
            new = -1
            for each in joined[at]:
                if above[each] < 0:
                    continue
                if new < 0:
                    new = each
                while each != new:  # up, to the nearest that both have
                    if each > new:
                        each = above[each]
                    else:
                        new = above[new]
            if above[at] != new:
                above[at] = new
                is_changing = True
    return [order[at] for at in above]
