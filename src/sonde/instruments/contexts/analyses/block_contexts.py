"""What a block of a running program has counted: the difference of two profiles of one process."""

from array import array
from collections.abc import Callable

from sonde.events import Function, FunctionTable
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts


class BlockContexts:
    """Contexts of what ran between moments of one process, whose counts only grow.

    Args:
        is_ours: whether a function is sonde's own. Such contexts are left out, with their time; what they call is
            called by their caller.

    Callers that were running already, and have no time of their own, are left out, too: what they call is a root.

    Guarantee: calls and times are, context by context, those of the moment after less those of the moment before,
        summed up over the pairs that were added.
    Cost: O(n) for n contexts at the moment after.
    """

    def __init__(self, is_ours: Callable[[Function], bool]) -> None:
        self._is_ours = is_ours
        self._functions = FunctionTable()
        self._rows: dict[tuple[int, int, int], int] = {}
        """By row of the caller, function and line."""
        self._parent, self._calls, self._self_ns = array("q"), array("q"), array("q")

    def add(self, before: ContextProfile, after: ContextProfile) -> None:
        """Add what ran between two moments."""
        earlier = _by_path(before, after)
        columns, number = after.contexts, self._functions.number
        numbers = [number(function) for function in after.functions]
        ours = [self._is_ours(function) for function in after.functions]
        place, lines = array("q"), array("q")
        """By row of `after`: the row here that it is, or that what it calls hangs from; and over which line."""
        for row, (above, function, line) in enumerate(
            zip(columns.parent, columns.function, columns.call_line, strict=True)
        ):
            was = earlier.get(row)
            calls = columns.calls[row] - (before.contexts.calls[was] if was is not None else 0)
            own_ns = max(0, columns.self_ns[row] - (before.contexts.self_ns[was] if was is not None else 0))
            parent = place[above] if above != NO_PARENT else NO_PARENT
            if above != NO_PARENT and ours[columns.function[above]]:
                line = lines[above]
            elif parent == NO_PARENT:
                line = 0
            if ours[function]:
                here = parent
            elif parent == NO_PARENT and not calls and not own_ns:
                here = NO_PARENT
            else:
                here = self._row(parent, numbers[function], line)
                self._calls[here] += calls
                self._self_ns[here] += own_ns
            place.append(here)
            lines.append(line)

    def snapshot(self) -> tuple[tuple[Function, ...], Contexts]:
        """Functions, and the contexts in which anything was counted."""
        total_calls, total_ns = array("q", self._calls), array("q", self._self_ns)
        for row in range(len(self._parent) - 1, -1, -1):
            above = self._parent[row]
            if above != NO_PARENT:
                total_calls[above] += total_calls[row]
                total_ns[above] += total_ns[row]
        keys = list(self._rows)
        rows = [row for row in range(len(keys)) if total_calls[row] or total_ns[row]]
        used = FunctionTable()
        functions = tuple(self._functions)
        of = array("q", (used.number(functions[keys[row][1]]) for row in rows))
        new_row = {row: number for number, row in enumerate(rows)}
        new_row[NO_PARENT] = NO_PARENT

        def column(values: "array[int]") -> "array[int]":
            return array("q", (values[row] for row in rows))

        return tuple(used), Contexts(
            parent=array("q", (new_row[self._parent[row]] for row in rows)),
            function=of,
            call_line=array("q", (keys[row][2] for row in rows)),
            calls=column(self._calls),
            total_calls=column(total_calls),
            self_ns=column(self._self_ns),
            total_ns=column(total_ns),
        )

    def _row(self, parent: int, function: int, line: int) -> int:
        row = self._rows.setdefault((parent, function, line), len(self._parent))
        if row == len(self._parent):
            self._parent.append(parent)
            self._calls.append(0)
            self._self_ns.append(0)
        return row


def _by_path(before: ContextProfile, after: ContextProfile) -> dict[int, int]:
    """By rows of `after`, those of `before` that are the same context."""
    number = {function: index for index, function in enumerate(before.functions)}
    of = [number.get(function) for function in after.functions]
    columns = before.contexts
    rows = {key: row for row, key in enumerate(zip(columns.parent, columns.function, columns.call_line, strict=True))}
    found: dict[int, int] = {}
    columns = after.contexts
    for row, (above, function, line) in enumerate(
        zip(columns.parent, columns.function, columns.call_line, strict=True)
    ):
        parent, known = (found.get(above) if above != NO_PARENT else NO_PARENT), of[function]
        if parent is None or known is None:
            continue
        was = rows.get((parent, known, line))
        if was is not None:
            found[row] = was
    return found
