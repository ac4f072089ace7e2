"""Loops of a graph."""

from collections.abc import Iterable

from sonde.flow.graph import FlowGraph


def loop_bodies(graph: FlowGraph) -> dict[int, frozenset[int]]:
    """Header -> the blocks of its loop, nested loops included: those from which the header is reached without itself.

    Where a loop has several entries, what leads to it from outside may be taken for a part of it.

    Cost: O(loops * edges).
    Source: natural loops; Aho, Lam, Sethi, Ullman, Compilers, 2nd ed., section 9.6.6.

    >>> loop_bodies(FlowGraph.of([[1], [2, 3], [1, 2], []])) == {1: {1, 2}, 2: {2}}
    True
    """
    before: dict[int, list[int]] = {}
    for edge in graph.edges():
        before.setdefault(graph.target(edge), []).append(edge.source)
    ends: dict[int, list[int]] = {}
    for edge in graph.retreating_edges():
        ends.setdefault(graph.target(edge), []).append(edge.source)
    return {header: frozenset(_reaching(before, header, sources)) for header, sources in ends.items()}


def _reaching(before: dict[int, list[int]], header: int, sources: Iterable[int]) -> set[int]:
    found = {header}
    pending = list(sources)
    while pending:
        block = pending.pop()
        if block not in found:
            found.add(block)
            pending += before.get(block, ())
    return found
