"""Where a path register must be changed: on the edges outside of a maximum spanning tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from sonde.flow.graph import Edge
from sonde.flow.path_numbering import PathNumbering


@dataclass(frozen=True, slots=True)
class ProbePlacement:
    """What a register is set to where a path begins, what is added to it on the way and at the end.

    Guarantee: at the end of a path, the register has its number; only edges outside of a spanning tree add to it.
    Cost: O(edges log(edges)).
    Source: Ball, Larus, MICRO 1996, section 3.3: increments of chords, found by Ball's event counting.
    Differs: each node has a potential, the sum of the values on the tree's way there, and an edge adds its value and
        the difference of the potentials; that is the sum around the cycle that it closes. Where paths begin and end
        nothing is weighed: the register is set there, or read.

    >>> from sonde.flow.graph import FlowGraph
    >>> numbering = PathNumbering.of(FlowGraph.of([[1, 2], [3], [3], []]))
    >>> dict(ProbePlacement.of(numbering, {Edge(0, 0): 9, Edge(0, 1): 1, Edge(1, 0): 9, Edge(2, 0): 1}).increments)
    {Edge(source=2, place=0): 1}
    """

    starts: Mapping[int, int]
    """Block where paths begin -> what the register is set to."""
    increments: Mapping[Edge, int]
    """Of the edges within paths, where they are not 0; they may be negative."""
    ends: Mapping[Edge | int, int]
    """Edge that ends a path, or block that does -> what is added."""

    @classmethod
    def of(cls, numbering: PathNumbering, weights: Mapping[Edge, float]) -> Self:
        """Choose the edges that add nothing, those that are taken most first.

        Args:
            weights: how often each edge that can be reached is taken.
        """
        outside = len(numbering.graph.successors)  # where paths come from and go to
        arcs: list[tuple[float, int, int, int, Edge | int | None]] = [
            (0.0, outside, block, value, None) for block, value in numbering.starts.items()
        ]
        for block in numbering.graph.order:
            for value, edge in numbering.choices[block]:
                if edge is None or edge in numbering.cut:
                    arcs.append((0.0, block, outside, value, block if edge is None else edge))
                else:
                    arcs.append((weights[edge], block, numbering.graph.target(edge), value, edge))
        potential = _potentials(sorted(arcs, key=lambda arc: -arc[0]), outside)
        starts, increments, ends = dict[int, int](), dict[Edge, int](), dict[Edge | int, int]()
        for _, source, target, value, what in arcs:
            added = value + potential[source] - potential[target]
            if what is None:
                starts[target] = added
            elif target == outside:
                ends[what] = added
            elif added:
                assert isinstance(what, Edge)
                increments[what] = added
        return cls(starts, increments, ends)


def _potentials(arcs: list[tuple[float, int, int, int, Edge | int | None]], root: int) -> list[int]:
    """Of each node, by the values on the way from the root in the tree of the arcs that come first (Kruskal)."""
    part = list(range(root + 1))
    tree: list[list[tuple[int, int]]] = [[] for _ in part]

    def part_of(node: int) -> int:
        while part[node] != node:
            part[node] = node = part[part[node]]
        return node

    for _, source, target, value, _ in arcs:
        one, other = part_of(source), part_of(target)
        if one != other:
            part[one] = other
            tree[source].append((target, value))
            tree[target].append((source, -value))
    potential = [0] * len(part)
    seen = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for other, value in tree[node]:
            if other not in seen:
                seen.add(other)
                potential[other] = potential[node] + value
                waiting.append(other)
    return potential
