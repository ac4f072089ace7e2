"""What is drawn: blocks and the edges between them."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

NodeKind = Literal["entry", "exit", "plain"]
"""`entry`: control comes from outside; `exit`: it leaves, by return, throw or trap."""

NODE_KINDS: tuple[NodeKind, ...] = get_args(NodeKind)


@dataclass(frozen=True, slots=True)
class Node:
    """One block."""

    id: str
    """Unique in its graph; edges use it, drawings do not show it."""
    title: str
    """Its name as a person knows it: `%for.body`."""
    lines: tuple[str, ...] = ()
    """Its instructions, one in each."""
    count: float | None = None
    """How often it ran, measured or estimated; None when unknown."""
    kind: NodeKind = "plain"

    def __post_init__(self) -> None:
        if self.kind not in NODE_KINDS:
            raise ValueError(f"node {self.id!r} is of kind {self.kind!r}, known are {', '.join(NODE_KINDS)}")
        if self.count is not None and not (isfinite(self.count) and self.count >= 0):
            raise ValueError(f"node {self.id!r} has count {self.count}, which is not a number of executions")


@dataclass(frozen=True, slots=True)
class Edge:
    """One way from a block to another. Several between the same two blocks are several cases of one branch."""

    source: str
    target: str
    label: str = ""
    """When it is taken: `T`, `F`, the value of a case, `unwind`; empty when always."""
    is_back: bool = False
    """Known to close a loop. Edges that close one are found in any case; this marks more of them."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The blocks of one function in any order.

    Any control flow can be drawn: irreducible, with blocks that nothing reaches, with edges from a block to itself.

    Raises:
        ValueError: two nodes have the same id, or an edge or the entry names a node that is not there.

    >>> graph = Graph("f", (Node("a", "%a"), Node("b", "%b")), (Edge("a", "b"), Edge("b", "b", "T")), "a")
    >>> graph.has_counts
    False
    """

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    entry: str

    def __post_init__(self) -> None:
        known: set[str] = set()
        for node in self.nodes:
            if node.id in known:
                raise ValueError(f"graph {self.name!r} has two nodes {node.id!r}")
            known.add(node.id)
        if self.entry not in known:
            raise ValueError(f"graph {self.name!r} has entry {self.entry!r}, which is none of its nodes")
        for edge in self.edges:
            if edge.source not in known or edge.target not in known:
                raise ValueError(
                    f"graph {self.name!r} has an edge {edge.source!r} -> {edge.target!r} to or from nowhere"
                )

    @property
    def has_counts(self) -> bool:
        """Whether it is known of any block how often it ran."""
        return any(node.count is not None for node in self.nodes)

    @property
    def total_count(self) -> float:
        """Executions of all blocks together: the whole of which shares are printed."""
        return sum(node.count or 0 for node in self.nodes)
