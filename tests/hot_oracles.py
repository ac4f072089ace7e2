"""The truth about a stream of calls, counted without bounds, and what a hot tree says of it."""

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeVar

from sonde.events import ENTER, FOUND, LOST, EventBatch
from sonde.native import ContextTree, HotTree

Tree = TypeVar("Tree", bound=ContextTree | HotTree)

Path = tuple[tuple[int, int], ...]
"""(function, call line) from the outermost call."""


@dataclass
class Truth:
    """Every call and every nanosecond of some streams by context; a Guarantee is checked against it."""

    calls: "Counter[Path]" = field(default_factory=Counter)
    ns: "Counter[Path]" = field(default_factory=Counter)
    unmatched: int = 0
    _stacks: dict[int, list[Path]] = field(default_factory=dict)
    _now: dict[int, int] = field(default_factory=dict)

    def feed(self, batch: EventBatch) -> "Truth":
        """Whatever time passes on a thread belongs to the path on top of its stack."""
        columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
        for kind, thread, function, line, time_ns in zip(*columns, strict=True):
            stack = self._stacks.setdefault(thread, [])
            passed = max(0, time_ns - self._now.get(thread, time_ns))
            self._now[thread] = self._now.get(thread, time_ns) + passed
            if stack:
                self.ns[stack[-1]] += passed
            if kind in (ENTER, FOUND):
                stack.append((*(stack[-1] if stack else ()), (function, line)))
                self.calls[stack[-1]] += kind == ENTER
            elif kind == LOST:
                stack.clear()
            elif stack:
                stack.pop()
            else:
                self.unmatched += 1
        return self

    def running(self, thread: int) -> Path:
        """What runs on a thread."""
        return self._stacks[thread][-1]

    def values(self, metric: str) -> "Counter[Path]":
        """Calls or nanoseconds; contexts that have none are left out."""
        return +(self.calls if metric == "calls" else self.ns)


def truth_of(*batches: EventBatch) -> Truth:
    """Of streams that know nothing of one another, such as those of several processes."""
    whole = Truth()
    for batch in batches:
        part = Truth().feed(batch)
        whole.calls += part.calls
        whole.ns += part.ns
        whole.unmatched += part.unmatched
    return whole


@dataclass(frozen=True)
class Row:
    """One context as a hot tree lists it."""

    calls: int
    total_calls: int
    ns: int
    total_ns: int
    error: int

    def value(self, metric: str) -> int:
        return self.calls if metric == "calls" else self.ns


def rows_of(tree: HotTree) -> dict[Path, Row]:
    """The columns by path; every path is there once, parents before children."""
    parent, function, line, *values = map(_int64, tree.columns())
    paths: list[Path] = []
    rows: dict[Path, Row] = {}
    for row, above in enumerate(parent):
        assert -1 <= above < row
        path = (*(paths[above] if above >= 0 else ()), (function[row], line[row]))
        assert path not in rows
        paths.append(path)
        rows[path] = Row(*(column[row] for column in values))
    return rows


def fed(tree: Tree, *batches: EventBatch) -> Tree:
    """The tree, after it was given the batches."""
    for batch in batches:
        tree.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
    return tree


def check_bounds(tree: HotTree, truth: Truth, metric: str) -> None:
    """Check what a hot tree says of every context against the truth, that it adds up, and that errors fit.

    Raises:
        AssertionError: the first bound that does not hold.
    """
    rows, true, slack = rows_of(tree), truth.values(metric), tree.dropped if metric == "calls" else tree.dropped_ns
    for path, row in rows.items():
        value = row.value(metric)
        assert value <= true[path] <= value + row.error + slack, (path, row, true[path], slack)
        assert row.error <= tree.floor, (path, row, tree.floor)
        assert row.calls <= truth.calls[path] and row.ns <= truth.ns[path]
    for path in true.keys() - rows.keys():
        assert true[path] <= tree.floor + slack, (path, true[path], tree.floor, slack)
    assert tree.unmatched == truth.unmatched


def check_sums(tree: HotTree, truth: Truth) -> None:
    """Check that no call and no nanosecond has got lost, at the top and at every context listed."""
    rows, (calls, ns) = rows_of(tree), tree.unlisted
    for path, row in rows.items():
        below = [other for other_path, other in rows.items() if other_path[:-1] == path]
        assert row.total_calls >= row.calls + sum(other.total_calls for other in below)
        assert row.total_ns >= row.ns + sum(other.total_ns for other in below)
    tops = [row for path, row in rows.items() if len(path) == 1]
    assert calls + sum(row.total_calls for row in tops) == tree.total_calls
    assert ns + sum(row.total_ns for row in tops) == tree.total_ns
    assert tree.total_calls + tree.dropped == truth.calls.total()
    assert tree.total_ns == truth.ns.total()


def _int64(column: bytes) -> "array[int]":
    values = array("q")
    values.frombytes(column)
    return values
