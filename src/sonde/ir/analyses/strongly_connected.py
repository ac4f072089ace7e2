"""Parts of a graph in which every node leads to every other."""

from collections.abc import Sequence


def strongly_connected_parts(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components, each after all that it leads to.

    Args:
        successors: (n_nodes,) numbers of nodes.
    Guarantee: two nodes are in one part exactly if each leads to the other; what a part leads to comes before it.
    Cost: O(nodes + edges).
    Source: Tarjan, SIAM J. Comput. 1(2), 1972.
    Differs: without recursion.
    """
    unseen = -1
    number = [unseen] * len(successors)  # order of first visit
    low = [0] * len(successors)  # smallest number known to be reachable inside of the part
    is_open = bytearray(len(successors))
    open_nodes: list[int] = []
    parts: list[list[int]] = []
    visited = 0
    for root in range(len(successors)):
        if number[root] != unseen:
            continue
        path = [(root, iter(successors[root]))]
        number[root] = low[root] = visited
        visited += 1
        open_nodes.append(root)
        is_open[root] = 1
        while path:
            node, rest = path[-1]
            for target in rest:
                if number[target] == unseen:
                    number[target] = low[target] = visited
                    visited += 1
                    open_nodes.append(target)
                    is_open[target] = 1
                    path.append((target, iter(successors[target])))
                    break
                if is_open[target]:
                    low[node] = min(low[node], number[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    at = len(open_nodes) - 1
                    while open_nodes[at] != node:
                        at -= 1
                    part = open_nodes[at:]
                    del open_nodes[at:]
                    for each in part:
                        is_open[each] = 0
                    parts.append(part)
    return parts
