"""The slow twin of native/core/contexts/compaction.c: room in a hot tree by pruning the lightest, many at once."""

from sonde.native.reference_nodes import Node, NodeTree

FIRST_NODES = 32768
"""Nodes that are kept before the first compaction; as in native/core/contexts/hot_tree.c."""
_LEAST_SHARE = 16
"""One part in so many of the nodes is to be pruned; as in native/core/contexts/compaction.c."""
_LEAST_CALLS = 4
"""Calls for each node from one compaction to the next; likewise."""
_NODES_PER_COUNTER = 6
"""What the bound takes; likewise."""


class Compaction:
    """Keep few contexts where few hold most of the weight, and never more than a limit.

    ```
    nodes reach nodes_now  ->  fewer than 4 calls a node since the last time?  nodes_now doubles, up to the limit
                               else prune all up to 3/4 of total / counters
                               still more than three quarters?  nodes_now doubles, up to the limit
                               it was the limit, or all are taken?  prune_lightest
    ```

    What is pruned raises the floor to its upper bound; what is made begins with the floor for its error.

    Guarantee: what `HotContexts` says of errors and floor, see docs/notes/weighted-space-saving.md.
    Cost: O(nodes log nodes) for a compaction; native O(nodes), O(1) amortised for each context made.
    Source: Misra, Gries, 1982; Manku, Motwani, VLDB 2002.
    Differs: weights, a tree, a limit; the floor rises instead of the counters falling.
    """

    def __init__(self, tree: NodeTree, counters: int, limit: int) -> None:
        self._tree = tree
        self._counters = counters
        self._limit = limit
        self._nodes_now = min(limit, FIRST_NODES)
        self._calls_then = 0

    @property
    def monitored(self) -> int:
        """Every context counts."""
        return self._tree.nodes

    def make_room(self) -> bool:
        """Make sure that one more context may be made; false when it may not."""
        return self._tree.nodes < self._nodes_now or self._compact()

    def made(self, node: Node) -> None:
        """A context was made."""

    def called(self, node: Node) -> None:
        """A context was called once more."""

    def left(self, node: Node) -> None:
        """An activation has ended; its context stays until the next compaction."""

    def brought(self, node: Node, weight: int) -> None:
        """A merge has added to a context."""

    def shrink(self) -> None:
        """Fit again after a merge."""
        if self._tree.nodes > self._nodes_now:
            self._compact()

    def _compact(self) -> bool:
        if self._outgrows():
            while self._tree.nodes >= self._nodes_now < self._limit:
                self._nodes_now = min(2 * self._nodes_now, self._limit)
            if self._tree.nodes < self._nodes_now:
                return True
        self._prune_up_to(self._tree.total_weight() // self._counters // 4 * 3)
        many, grown = self._tree.nodes > self._nodes_now - self._nodes_now // 4, False
        while many and self._nodes_now < self._limit:
            self._nodes_now = min(2 * self._nodes_now, self._limit)
            many, grown = self._tree.nodes >= self._nodes_now, True
        if (many and not grown) or self._tree.nodes >= self._limit:
            self._prune_lightest()
        return self._tree.nodes < self._limit

    def _outgrows(self) -> bool:
        """Whether contexts come so fast that the tree rather grows, if it may."""
        calls, _ = self._tree.total()
        since, self._calls_then = calls - self._calls_then, calls
        most = min(self._limit, _NODES_PER_COUNTER * self._counters)
        return since < _LEAST_CALLS * self._tree.nodes and self._nodes_now < most

    def _prune_lightest(self) -> None:
        """Let all but the heaviest go, four times as many as counters, or fewer if callers are in the way."""
        before = self._tree.nodes
        keep = min(before - before // 4, 4 * self._counters)
        while keep > 0:
            bounds = sorted(map(self._tree.upper, self._tree.depth_first()))
            if keep < len(bounds):
                self._prune_up_to(bounds[-1 - keep])
            if before - self._tree.nodes >= before // _LEAST_SHARE and self._tree.nodes < self._limit:
                return
            keep //= 2
        if self._tree.nodes >= self._limit:
            self._prune_up_to(max(map(self._tree.upper, self._tree.depth_first()), default=0))

    def _prune_up_to(self, bound: int) -> None:
        """Prune every leaf with at most `bound` that does not run, and callers as they become leaves."""
        for node in reversed(list(self._tree.depth_first())):  # whatever is below a node comes before it
            if not node.children and self._tree.upper(node) <= bound and not self._tree.is_running(node):
                self._tree.floor = max(self._tree.floor, self._tree.upper(node))
                self._tree.take_out(node)
