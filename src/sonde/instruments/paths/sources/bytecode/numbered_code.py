"""Numbers for the paths of a code object, and what is to be done on its edges so that a register has them."""

from types import CodeType
from typing import NamedTuple, Self

from sonde.flow import Edge, FlowGraph, PathNumbering, ProbePlacement, cuts_for_limit
from sonde.instruments.paths.sources.bytecode.code_graph import CodeGraph

MOST_PATHS = 2**62
"""Sums of values stay within 64 bits with a sign, those on the way included, which may be negative."""

_LOOPS = 8.0
"""How often the body of a loop is expected to run."""
_JUMP, _NEXT, _THEN, _RAISED = 2.0, 1.0, 0.8, 1e-6
"""How dear it is to add on an edge: one that jumps needs a jump more than the edge to what follows; what is said to be
done if something is the case is done less often than not, by guess; exceptions are rare."""


class NumberedCode(NamedTuple):
    """A code object's graph with the numbers of its paths."""

    graph: CodeGraph
    numbering: PathNumbering
    placement: ProbePlacement
    is_split: bool
    """It has too many paths: they end at further edges."""

    @classmethod
    def of(cls, code: CodeType, most: int = MOST_PATHS) -> Self:
        """Number the paths of a code object.

        A path that an exception cuts has a number, too: that of the edge by which the exception leaves its block. The
        path behind it begins with the handler.
        """
        graph = CodeGraph.of(code)
        cut = {edge for edge in graph.exceptional if graph.flow.target(edge) != graph.outside}
        weights = _weights(graph)
        numbering = PathNumbering.of(graph.flow, cut=cut)
        is_split = numbering.paths > most
        if is_split:
            numbering = PathNumbering.of(graph.flow, cut=cuts_for_limit(graph.flow, most, weights, cut=cut))
        return cls(graph, numbering, ProbePlacement.of(numbering, weights), is_split)

    def added_at_end(self, edge: Edge) -> int:
        """What is added to the register where an edge ends a path, or leads out of the function."""
        if edge in self.numbering.cut:
            return self.placement.ends[edge]
        return self.placement.increments.get(edge, 0) + self.placement.ends[self.graph.flow.target(edge)]


def _weights(graph: CodeGraph) -> dict[Edge, float]:
    depth = loop_depths(graph.flow)
    weights = {}
    for edge in graph.flow.edges():
        if edge in graph.exceptional:
            each = _RAISED
        elif graph.flow.target(edge) != edge.source + 1:
            each = _JUMP
        else:
            each = _THEN if graph.blocks[edge.source].instructions[-1].is_conditional else _NEXT
        weights[edge] = each * _LOOPS ** min(depth[edge.source], depth[graph.flow.target(edge)])
    return weights


def loop_depths(flow: FlowGraph) -> list[int]:
    """In how many loops blocks are, by their places: loops are laid out as they are written."""
    depth = [0] * len(flow.successors)
    for edge in flow.retreating_edges():
        for block in range(flow.target(edge), edge.source + 1):  # none where it leads forward
            depth[block] += 1
    return depth
