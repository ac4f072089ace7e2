"""The slow twin of the native hot tree: a calling context tree that keeps what is heavy, in bounded memory.

This part counts; which contexts make way for others is in `reference_compaction` and
`reference_space_saving`. Why the bounds hold is in docs/notes/weighted-space-saving.md.
"""

from array import array
from typing import Literal, Self

from sonde.events import ENTER, FOUND, LEAVE, LOST, UNWIND
from sonde.native.reference_compaction import Compaction
from sonde.native.reference_nodes import Cursor, Key, NodeTree
from sonde.native.reference_space_saving import SpaceSaving

_KINDS = (ENTER, LEAVE, UNWIND, FOUND, LOST)
_THREAD_LIMIT = 1 << 20
_TIME_LIMIT = 1 << 63
_LINE_MASK = 0x3FFF_FFFF
_MOST_COUNTERS = (1 << 32) - 1
_MOST_NODES = (1 << 64) - 1
"""What None stands for in the native core."""


class ReferenceHotTree:
    """The heaviest contexts of a stream of calls, and their callers; see `sonde.native.HotTree`.

    Guarantee: for every context in the tree, value <= true <= value + error + dropped; for every other,
        true <= floor + dropped; error <= floor. (dropped: dropped_calls or dropped_ns, by metric; 0 as long
        as some context could make way.)
    Cost: as `Compaction` or `SpaceSaving`.
    """

    def __init__(
        self,
        metric: Literal["calls", "time"],
        counters: int | None,
        nodes: int | None,
        space_saving: bool = False,
    ) -> None:
        if metric not in ("calls", "time"):
            raise ValueError("the metric is neither calls nor time")
        if counters == 0 or nodes == 0:
            raise ValueError("a hot tree needs at least one counter and one node")
        if space_saving and metric != "calls":
            raise ValueError("Space-Saving is by calls only")
        self._tree = NodeTree(by_time=metric == "time")
        self._kind = (metric, space_saving)
        make = SpaceSaving if space_saving else Compaction
        self._keeper: SpaceSaving | Compaction = make(self._tree, counters or _MOST_COUNTERS, nodes or _MOST_NODES)
        self.unmatched = 0
        self.dropped = 0
        self.dropped_ns = 0

    def feed(
        self,
        kind: "array[int]",
        thread: "array[int]",
        function: "array[int]",
        line: "array[int]",
        time_ns: "array[int]",
    ) -> None:
        if len({len(kind), len(thread), len(function), len(line), len(time_ns)}) != 1:
            raise ValueError("columns differ in length")
        for event, (what, number) in enumerate(zip(kind, thread, strict=True)):
            if what not in _KINDS or number >= _THREAD_LIMIT or time_ns[event] >= _TIME_LIMIT:
                raise ValueError(f"event {event} has an unknown kind, thread number or time")
            cursor = self._tree.cursors.setdefault(number, Cursor(self._tree.root, time_ns[event]))
            self._credit(cursor, time_ns[event])
            key = (function[event], line[event] & _LINE_MASK)
            if what == ENTER:
                self._enter(cursor, key)
            elif what == FOUND:
                self._step_into(cursor, key)
            elif what == LOST:
                cursor.skipped = 0
                while cursor.current is not self._tree.root:
                    self._leave(cursor)
            elif cursor.skipped:
                cursor.skipped -= 1
            elif cursor.current is self._tree.root:
                self.unmatched += 1
            else:
                self._leave(cursor)

    def merge(self, other: Self, function_map: "array[int]") -> None:
        if other is self:
            raise ValueError("a tree cannot be merged into itself")
        if other._kind != self._kind:
            raise ValueError("the other tree has another metric")
        if any(node.function >= len(function_map) for node in other._tree.depth_first()):
            raise ValueError("the other tree has functions beyond the map")
        mine, theirs = self._tree, other._tree
        own_floor = mine.floor
        only_here = {id(node): node for node in mine.depth_first()}
        here = {id(theirs.root): mine.root}
        mine.root.add(theirs.root)
        for node in theirs.depth_first():
            assert node.parent is not None
            above, key = here[id(node.parent)], (function_map[node.function], node.call_line)
            twin = above.children.get(key)
            if twin is None:  # the limit may be passed until the end of the merge
                twin = mine.new_child(above, key, error=own_floor)
                self._keeper.made(twin)
            only_here.pop(id(twin), None)
            twin.add(node)
            twin.error += node.error
            here[id(node)] = twin
            self._keeper.brought(twin, theirs.value(node))
        for node in only_here.values():
            node.error += theirs.floor
        mine.floor += theirs.floor
        self.unmatched += other.unmatched
        self.dropped += other.dropped
        self.dropped_ns += other.dropped_ns
        for node in here.values():
            self._keeper.left(node)  # what ran there does not run here
        self._keeper.shrink()

    def end_burst(self) -> None:
        for node in self._tree.depth_first():
            node.calls_squares += float(node.calls - node.burst_calls) ** 2
            node.ns_squares += float(node.ns - node.burst_ns) ** 2
            node.burst_calls, node.burst_ns = node.calls, node.ns

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        listed = self._tree.listed()
        rows = {id(self._tree.root): -1} | {id(node): row for row, (node, _, _) in enumerate(listed)}
        columns = tuple(array("q") for _ in range(8))
        for node, total_calls, total_ns in listed:
            values = (
                rows[id(node.parent)],
                node.function,
                node.call_line,
                node.calls,
                total_calls,
                node.ns,
                total_ns,
                node.error,
            )
            for column, value in zip(columns, values, strict=True):
                column.append(value)
        parent, function, line, calls, all_calls, ns, all_ns, error = (column.tobytes() for column in columns)
        return parent, function, line, calls, all_calls, ns, all_ns, error

    def burst_columns(self) -> tuple[bytes, bytes]:
        nodes = [node for node, _, _ in self._tree.listed()]
        calls_squares = array("d", (node.calls_squares for node in nodes))
        ns_squares = array("d", (node.ns_squares for node in nodes))
        return calls_squares.tobytes(), ns_squares.tobytes()

    @property
    def floor(self) -> int:
        return self._tree.floor

    @property
    def nodes(self) -> int:
        return self._tree.nodes

    @property
    def monitored(self) -> int:
        return self._keeper.monitored

    @property
    def total_calls(self) -> int:
        return self._tree.total()[0]

    @property
    def total_ns(self) -> int:
        return self._tree.total()[1]

    @property
    def unlisted(self) -> tuple[int, int]:
        return self._tree.root.pruned_calls, self._tree.root.pruned_ns

    def _credit(self, cursor: Cursor, time_ns: int) -> None:
        passed = max(0, time_ns - cursor.now)
        cursor.now += passed
        if cursor.skipped:
            cursor.current.pruned_ns += passed
            self.dropped_ns += passed
        elif cursor.current is not self._tree.root:
            cursor.current.ns += passed

    def _enter(self, cursor: Cursor, key: Key) -> None:
        if not self._step_into(cursor, key):
            self.dropped += 1
            return
        cursor.current.calls += 1
        self._keeper.called(cursor.current)

    def _step_into(self, cursor: Cursor, key: Key) -> bool:
        """Make a child the current context; without room for it the activation is skipped."""
        child = None if cursor.skipped else cursor.current.children.get(key)
        if child is None:
            if cursor.skipped or not self._keeper.make_room():
                cursor.skipped += 1
                return False
            child = self._tree.new_child(cursor.current, key, error=self._tree.floor)
            self._keeper.made(child)
        cursor.current = child
        return True

    def _leave(self, cursor: Cursor) -> None:
        left = cursor.current
        assert left.parent is not None
        cursor.current = left.parent
        self._keeper.left(left)
