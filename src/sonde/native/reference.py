"""The slow twin of the native context tree: dictionaries, no tricks."""

from array import array
from dataclasses import dataclass, field
from typing import Self

from sonde.events import ENTER, FOUND, LEAVE, LOST, UNWIND

_THREAD_LIMIT = 1 << 20
_TIME_LIMIT = 1 << 63


@dataclass(slots=True)
class _Node:
    parent: "_Node | None"
    function: int
    call_line: int
    calls: int = 0
    self_ns: int = 0
    children: "dict[tuple[int, int], _Node]" = field(default_factory=dict)


@dataclass(slots=True)
class _Activation:
    node: _Node
    entered: int
    below: int = 0


class ReferenceContextTree:
    """`sonde.native.ContextTree` in plain Python."""

    def __init__(self) -> None:
        self._root = _Node(None, -1, 0)
        self._nodes: list[_Node] = []
        self._stacks: dict[int, list[_Activation]] = {}
        self._now: dict[int, int] = {}
        self.unmatched = 0

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
            if (
                what not in (ENTER, LEAVE, UNWIND, FOUND, LOST)
                or number >= _THREAD_LIMIT
                or time_ns[event] >= _TIME_LIMIT
            ):
                raise ValueError(f"event {event} has an unknown kind, thread number or time")
            stack = self._stacks.setdefault(number, [])
            now = self._now[number] = max(self._now.get(number, 0), time_ns[event])
            if what in (ENTER, FOUND):
                above = stack[-1].node if stack else self._root
                node = self._child(above, function[event], line[event] & 0x3FFF_FFFF)
                node.calls += what == ENTER
                stack.append(_Activation(node, now))
            elif what == LOST:
                while stack:
                    self._leave(stack, now)
            elif stack:
                self._leave(stack, now)
            else:
                self.unmatched += 1

    def merge(self, other: Self, function_map: "array[int]") -> None:
        if other is self:
            raise ValueError("a tree cannot be merged into itself")
        if any(node.function >= len(function_map) for node in other._nodes):
            raise ValueError("the other tree has functions beyond the map")
        running = other._running()
        here = {id(other._root): self._root}
        for node in other._nodes:
            assert node.parent is not None
            twin = self._child(here[id(node.parent)], function_map[node.function], node.call_line)
            twin.calls += node.calls
            twin.self_ns += node.self_ns + running.get(id(node), 0)
            here[id(node)] = twin
        self.unmatched += other.unmatched

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        running = self._running()
        own = {id(node): node.self_ns + running.get(id(node), 0) for node in self._nodes}
        total_calls = {id(node): node.calls for node in self._nodes}
        total_ns = dict(own)
        for node in reversed(self._nodes):
            if node.parent is not None and node.parent is not self._root:
                total_calls[id(node.parent)] += total_calls[id(node)]
                total_ns[id(node.parent)] += total_ns[id(node)]
        rows: dict[int, int] = {id(self._root): -1}
        columns = tuple(array("q") for _ in range(7))
        for node in self._nodes:
            key = id(node)
            if not total_calls[key] and not total_ns[key]:
                continue
            rows[key] = len(columns[0])
            values = (
                rows[id(node.parent)],
                node.function,
                node.call_line,
                node.calls,
                total_calls[key],
                own[key],
                total_ns[key],
            )
            for column, value in zip(columns, values, strict=True):
                column.append(value)
        parent, function, line, calls, all_calls, self_ns, all_ns = (column.tobytes() for column in columns)
        return parent, function, line, calls, all_calls, self_ns, all_ns, bytes(len(calls))

    def _child(self, parent: _Node, function: int, line: int) -> _Node:
        child = parent.children.get((function, line))
        if child is None:
            child = parent.children[function, line] = _Node(parent, function, line)
            self._nodes.append(child)
        return child

    def _leave(self, stack: list[_Activation], now: int) -> None:
        ended = stack.pop()
        inclusive = now - ended.entered
        ended.node.self_ns += inclusive - ended.below
        if stack:
            stack[-1].below += inclusive

    def _running(self) -> dict[int, int]:
        """Exclusive time of activations that have not ended, up to the last event of their thread."""
        extra: dict[int, int] = {}
        for thread, stack in self._stacks.items():
            for depth, activation in enumerate(stack, start=1):
                until = stack[depth].entered if depth < len(stack) else self._now[thread]
                key = id(activation.node)
                extra[key] = extra.get(key, 0) + until - activation.entered - activation.below
        return extra
