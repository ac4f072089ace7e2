"""Which core runs: the native one, or the Python twin."""

import os
from array import array
from typing import Any, Literal, Protocol

import sonde._native
from sonde.errors import UsageError


class ContextTree(Protocol):
    """An exact calling context tree; both cores offer this."""

    def feed(
        self,
        kind: "array[int]",
        thread: "array[int]",
        function: "array[int]",
        line: "array[int]",
        time_ns: "array[int]",
    ) -> None:
        """Count a batch; columns as in `sonde.events.EventBatch`.

        Raises:
            ValueError: columns differ in length, or an event has an unknown kind, a thread number of
                2**20 or more, or a time of 2**63 or more; it and what follows were not counted.
        """
        ...

    def merge(self, other: Any, function_map: "array[int]") -> None:
        """Add all of `other`, a tree of the same core, whose function i is `function_map[i]` here.

        Raises:
            ValueError: `other` is this tree, or has functions beyond the map; nothing was added.
        """
        ...

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """int64 columns: parent, function, call_line, calls, total_calls, self_ns, total_ns, error (zeros)."""
        ...

    @property
    def unmatched(self) -> int:
        """Ends of activations whose beginning was not seen."""
        ...


class HotTree(Protocol):
    """The heaviest contexts of a stream, and their callers, in bounded memory; both cores offer this.

    With `dropped` the calls (or nanoseconds, by metric) for which `nodes` left no room, value <= true <=
    value + error + dropped for every context listed, and true <= floor + dropped for every other one.
    """

    def feed(
        self,
        kind: "array[int]",
        thread: "array[int]",
        function: "array[int]",
        line: "array[int]",
        time_ns: "array[int]",
    ) -> None:
        """Count a batch; as `ContextTree.feed`."""
        ...

    def merge(self, other: Any, function_map: "array[int]") -> None:
        """Add all of `other`, a tree of the same core and metric; floors and errors add up.

        Args:
            function_map: number here of each function of `other`; no two of them the same.
        Raises:
            ValueError: `other` is this tree, is by another metric, or has functions beyond the map; nothing
                was added.
        """
        ...

    def end_burst(self) -> None:
        """A burst has ended: add the square of what it brought to each context's sums."""
        ...

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """int64 columns: as `ContextTree.columns`; depth first, children by function and line."""
        ...

    def burst_columns(self) -> tuple[bytes, bytes]:
        """float64 columns, parallel to `columns()`: sums over the bursts of calls squared and ns squared."""
        ...

    @property
    def floor(self) -> int:
        """No context that is not listed has more, `dropped` aside."""
        ...

    @property
    def unmatched(self) -> int:
        """Ends of activations whose beginning was not seen."""
        ...

    @property
    def dropped(self) -> int:
        """Calls for which there was no room, and which no context includes."""
        ...

    @property
    def dropped_ns(self) -> int:
        """Time of activations for which there was no room; it is in the totals of their callers."""
        ...

    @property
    def total_calls(self) -> int:
        """All calls but the dropped ones."""
        ...

    @property
    def total_ns(self) -> int:
        """All the time during which something ran."""
        ...

    @property
    def unlisted(self) -> tuple[int, int]:
        """Calls and nanoseconds below no listed context."""
        ...

    @property
    def nodes(self) -> int:
        """Contexts in the tree now."""
        ...

    @property
    def monitored(self) -> int:
        """Contexts that have a counter now: by Space-Saving the monitored ones, else all."""
        ...


def new_context_tree() -> ContextTree:
    """An empty tree on the core that `SONDE_CORE` asks for; native by default.

    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
    """
    if _use_native():
        return sonde._native.ContextTree()
    from sonde.native.reference import ReferenceContextTree  # the twin is loaded only when asked for

    return ReferenceContextTree()


def new_hot_tree(
    metric: Literal["calls", "time"], counters: int | None, nodes: int | None, space_saving: bool = False
) -> HotTree:
    """An empty hot tree on the core that `SONDE_CORE` asks for; native by default.

    Args:
        counters: 1 / epsilon; None: as many as there can be, 2**32 - 1.
        nodes: contexts to keep at most; None: no limit.
        space_saving: by lazy Space-Saving, by calls only; else by compaction.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: `counters` or `nodes` is 0, or Space-Saving is to be by time.
    """
    if _use_native():
        return sonde._native.HotTree(metric, counters, nodes, space_saving)
    from sonde.native.reference_hot import ReferenceHotTree  # the twin is loaded only when asked for

    return ReferenceHotTree(metric, counters, nodes, space_saving)


def change_points(values: Any, offsets: Any, penalty: float = 0.0) -> tuple[bytes, ...]:
    """Change points of many series at once, on the core that `SONDE_CORE` asks for; native by default.

    Args:
        values: a buffer of float64, all finite: one series after another.
        offsets: a buffer of int64: where each series begins, and the number of values at the end.
        penalty: for each change point, per unit of variance of the scores; 0 for the calibrated one.
    Returns:
        Columns. int64: the change points of all series, each counted from the beginning of its series; where those
        of each series begin, and their number at the end. float64, for each part between change points: its level
        (mean of the middle half) and spread (distance of the quartiles). For each series, int64: the part from which
        on a straight line fits better than steps, -1 for none; float64: autocorrelation at lag 1 within the parts.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: the offsets do not fit, a value is not finite, or the penalty is negative or not finite.
    Cost: O(n^2) time at worst for a series, about 0.1 us for each of 100 values on the native core, which does not
        hold the interpreter's lock.
    """
    if _use_native():
        return sonde._native.change_points(values, offsets, penalty)
    from sonde.native.reference_change_points import reference_change_points  # the twin is loaded only when asked for

    return reference_change_points(values, offsets, penalty)


def _use_native() -> bool:
    core = os.environ.get("SONDE_CORE", "native")
    if core in ("native", "python"):
        return core == "native"
    raise UsageError(
        f"cannot use the core '{core}' that SONDE_CORE names: there are 'native' and 'python'",
        slug="unknown-core",
        hint="unset SONDE_CORE",
    )
