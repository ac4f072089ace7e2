"""The tree of contexts under both kinds of the slow twin of the hot tree: nodes that come and go."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Key = tuple[int, int]
"""Function and call line: which child of its caller a context is."""


@dataclass(slots=True, eq=False)
class Node:
    """One context, since it was made."""

    parent: "Node | None"
    function: int
    call_line: int
    error: int
    """What it may have weighed before this node was made."""
    calls: int = 0
    ns: int = 0
    pruned_calls: int = 0
    pruned_ns: int = 0
    """Of contexts below that are no longer in the tree."""
    cold: bool = False
    """Space-Saving only: not monitored, here for what is below it, or because it runs."""
    children: "dict[Key, Node]" = field(default_factory=dict)
    burst_calls: int = 0
    burst_ns: int = 0
    """`calls` and `ns` when the last burst ended."""
    calls_squares: float = 0.0
    ns_squares: float = 0.0
    """Sums over the bursts."""

    def add(self, other: "Node") -> None:
        """Add what another tree has counted in the same context; errors are the caller's business."""
        self.calls += other.calls
        self.ns += other.ns
        self.pruned_calls += other.pruned_calls
        self.pruned_ns += other.pruned_ns
        self.burst_calls += other.burst_calls
        self.burst_ns += other.burst_ns
        self.calls_squares += other.calls_squares
        self.ns_squares += other.ns_squares


@dataclass(slots=True)
class Cursor:
    """Where a thread is."""

    current: Node
    now: int
    skipped: int = 0
    """Activations above `current` for which there was no room."""


class NodeTree:
    """Nodes below a root, the threads that are in them, and the floor under what was removed."""

    def __init__(self, *, by_time: bool) -> None:
        self._by_time = by_time
        self.root = Node(None, -1, 0, 0)
        self.cursors: dict[int, Cursor] = {}
        self.nodes = 0
        self.floor = 0

    def value(self, node: Node) -> int:
        """What a node weighs, by metric."""
        return node.ns if self._by_time else node.calls

    def upper(self, node: Node) -> int:
        """What its context weighs at most."""
        return self.value(node) + node.error

    def depth_first(self) -> Iterator[Node]:
        """All nodes, children in ascending order of function and call line; without the root."""
        ahead = [self.root]
        while ahead:
            node = ahead.pop()
            if node is not self.root:
                yield node
            ahead.extend(node.children[key] for key in sorted(node.children, reverse=True))

    def new_child(self, parent: Node, key: Key, *, error: int) -> Node:
        """A new node; the limit is the caller's business."""
        child = parent.children[key] = Node(parent, *key, error)
        self.nodes += 1
        return child

    def is_running(self, node: Node) -> bool:
        """Whether some thread is in this very context."""
        return any(cursor.current is node for cursor in self.cursors.values())

    def take_out(self, node: Node) -> Node:
        """Remove a leaf; what it counted goes to its caller, which is returned."""
        parent = node.parent
        assert parent is not None and not node.children
        parent.pruned_calls += node.calls + node.pruned_calls
        parent.pruned_ns += node.ns + node.pruned_ns
        del parent.children[node.function, node.call_line]
        self.nodes -= 1
        return parent

    def total(self) -> tuple[int, int]:
        """Calls and nanoseconds of everything that was ever counted here."""
        everything = (self.root, *self.depth_first())
        return sum(node.calls + node.pruned_calls for node in everything), sum(
            node.ns + node.pruned_ns for node in everything
        )

    def total_weight(self) -> int:
        """The same, by metric."""
        calls, ns = self.total()
        return ns if self._by_time else calls

    def listed(self) -> list[tuple[Node, int, int]]:
        """The rows: nodes with their total calls and nanoseconds; those that have neither are left out."""
        nodes = list(self.depth_first())
        total_calls = {id(node): node.calls + node.pruned_calls for node in nodes}
        total_ns = {id(node): node.ns + node.pruned_ns for node in nodes}
        for node in reversed(nodes):
            if node.parent is not None and node.parent is not self.root:
                total_calls[id(node.parent)] += total_calls[id(node)]
                total_ns[id(node.parent)] += total_ns[id(node)]
        with_totals = ((node, total_calls[id(node)], total_ns[id(node)]) for node in nodes)
        return [(node, calls, ns) for node, calls, ns in with_totals if calls or ns]
