"""In which order to list blocks: sources before targets, each loop in one piece."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.vm.graph.flow_graph import Graph


@dataclass(frozen=True, slots=True)
class LoopOrder:
    """Rows of a graph's nodes in order, and what loops there are. Nodes are numbered as the graph lists them."""

    order: tuple[int, ...]
    """(n_nodes,) numbers of nodes, first to last."""
    depth: tuple[int, ...]
    """(n_nodes,) by node: in how many loops it is; the head of a loop is in it."""
    heads: tuple[int, ...]
    """Head of each loop, as they come in `order`."""
    closing: frozenset[int]
    """Numbers of edges that lead back to the head of a loop that their source is in."""
    is_reachable: tuple[bool, ...]
    """(n_nodes,) by node: whether control gets there from the entry."""


def order_by_loops(graph: Graph) -> LoopOrder:
    """Order the nodes of a graph so that it reads from top to bottom, and find its loops.

    The order is a weak topological one: a depth-first search gives the strongly connected components in reverse
    post-order; in each, the node that is reached first is the head of a loop, and its edges from inside are left
    out to order the rest in the same way. Where a branch can be read in any order, its first target comes first.

    Guarantee: each edge leads to a later node, or it is `closing`: to the head of a loop that contains its source.
        Each loop is contiguous and begins with its head. In a reducible graph loops are the natural loops, those
        of one head taken together.
    Cost: O(d (n + m)) time for n nodes, m edges and loops nested d deep; no recursion.
    Source: Bourdoncle, Efficient chaotic iteration strategies with widenings, FMPA 1993, figure 4.
    Differs: components are found one level at a time, with a list of what is left to do in place of recursion.
    """
    number = {node.id: place for place, node in enumerate(graph.nodes)}
    pairs = [(number[edge.source], number[edge.target]) for edge in graph.edges]
    size = len(graph.nodes)
    successors: list[list[int]] = [[] for _ in range(size)]
    for source, target in pairs:
        successors[source].append(target)
    loops_itself = {source for source, target in pairs if source == target}
    for targets in successors:
        targets.reverse()  # what is searched first comes last in the order

    order: list[int] = []
    heads: list[int] = []
    depth = [0] * size
    entry = number[graph.entry]
    # Later components of a level wait below earlier ones, so that each is ordered to its end in its turn.
    waiting = _components([entry, *range(size)], successors, set(range(size)))
    while waiting:
        head, *others = waiting.pop()
        order.append(head)
        if others or head in loops_itself:
            heads.append(head)
            for node in (head, *others):
                depth[node] += 1
        waiting += _components(successors[head], successors, set(others))

    place = {node: row for row, node in enumerate(order)}
    return LoopOrder(
        order=tuple(order),
        depth=tuple(depth),
        heads=tuple(heads),
        closing=frozenset(edge for edge, (source, target) in enumerate(pairs) if place[target] <= place[source]),
        is_reachable=_reachable(entry, successors),
    )


def _components(roots: Sequence[int], successors: Sequence[Sequence[int]], inside: set[int]) -> list[list[int]]:
    """Strongly connected components of the nodes `inside`, each from the node that was reached first.

    Components come with targets before sources. (Tarjan, Depth-first search and linear graph algorithms, 1972.)
    """
    found: list[list[int]] = []
    seen: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_nodes: list[int] = []
    for root in roots:
        if root not in inside or root in seen:
            continue
        path = [(root, 0)]
        while path:
            node, next_child = path.pop()
            if next_child == 0:
                seen[node] = lowest[node] = len(seen)
                open_nodes.append(node)
            targets = successors[node]
            while next_child < len(targets):
                child = targets[next_child]
                next_child += 1
                if child not in inside:
                    continue
                if child not in seen:
                    path += [(node, next_child), (child, 0)]
                    break
                if child in lowest:
                    lowest[node] = min(lowest[node], seen[child])
            else:
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == seen[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(open_nodes.pop())
                        del lowest[component[-1]]
                    found.append(component[::-1])
    return found


def _reachable(entry: int, successors: Sequence[Sequence[int]]) -> tuple[bool, ...]:
    is_reachable = [False] * len(successors)
    is_reachable[entry] = True
    pending = [entry]
    while pending:
        for target in successors[pending.pop()]:
            if not is_reachable[target]:
                is_reachable[target] = True
                pending.append(target)
    return tuple(is_reachable)
