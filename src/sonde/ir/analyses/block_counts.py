"""Counts of blocks and edges, completed from those that were measured."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.ir.analyses.control_flow import ControlFlow, Edge


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """How often each block was entered and each edge taken, where that is known.

    >>> flow = ControlFlow.from_successors({"%a": ["%b", "%c"], "%b": ["%d"], "%c": ["%d"], "%d": []})
    >>> counts = BlockCounts.complete(flow, {"%a": 10, "%b": 3})
    >>> counts.blocks["%c"], counts.edges[Edge("%a", "%c", 1)], counts.undetermined_blocks()
    (7, 7, [])
    """

    flow: ControlFlow
    blocks: Mapping[str, int]
    edges: Mapping[Edge, int]

    @classmethod
    def complete(
        cls,
        flow: ControlFlow,
        blocks: Mapping[str, int],
        edges: Mapping[Edge, int] | None = None,
        *,
        left_midway: Collection[str] = (),
    ) -> "BlockCounts":
        """Work out what follows from measured counts: as often as a block is entered, it is left.

        A count follows if conservation of flow leaves it one value; or, counts not being negative, if all that may go
        into a block, or out of it, must add up to nothing. Unreachable blocks count 0.

        Args:
            flow: of the function.
            blocks: measured counts of some blocks.
            edges: measured counts of some edges.
            left_midway: blocks that may be left elsewhere than at their ends: they call what may not return.
        Raises:
            InputError: `counts-disagree`.
        Guarantee: what is given is implied by the measured counts; what conservation alone determines is given.
        Cost: O(blocks + edges) for each round; a round more only where one found counts that are 0.
        """
        network = _Network(flow, left_midway)
        for block, count in blocks.items():
            network.know(flow.number_of[block], count)
        for edge, count in (edges or {}).items():
            network.know(network.arc_of_edge[edge], count)
        for number, at in enumerate(flow.position):
            if at < 0:
                network.know(number, 0)
        network.solve()
        found = {name: known for number, name in enumerate(flow.names) if (known := network.count[number]) is not None}
        found_edges = {
            edge: known for edge, arc in network.arc_of_edge.items() if (known := network.count[arc]) is not None
        }
        return cls(flow, found, found_edges)

    def undetermined_blocks(self) -> list[str]:
        """The blocks whose counts do not follow."""
        return [name for name in self.flow.names if name not in self.blocks]

    def undetermined_edges(self) -> list[Edge]:
        """The edges whose counts do not follow."""
        return [edge for edge in self.flow.edges() if edge not in self.edges]


class _Network:
    """Where counts flow: each block is an arc from its beginning to its end, each edge an arc between blocks, and
    beginnings and ends of runs are arcs from and to the outside. What flows into a node flows out of it.

    An arc's count is determined by the others exactly if it is a bridge of the graph of unknown arcs: around a cycle,
    in whatever direction its arcs go, any amount may be added. Across a bridge goes what one side lacks.
    (Ball and Larus use the same fact in the other direction, to choose what to measure: ACM TOPLAS 16(4), 1994.)
    """

    def __init__(self, flow: ControlFlow, left_midway: Collection[str]) -> None:
        self.flow = flow
        count = len(flow.names)
        outside = 2 * count
        self.ends: list[tuple[int, int]] = [(2 * number, 2 * number + 1) for number in range(count)]
        """(n_arcs,) from node, to node; the blocks' arcs come first."""
        self.arc_of_edge: dict[Edge, int] = {}
        for edge in flow.edges():
            self.arc_of_edge[edge] = len(self.ends)
            self.ends.append((2 * flow.number_of[edge.source] + 1, 2 * flow.number_of[edge.target]))
        self.ends.append((outside, 0))
        leaving = {*flow.exits(), *left_midway}
        self.ends += ((2 * number + 1, outside) for number, name in enumerate(flow.names) if name in leaving)
        self.count: list[int | None] = [None] * len(self.ends)
        self.excess = [0] * (outside + 1)
        """(n_nodes,) what is known to flow in, less what is known to flow out."""

    def know(self, arc: int, count: int) -> None:
        """Settle what flows through an arc."""
        known = self.count[arc]
        if known is None:
            self.count[arc] = count
            from_, to = self.ends[arc]
            self.excess[from_] -= count
            self.excess[to] += count
        if count < 0 or (known is not None and known != count):
            raise self._disagreement(self.ends[arc][0], count if known is None else count - known)

    def solve(self) -> None:
        """Settle all that follows."""
        self._settle_bridges()
        while self._settle_nothings():
            self._settle_bridges()

    def _unknown_arcs(self) -> list[list[tuple[int, int]]]:
        """Of each node: the arcs that are not yet settled, with the nodes at their other ends."""
        around: list[list[tuple[int, int]]] = [[] for _ in self.excess]
        for arc, (from_, to) in enumerate(self.ends):
            if self.count[arc] is None:
                around[from_].append((arc, to))
                around[to].append((arc, from_))
        return around

    def _settle_nothings(self) -> bool:
        """Settle the arcs of nodes where nothing is left to flow. Whether there were any."""
        has_out, has_in = bytearray(len(self.excess)), bytearray(len(self.excess))
        unknown = [arc for arc, count in enumerate(self.count) if count is None]
        for arc in unknown:
            from_, to = self.ends[arc]
            has_out[from_] = has_in[to] = 1
        empty = [
            arc
            for arc in unknown
            if any(
                self.excess[node] == 0 and not (has_out[node] and has_in[node])
                for node in self.ends[arc]
            )
        ]  # fmt: skip
        for arc in empty:
            self.know(arc, 0)
        return bool(empty)

    def _settle_bridges(self) -> None:
        """Settle the arcs that are in no cycle, by a walk into the depth (Tarjan, Inf. Proc. Letters 2(6), 1974)."""
        around = self._unknown_arcs()
        lacking = self.excess.copy()  # then: of all nodes below in the walk
        number = [-1] * len(around)
        low = [0] * len(around)
        visited = 0
        bridges: list[tuple[int, int]] = []
        for root in range(len(around)):
            if number[root] >= 0:
                continue
            number[root] = low[root] = visited
            visited += 1
            path = [(root, -1, iter(around[root]))]
            while path:
                node, came_by, rest = path[-1]
                for arc, other in rest:
                    if number[other] < 0:
                        number[other] = low[other] = visited
                        visited += 1
                        path.append((other, arc, iter(around[other])))
                        break
                    if arc != came_by:
                        low[node] = min(low[node], number[other])
                else:
                    path.pop()
                    if not path:
                        break
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                    lacking[above] += lacking[node]
                    if low[node] == number[node]:  # nothing below leads past this arc
                        bridges.append((came_by, lacking[node] if self.ends[came_by][0] == node else -lacking[node]))
            if lacking[root]:
                raise self._disagreement(root, lacking[root])
        for arc, count in bridges:
            self.know(arc, count)

    def _disagreement(self, node: int, excess: int) -> InputError:
        name = self.flow.names[min(node // 2, len(self.flow.names) - 1)]
        return InputError(
            f"cannot complete the counts of the blocks around '{name}': what is known to go in and what is known to go "
            f"out differ by {abs(excess)}",
            slug="counts-disagree",
            hint="name the blocks that may be left in the middle, by calls that do not return",
        )
