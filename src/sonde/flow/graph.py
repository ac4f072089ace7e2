"""A graph of blocks and ordered edges between them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self


class Edge(NamedTuple):
    """One way out of a block."""

    source: int
    place: int
    """Its number among the edges that leave the block."""


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """Blocks, which are numbered from 0, the entry, and the edges between them; there may be several between two.

    >>> graph = FlowGraph.of([[1], [1, 2], [], [2]])
    >>> graph.order, graph.retreating_edges()
    ((0, 1, 2), [Edge(source=1, place=0)])
    """

    successors: tuple[tuple[int, ...], ...]
    """(n_blocks,) blocks to which the edges of each lead."""
    order: tuple[int, ...]
    """The blocks that can be reached, in reverse post-order."""
    position: tuple[int, ...]
    """(n_blocks,) place in `order`; -1 for blocks that cannot be reached."""

    @classmethod
    def of(cls, successors: Iterable[Sequence[int]]) -> Self:
        """The graph of these edges. Cost: O(blocks + edges)."""
        after = tuple(map(tuple, successors))
        order = reverse_post_order(after, 0)
        position = [-1] * len(after)
        for at, block in enumerate(order):
            position[block] = at
        return cls(after, order, tuple(position))

    def target(self, edge: Edge) -> int:
        """The block that an edge leads to."""
        return self.successors[edge.source][edge.place]

    def edges(self) -> Iterator[Edge]:
        """Those that can be reached, block by block in `order`."""
        for block in self.order:
            for place in range(len(self.successors[block])):
                yield Edge(block, place)

    def retreating_edges(self) -> list[Edge]:
        """The edges that lead back, or nowhere, in the reverse post-order; without them there is no cycle.

        Where each loop has one entry, these are the back edges of the loops. Else it depends on the order of the edges
        which they are.
        """
        return [edge for edge in self.edges() if self.position[self.target(edge)] <= self.position[edge.source]]


def reverse_post_order(successors: Sequence[Sequence[int]], root: int) -> tuple[int, ...]:
    """The nodes of a graph that can be reached from the root, each before what follows it, but for retreating edges.

    Args:
        successors: (n_nodes,) numbers of nodes.
    Cost: O(nodes + edges).
    """
    seen = bytearray(len(successors))
    seen[root] = 1
    finished: list[int] = []
    path = [(root, iter(successors[root]))]
    while path:
        block, rest = path[-1]
        for target in rest:
            if not seen[target]:
                seen[target] = 1
                path.append((target, iter(successors[target])))
                break
        else:
            finished.append(block)
            path.pop()
    finished.reverse()
    return tuple(finished)
