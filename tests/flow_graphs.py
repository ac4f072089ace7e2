"""Control-flow graphs for tests: Hypothesis strategies, and slow ways to find what is true of a graph."""

from itertools import pairwise

from hypothesis import strategies as st

from sonde.instruments.vm.graph import Edge, Graph, Node
from strategies import texts

LABELS = ("", "T", "F", "unwind", "default", "-77")


@st.composite
def flow_graphs(draw: st.DrawFn, *, most_nodes: int = 12, odd_texts: bool = False) -> Graph:
    """Any graph: irreducible, with self loops, several edges between two nodes, and nodes that nothing reaches."""
    size = draw(st.integers(1, most_nodes))
    some_text = texts(surrogates=True) if odd_texts else st.sampled_from(["%a", "%for.body.i.i.i", "ret void"])
    counts = st.none() | st.integers(0, 10**9) | st.floats(0, 1e6)
    nodes = tuple(
        Node(
            str(number),
            draw(some_text) if odd_texts else f"%b{number}",
            tuple(draw(st.lists(some_text, max_size=4))),
            draw(counts),
            draw(st.sampled_from(["entry", "exit", "plain"])),
        )
        for number in range(size)
    )
    ends = st.integers(0, size - 1)
    labels = texts(surrogates=True) if odd_texts else st.sampled_from(LABELS)
    chain = [(number, number + 1) for number in range(size - 1)] if draw(st.booleans()) else []
    pairs = chain + draw(st.lists(st.tuples(ends, ends), max_size=2 * most_nodes))
    edges = tuple(Edge(str(source), str(target), draw(labels)) for source, target in pairs)
    return Graph("f", nodes, edges, str(draw(ends)))


def pairs_of(graph: Graph) -> list[tuple[int, int]]:
    """Edges as numbers of nodes."""
    number = {node.id: place for place, node in enumerate(graph.nodes)}
    return [(number[edge.source], number[edge.target]) for edge in graph.edges]


def reached_from(start: int, pairs: list[tuple[int, int]], without: int | None = None) -> set[int]:
    """Nodes that can be reached, with one of them taken away."""
    reached = set() if start == without else {start}
    while more := {target for source, target in pairs if source in reached and target != without} - reached:
        reached |= more
    return reached


def is_cyclic(pairs: set[tuple[int, int]]) -> bool:
    """Whether some node leads back to itself."""
    return any(source in reached_from(target, list(pairs)) for source, target in pairs)


def natural_loops(graph: Graph) -> dict[int, set[int]] | None:
    """Members of each natural loop by head, those of one head taken together; None for an irreducible graph.

    By the book, and slowly: a node dominates what cannot be reached without it. Unreachable nodes are left out.
    """
    entry = next(number for number, node in enumerate(graph.nodes) if node.id == graph.entry)
    reachable = reached_from(entry, pairs_of(graph))
    pairs = {(source, target) for source, target in pairs_of(graph) if source in reachable}
    back = {(source, head) for source, head in pairs if source not in reached_from(entry, list(pairs), without=head)}
    if is_cyclic(pairs - back):
        return None
    loops: dict[int, set[int]] = {}
    for source, head in back:
        upwards = [(to, of) for of, to in pairs]
        loops.setdefault(head, {head}).update(reached_from(source, upwards, without=head))
    return loops


def crossing_pairs(layers: list[list[int]], below: list[list[int]]) -> int:
    """How many pairs of lines between neighbouring layers cross, counted one by one."""
    crossings = 0
    for upper, lower in pairwise(layers):
        lines = [(upper.index(one), lower.index(other)) for one in upper for other in below[one]]
        crossings += sum(a < c and b > d for a, b in lines for c, d in lines)
    return crossings
