"""The paths of a function of LLVM's: its graph, how they are numbered, where they end."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.flow import Edge, FlowGraph, PathNumbering, cuts_for_limit
from sonde.ir import Block, Function, Module
from sonde.ir.analyses import BlockFrequencies, ControlFlow, guessed_frequencies
from sonde.ir.edits import why_not_split_edge
from sonde.passes.path_counters import PathKinds

_MOST_RUNS = 1e12
"""What is never left is taken to run so often."""


@dataclass(frozen=True, slots=True)
class PathShape:
    """The graph of a function, how its paths are numbered, and where they end."""

    blocks: list[Block]
    """By their numbers in the graph."""
    numbering: PathNumbering
    frequency: Mapping[Edge, float]
    handed_over: frozenset[int]
    """Blocks where all paths that come there are counted, and others begin."""
    cut_blocks: frozenset[int]
    """Where paths end since there are too many."""

    @classmethod
    def of(cls, module: Module, function: Function, again: list[Block], most_paths: int) -> "PathShape":
        blocks = list(function.blocks)
        flow = ControlFlow.of(function)
        graph = FlowGraph.of([list(dict.fromkeys(after)) for after in flow.successor_numbers])
        frequency = _frequencies(flow, guessed_frequencies(module, function, flow), graph)
        number_of = {block.name: number for number, block in enumerate(blocks)}
        starts = {number_of[block.name] for block in again}
        cut = {edge for edge in graph.edges() if graph.target(edge) in starts}
        ending = {block for block in graph.order if blocks[block].terminator.opcode in ("indirectbr", "callbr")}
        while True:
            numbering = PathNumbering.of(graph, cut=cut, ending=ending, weights=frequency)
            chosen = frozenset[int]()
            if numbering.paths > most_paths:
                cuts = cuts_for_limit(graph, most_paths, frequency, cut=cut, ending=ending)
                chosen = frozenset(graph.target(edge) for edge in cuts - numbering.cut if edge.source not in ending)
                numbering = PathNumbering.of(graph, cut=cuts, ending=ending, weights=frequency)
            into_ended = {graph.target(edge) for edge in graph.edges() if edge.source in ending}
            shape = cls(blocks, numbering, frequency, chosen - into_ended, chosen)
            apart = {
                edge.source
                for edge in shape.counted_edges()
                if len(graph.successors[edge.source]) > 1 and not shape.can_be_split(edge)
            }
            if not apart:
                return shape
            ending |= apart  # where nothing can be put on an edge, paths end before it is chosen

    def counted_edges(self) -> list[Edge]:
        """The edges on which paths are counted."""
        numbering = self.numbering
        return [
            edge
            for edge in numbering.graph.edges()
            if edge in numbering.cut
            and edge.source not in numbering.ending
            and numbering.graph.target(edge) not in self.handed_over
        ]

    def can_be_split(self, edge: Edge) -> bool:
        """Whether a block can be put on an edge that leaves landing pads as they are."""
        source, target = self.blocks[edge.source], self.blocks[self.numbering.graph.target(edge)]
        return not target.is_landing_pad and why_not_split_edge(source, target) is None

    def kinds(self, in_array: int) -> tuple[dict[int, PathKinds], dict[int, PathKinds]]:
        """Block -> how the paths are counted that come to it from others, and that are on when it ends.

        Args:
            in_array: paths with lower numbers are counted in an array.
        """
        numbering = self.numbering
        none = PathKinds(are_in_array=False, have_keys=False)
        into: dict[int, PathKinds] = dict.fromkeys(numbering.graph.order, none)
        at_end: dict[int, PathKinds] = {}
        for block in numbering.graph.order:
            started = none
            if (first := numbering.starts.get(block)) is not None:
                started = PathKinds(are_in_array=first < in_array, have_keys=first >= in_array)
            at_end[block] = started if block in self.handed_over else into[block].joined(started)
            for place, target in enumerate(numbering.graph.successors[block]):
                if Edge(block, place) not in numbering.cut and block not in numbering.ending:
                    into[target] = into[target].joined(at_end[block])
        for edge in numbering.graph.edges():
            target = numbering.graph.target(edge)
            if target in self.handed_over:
                into[target] = into[target].joined(at_end[edge.source])
        return into, at_end


def _frequencies(flow: ControlFlow, guessed: BlockFrequencies, graph: FlowGraph) -> dict[Edge, float]:
    """Of the edges of a graph in which edges between the same blocks are one."""
    found: dict[Edge, float] = {}
    for block in graph.order:
        name = flow.names[block]
        for target, share in zip(flow.successor_numbers[block], guessed.shares[name], strict=True):
            edge = Edge(block, graph.successors[block].index(target))
            runs = guessed.blocks[name] * share if share else 0.0
            found[edge] = min(found.get(edge, 0.0) + runs, _MOST_RUNS)
    return found
