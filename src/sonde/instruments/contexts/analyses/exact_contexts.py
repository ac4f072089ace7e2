"""The exact calling context tree of a stream of calls."""

from array import array
from dataclasses import replace
from typing import Self

from sonde.events import EventBatch, FunctionTable
from sonde.instruments.contexts.profile import ContextProfile, Contexts, Loss, Run
from sonde.native import new_context_tree


class ExactContexts:
    """Count every call in its calling context, with its inclusive and exclusive time.

    A context is a path of (function, call line) pairs from the outermost call of a thread;
    threads share one tree. Memory grows with the number of distinct contexts, nothing else.

    Guarantee: the profile is that of the whole stream, in whatever batches it arrived;
        merging is associative and commutative up to the order of rows.
    Cost: O(1) expected per event; 64 bytes per distinct context.
    Source: Ammons, Ball, Larus, PLDI 1997; D'Elia, PhD thesis, section 3.1.3.

    >>> from sonde.events import Function
    >>> functions = FunctionTable([Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5)])
    >>> batch = EventBatch()
    >>> batch.enter(thread=0, function=0, call_line=0, time_ns=0)
    >>> for start in (10, 30):
    ...     batch.enter(thread=0, function=1, call_line=2, time_ns=start)
    ...     batch.leave(thread=0, time_ns=start + 15)
    >>> batch.leave(thread=0, time_ns=50)
    >>> analysis = ExactContexts(functions)
    >>> analysis.update(batch)
    >>> tree = analysis.snapshot().contexts
    >>> list(tree.calls), list(tree.self_ns), list(tree.total_ns)
    ([1, 2], [20, 30], [50, 30])
    """

    def __init__(self, functions: FunctionTable) -> None:
        self._functions = functions
        self._tree = new_context_tree()

    def update(self, batch: EventBatch) -> None:
        """Count a batch of events.

        Raises:
            ValueError: an event has an unknown kind, or a thread number or time that is too large.
        """
        self._tree.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)

    def merge(self, other: Self) -> None:
        """Add everything that `other` has counted; `other` stays as it is."""
        function_map = array("I", (self._functions.number(function) for function in other._functions))
        self._tree.merge(other._tree, function_map)

    def snapshot(self) -> ContextProfile:
        """The profile of all events so far; activations that run count up to their thread's last event."""
        losses = []
        if self._tree.unmatched:
            detail = "ends of calls whose beginning was not recorded were ignored"
            losses.append(Loss("unmatched-ends", self._tree.unmatched, detail))
        return ContextProfile(
            functions=tuple(self._functions),
            contexts=contexts_of_columns(self._tree.columns()),
            run=Run(clock="recorded"),
            losses=tuple(losses),
        )


def contexts_of_columns(columns: tuple[bytes, ...]) -> Contexts:
    """The int64 columns that a core writes, as a value."""
    contexts = Contexts(*map(_int64, columns))
    return contexts if any(contexts.error) else replace(contexts, error=())


def _int64(column: bytes) -> "array[int]":
    values = array("q")
    values.frombytes(column)
    return values
