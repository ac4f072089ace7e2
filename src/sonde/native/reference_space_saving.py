"""The slow twin of the Space-Saving half of native/core/contexts/hot_tree.c: the victim is looked for one by one."""

from sonde.native.reference_nodes import Node, NodeTree


class SpaceSaving:
    """Monitor so many contexts by calls; when one more is to be, the one with the least upper bound makes way.

    Guarantee: floor <= total / counters if the tree never was as large as the limit allows, see
        docs/notes/weighted-space-saving.md.
    Cost: O(counters) for each context that makes way; native O(1) amortised for each call.
    Source: Metwally, Agrawal, El Abbadi, ICDT 2005; D'Elia, PhD thesis, section 3.1.
    Differs: contexts that are back in the tree, a limit on nodes, merging.
    """

    def __init__(self, tree: NodeTree, counters: int, limit: int) -> None:
        self._tree = tree
        self._counters = counters
        self._limit = limit
        self._monitored: list[Node] = []

    @property
    def monitored(self) -> int:
        """Contexts that have a counter."""
        return len(self._monitored)

    def make_room(self) -> bool:
        """Make sure that one more context may be made; false when it may not."""
        while self._tree.nodes >= self._limit and self._monitored:
            self._take_least()
        return self._tree.nodes < self._limit

    def made(self, node: Node) -> None:
        """A context was made; it is cold until it is called."""
        node.cold = True

    def called(self, node: Node) -> None:
        """A context was called once more; a cold one is monitored from now on."""
        if not node.cold:
            return
        before = node.calls - 1
        node.cold = False  # first, so that pruning the victim cannot take it
        slot = len(self._monitored)
        if slot == self._counters:
            slot = self._least()
            self._evict(self._monitored[slot])
            self._monitored[slot] = node
        else:
            self._monitored.append(node)
        node.error = max(node.error, self._tree.floor - before)

    def left(self, node: Node) -> None:
        """An activation has ended: remove its context, and those above, as far as nothing holds them."""
        while not (node is self._tree.root or node.children or not node.cold or self._tree.is_running(node)):
            node = self._tree.take_out(node)

    def brought(self, node: Node, weight: int) -> None:
        """A merge has added to a context; its upper bound may be more than the floor now."""
        if node.cold and weight:
            node.cold = False
            self._monitored.append(node)

    def shrink(self) -> None:
        """Fit again into counters and nodes, after a merge."""
        while self._monitored and (len(self._monitored) > self._counters or self._tree.nodes > self._limit):
            self._take_least()

    def _evict(self, victim: Node) -> None:
        self._tree.floor = max(self._tree.floor, self._tree.upper(victim))  # max: after a merge it may be less
        victim.cold = True
        self.left(victim)

    def _take_least(self) -> None:
        slot = self._least()
        victim, last = self._monitored[slot], self._monitored.pop()
        if victim is not last:
            self._monitored[slot] = last
        self._evict(victim)

    def _least(self) -> int:
        """Slot of the monitored node with the least upper bound, the first of several."""
        return min(range(len(self._monitored)), key=lambda slot: self._tree.upper(self._monitored[slot]))
