"""Functions with too many paths: which further edges end a path, so that the rest can be numbered."""

import math
from collections.abc import Collection, Mapping

from sonde.flow.graph import Edge, FlowGraph

_LEAST_WEIGHT = 1e-3
"""What is expected to run seldom is taken for this: of what costs next to nothing, that which divides best is cut."""


def cuts_for_limit(
    graph: FlowGraph,
    limit: int,
    weights: Mapping[Edge, float],
    *,
    cut: Collection[Edge] = (),
    ending: Collection[int] = (),
) -> frozenset[Edge]:
    """Edges that end a path, so that no more than `limit` paths are left: all that lead to some blocks.

    What is lost is how the paths on both sides of such a block went together; no block and no edge is lost.

    Args:
        limit: of paths; where even paths of one block are more, all edges are cut.
        weights: how often each edge that can be reached is taken.
        cut, ending: as of `PathNumbering`.
    Returns: the given ones, the retreating ones, and those to the blocks that were chosen.
    Guarantee: at most `limit` paths, or every edge is cut.
    Cost: O(cut blocks * (blocks + edges)), with long numbers.
    Source: none. Blocks are chosen one by one, by how many bits of the number of paths each takes away for each time
        that it is expected to run: cutting a block turns (ways to it) * (ways from it) paths into their sum.
    """
    cuts = {*graph.retreating_edges(), *cut}
    into: list[list[Edge]] = [[] for _ in graph.successors]
    ends = {block for block in ending if graph.successors[block]}
    for edge in graph.edges():
        if edge.source in ends:
            cuts.add(edge)
        into[graph.target(edge)].append(edge)
    runs = [sum(weights[edge] for edge in edges) + _LEAST_WEIGHT for edges in into]
    starts = {0, *(graph.target(edge) for edge in cuts)}
    while True:
        after, before = _ways(graph, cuts, ends, starts, into)
        paths = sum(after[block] for block in starts)
        if paths <= limit:
            return frozenset(cuts)
        best, gain = None, 0.0
        for block in graph.order:
            here = 0 if block in starts else after[block]
            left = paths - before[block] * after[block] + before[block] + here
            if left < paths:
                taken = (math.log2(paths) - math.log2(max(left, limit))) / runs[block]
                if taken > gain:
                    best, gain = block, taken
        if best is None:  # no block divides anything any more
            return frozenset(graph.edges())
        cuts.update(into[best])
        starts.add(best)


def _ways(
    graph: FlowGraph, cuts: Collection[Edge], ending: Collection[int], starts: Collection[int], into: list[list[Edge]]
) -> tuple[list[int], list[int]]:
    """(n_blocks,) in how many ways paths go on from each block, and come to it by edges that are not cut."""
    after, before = [0] * len(into), [0] * len(into)
    for block in reversed(graph.order):
        if block in ending or not graph.successors[block]:
            after[block] = 1
            continue
        for place, target in enumerate(graph.successors[block]):
            after[block] += 1 if Edge(block, place) in cuts else after[target]
    for block in graph.order:
        for edge in into[block]:
            if edge not in cuts:
                before[block] += before[edge.source] + (edge.source in starts)
    return after, before
