"""Ball-Larus numbering: every acyclic path of a function has a number of its own."""

from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from sonde.flow.graph import Edge, FlowGraph


class Path(NamedTuple):
    """A path: the block where it begins, and the edges that it takes."""

    start: int
    edges: tuple[Edge, ...]
    """The last may be one that ends the path: then what it leads to is the start of the next."""

    def blocks(self, numbering: "PathNumbering") -> tuple[int, ...]:
        """The blocks that it goes through, without the start of the next path."""
        within = (edge for edge in self.edges if edge not in numbering.cut)
        return (self.start, *(numbering.graph.target(edge) for edge in within))


@dataclass(frozen=True, slots=True)
class PathNumbering:
    """Values of edges, whose sum over a path is the number of the path.

    Cut edges are replaced by two: one from the beginning of all paths to the block that the edge leads to, one from the
    block that it leaves to their end. What is left has no cycle, and `n` paths from the beginning to the end.

    Guarantee: the paths have the numbers 0 to n - 1, each its own, and `decode` gives the path back.
    Cost: O(blocks + edges) to make, but for the sorting of edges by weight; numbers of paths may be long.
    Source: Ball, Larus, MICRO 1996, section 3.2; as D'Elia, PhD thesis, Algorithm 3, has it. Smart numbering: Bond,
        McKinley, CGO 2005, as the thesis has it in section 5.2.1.
    Differs: more edges than the back edges may be cut, and blocks may end all their paths. Where few paths begin, they
        have low numbers; the entry comes last of equals, as in Figure 3.5 of the thesis.

    >>> numbering = PathNumbering.of(FlowGraph.of([[1], [2, 3], [4], [4], [1, 5], []]))
    >>> numbering.paths, dict(numbering.starts)
    (8, {1: 0, 0: 4})
    >>> [numbering.decode(number).blocks(numbering) for number in (0, 3, 6)]
    [(1, 2, 4), (1, 3, 4, 5), (0, 1, 3, 4)]
    """

    graph: FlowGraph
    cut: frozenset[Edge]
    """Edges that end a path, and begin another."""
    ending: frozenset[int]
    """Blocks that end a path before it is known which of their edges is taken: all are cut, and have one value."""
    paths: int
    """How many there are."""
    starts: Mapping[int, int]
    """Block where paths begin -> value, in the order of values."""
    choices: tuple[tuple[tuple[int, Edge | None], ...], ...]
    """(n_blocks,) values of the edges that leave each block, in their order; None: the path ends in the block. Empty
    for blocks that cannot be reached."""

    @classmethod
    def of(
        cls,
        graph: FlowGraph,
        *,
        cut: Collection[Edge] = (),
        ending: Collection[int] = (),
        weights: Mapping[Edge, float] | None = None,
    ) -> Self:
        """Number the paths of a graph.

        Args:
            cut: edges besides the retreating ones that end paths.
            ending: blocks that end all paths that come there.
            weights: how often each edge is taken, measured or estimated: the one taken most has the value 0. None: the
                first has.
        """
        cut = frozenset((*graph.retreating_edges(), *cut))
        ending = frozenset(block for block in ending if graph.successors[block])
        after = [0] * len(graph.successors)
        choices: list[tuple[tuple[int, Edge | None], ...]] = [()] * len(graph.successors)
        for block in reversed(graph.order):
            if block in ending or not graph.successors[block]:
                after[block] = 1
                choices[block] = ((0, None),)
                continue
            edges = [Edge(block, place) for place in range(len(graph.successors[block]))]
            if weights is not None:
                edges.sort(key=lambda edge: -weights[edge])
            chosen = []
            for edge in edges:
                chosen.append((after[block], edge))
                after[block] += 1 if edge in cut else after[graph.target(edge)]
            choices[block] = tuple(chosen)
        starts, paths = dict[int, int](), 0
        for block in sorted(_begun(graph, cut, ending), key=lambda block: (after[block], block == 0, block)):
            starts[block] = paths
            paths += after[block]
        return cls(graph, cut, ending, paths, starts, tuple(choices))

    def decode(self, number: int) -> Path:
        """The path of a number. Cost: O(blocks on the path, log of the edges of each).

        Raises:
            ValueError: there is no such path.
        """
        if not 0 <= number < self.paths:
            raise ValueError(f"there is no path {number}: the function has {self.paths}")
        starts, values = list(self.starts), list(self.starts.values())
        at = bisect_right(values, number) - 1
        block, rest = starts[at], number - values[at]
        edges: list[Edge] = []
        while True:
            choices = self.choices[block]
            value, edge = choices[bisect_right(choices, rest, key=lambda choice: choice[0]) - 1]
            rest -= value
            if edge is None:
                break
            edges.append(edge)
            if edge in self.cut:
                break
            block = self.graph.target(edge)
        return Path(starts[at], tuple(edges))

    def begun_within(self, limit: int) -> int:
        """How many paths, those with the lowest numbers, begin at blocks where at most `limit` begin together."""
        ends = [*self.starts.values(), self.paths][1:]
        return max((end for end in ends if end <= limit), default=0)

    def number_of(self, path: Path) -> int:
        """The number of a path. Cost: O(edges of the blocks on it)."""
        number = self.starts[path.start]
        for edge in path.edges:
            number += next(value for value, choice in self.choices[edge.source] if choice == edge)
        return number


def _begun(graph: FlowGraph, cut: Collection[Edge], ending: Collection[int]) -> set[int]:
    """The blocks where paths begin."""
    begun = {0, *(graph.target(edge) for edge in cut if graph.position[edge.source] >= 0)}
    return begun.union(*(graph.successors[block] for block in ending if graph.position[block] >= 0))
