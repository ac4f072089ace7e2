"""Blocks in the order in which they are listed, each with the loops that it is in."""

from dataclasses import dataclass
from typing import Literal

from sonde.instruments.vm.graph.flow_graph import Graph, Node
from sonde.instruments.vm.graph.loop_order import order_by_loops

Arm = Literal["", "head", "inside", "back", "last", "alone"]
"""What the arrow of a loop is in a row: its `head` above, `inside` passing by, `back` a branch to the head, `last` the
lowest of them, `alone` a head that only branches to itself; nothing below the last."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way out of a block."""

    label: str
    target: str
    """Title of the block that it leads to."""
    is_back: bool
    """Whether it closes a loop."""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One block in the list."""

    node: Node
    depth: int
    """In how many loops it is."""
    arms: tuple[Arm, ...]
    """(depth,) by loop, the outermost first."""
    is_head: bool
    is_reachable: bool
    ways: tuple[Way, ...]
    """Edges that leave it, in the order of the graph."""
    sources: tuple[str, ...]
    """Titles of other blocks that lead to it, in the order of the rows."""


def block_rows(graph: Graph) -> list[BlockRow]:
    """List blocks so that control flows down and loops are in one piece; what is unreachable comes last.

    Guarantee: each row's `arms` draw, together with those above and below, one arrow for each loop, whose ends are
        the head and the blocks that branch back to it.
    """
    loops = order_by_loops(graph)
    number = {node.id: place for place, node in enumerate(graph.nodes)}
    ways: list[list[Way]] = [[] for _ in graph.nodes]
    sources: list[set[int]] = [set() for _ in graph.nodes]
    closers: list[set[int]] = [set() for _ in graph.nodes]
    for place, edge in enumerate(graph.edges):
        source, target = number[edge.source], number[edge.target]
        ways[source].append(Way(edge.label, graph.nodes[target].title, edge.is_back or place in loops.closing))
        if source != target:
            sources[target].add(source)
        if place in loops.closing:
            closers[target].add(source)

    # A loop is reachable from the entry or not at all, so that parting the two leaves it in one piece.
    order = sorted(loops.order, key=lambda node: not loops.is_reachable[node])
    row_of = {node: row for row, node in enumerate(order)}
    heads = set(loops.heads)
    open_loops: list[int] = []
    rows: list[BlockRow] = []
    for node in order:
        del open_loops[loops.depth[node] - (node in heads) :]
        if node in heads:
            open_loops.append(node)
        rows.append(
            BlockRow(
                graph.nodes[node],
                loops.depth[node],
                tuple(_arm(node, head, closers[head], row_of) for head in open_loops),
                node in heads,
                loops.is_reachable[node],
                tuple(ways[node]),
                tuple(graph.nodes[source].title for source in sorted(sources[node], key=row_of.__getitem__)),
            )
        )
    return rows


def _arm(node: int, head: int, closers: set[int], row_of: dict[int, int]) -> Arm:
    last = max(row_of[closer] for closer in closers)
    if node == head:
        return "alone" if last == row_of[head] else "head"
    if row_of[node] == last:
        return "last"
    if row_of[node] > last:
        return ""
    return "back" if node in closers else "inside"
