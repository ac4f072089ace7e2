"""Which core runs: the native one, or the Python twin."""

import os
from array import array
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, Protocol

import sonde._native
from sonde.base.cache_geometry import INCLUSIONS, POLICIES, CacheGeometry, CacheSettings
from sonde.base.errors import UsageError


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


class RemarkParser(Protocol):
    """Optimization remarks in columns; both cores offer this. What cannot be read is skipped, counted and told."""

    def read_yaml(self, text: Any, table: Any) -> bool:
        """Add all remarks of a text.

        Args:
            text: a buffer of bytes.
            table: strings with a zero byte behind each, for which numbers stand in the text; None: there are none.
        Returns:
            Whether the last remark had no end mark.
        """
        ...

    def read_bitstream(
        self, data: Any, table: Any
    ) -> tuple[str | None, int, bool, int | None, int, int, bytes | None, bytes | None]:
        """Add all remarks of a container.

        Args:
            data: a buffer of bytes.
            table: strings from elsewhere, for a container without any; may be None.
        Returns:
            What is wrong, so that nothing was added (None: nothing), and at which bit; whether it is that there are no
            strings; version and type of the container, version of its remarks; its strings, if any; the name of the
            file that has the remarks, if any.
        """
        ...

    def columns(self) -> tuple[bytes, ...]:
        """Of each remark: kind (uint8); numbers of the strings that are its pass, name, function, and of its place or
        2**32 - 1 (uint32); hotness (uint64), whether it has one (uint8); where its arguments begin, and their number
        at the end (uint32). Of each argument: numbers of key and value, place (uint32). Of each place: number of the
        file's name, line, column (uint32). Where each string begins, and their length at the end (uint64); the strings.
        """
        ...

    def problems(self) -> list[tuple[int, str]]:
        """The first of what was skipped: line, or number of the remark in a bitstream; why."""
        ...

    def unknown_keys(self) -> list[tuple[bytes, int]]:
        """Keys that remarks do not have, and how often."""
        ...

    @property
    def count(self) -> int:
        """Remarks."""
        ...

    @property
    def skipped(self) -> int:
        """How many could not be read."""
        ...


class SlabForest(Protocol):
    """All sequences of up to k path ids of a stream, in bounded memory; both cores offer this.

    Guarantee: where there was no room for an id, everything is as if the activation had ended before it and another one
    began behind it.
    Guarantee: of a sequence of `n` ids, `counted <= true <= counted + floor + n * dropped`. If it prunes, and nothing
    was dropped, single ids are counted exactly.
    """

    def stream(self, ids: Any, begins: Any, routines: Any) -> None:
        """Take a part of a stream, which may end anywhere.

        Args:
            ids: a buffer of uint64: the paths taken.
            begins: a buffer of uint64: how many ids stand before each activation that begins in this part.
            routines: a buffer of uint32: the routine of each. Ids before the first continue the part before; ids
                before the first of all are dropped.
        Raises:
            ValueError: activations do not begin in ascending order, within the ids; nothing was taken.
        """
        ...

    def rows(self, least: int, most: int) -> tuple[bytes, bytes, bytes] | None:
        """How often each sequence was taken, and each routine activated; depth first, by routine and id.

        Args:
            least: sequences that were taken fewer times are left out.
            most: of rows.
        Returns:
            Columns: parent (int64), which stands before, -1 for routines; id of the path, or number of the routine
            (uint64); count (uint64). None when there are more than `most` rows.
        """
        ...

    @property
    def nodes(self) -> int:
        """Nodes, routines among them."""
        ...

    @property
    def dropped(self) -> int:
        """Ids for which there was no room."""
        ...

    @property
    def floor(self) -> int:
        """How often a sequence may have been taken that is not counted, for what was pruned."""
        ...


class CacheCore(Protocol):
    """A hierarchy of caches; both cores offer this. `sonde.native.CacheModel` is for use."""

    def access(self, addresses: Any, sizes: Any, operations: Any) -> None:
        """Refer to memory; as `CacheModel.access`."""
        ...

    def depths(self, addresses: Any, sizes: Any, operations: Any) -> bytes:
        """As `access`; how many levels missed each reference."""
        ...

    def counts(self) -> tuple[int, ...]:
        """Loads, stores, fetches; cold, capacity, conflict and unknown misses of data, then of instructions; of the
        instruction cache and each level: misses of loads, stores, fetches, and dirty lines that left.
        """
        ...

    def lines(self, level: int) -> bytes:
        """A uint64 column: addresses of the lines of a level, set by set; level 3 is the instruction cache."""
        ...


def new_cache_core(settings: CacheSettings) -> CacheCore:
    """Empty caches on the core that `SONDE_CORE` asks for; native by default.

    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
    """
    if not _use_native():
        from sonde.native.reference_cache import ReferenceCacheModel  # the twin is loaded only when asked for

        return ReferenceCacheModel(settings)
    return sonde._native.CacheModel(
        _numbers(settings.instruction),
        [_numbers(level) for level in settings.levels],
        POLICIES.index(settings.policy),
        INCLUSIONS.index(settings.inclusion),
        settings.write_allocate,
        settings.classify,
        settings.seed,
    )


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


def function_sums(columns: Sequence[Any], functions: int) -> tuple[bytes, ...]:
    """Sums over the contexts of each function, on the core that `SONDE_CORE` asks for; native by default.

    Args:
        columns: buffers of int64, an item a context: parent, function, calls, total_calls, self_ns, total_ns; a
            parent, -1 for none, stands before its children.
        functions: their number.
    Returns:
        int64 columns: contexts, calls, total_calls, self_ns, total_ns, an item a function; of totals, contexts below
        another one of the same function are left out.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: columns differ in length, a parent does not stand before its child, a function has no number below
            `functions`, or a sum does not fit.
    Cost: O(n) time and space; some 50 ns for a context on the native core.
    """
    if _use_native():
        return sonde._native.function_sums(*columns, functions)
    from sonde.native.reference_function_sums import reference_function_sums  # the twin is loaded only when asked for

    return reference_function_sums(columns, functions)


def new_remark_parser() -> RemarkParser:
    """A parser without remarks, on the core that `SONDE_CORE` asks for; native by default.

    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
    """
    if _use_native():
        return sonde._native.RemarkParser()
    from sonde.native.reference_remarks import ReferenceRemarkParser  # the twin is loaded only when asked for

    return ReferenceRemarkParser()


def new_slab_forest(k: int, most: int, *, prunes: bool = False) -> SlabForest:
    """An empty forest on the core that `SONDE_CORE` asks for; native by default.

    Args:
        k: paths in a sequence at most, 1 to 2**32 - 1.
        most: nodes, of up to 64 bytes each; at most 2**30.
        prunes: whether nodes that count little are removed when there is no room for others.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: `k` is 0.
    """
    if _use_native():
        return sonde._native.SlabForest(k, most, prunes)
    from sonde.native.reference_paths import ReferenceSlabForest  # the twin is loaded only when asked for

    return ReferenceSlabForest(k, most, prunes)


def path_ids(text: Any, from_: int) -> tuple[bytes, int]:
    """Path ids as text, one per line, on the core that `SONDE_CORE` asks for; native by default.

    Args:
        text: a buffer of bytes.
        from_: where a line begins.
    Returns:
        A uint64 column: the ids up to the first line that is no decimal number below 2**64 of at most 20 digits, or has
        no end, but no more than 8,192; and where the line behind them begins.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: `from_` is beyond the text.
    """
    if _use_native():
        return sonde._native.path_ids(text, from_)
    from sonde.native.reference_paths import reference_path_ids  # the twin is loaded only when asked for

    return reference_path_ids(text, from_)


def remark_groups(group_of: Any, groups: int) -> tuple[bytes, bytes]:
    """Items by group, on the core that `SONDE_CORE` asks for; native by default.

    Args:
        group_of: a buffer of uint32: the group of each item.
        groups: how many there are.
    Returns:
        Two uint32 columns: where each group begins, and the number of items at the end; numbers of items, group after
        group, ascending within each.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: an item is in a group beyond the last.
    """
    if _use_native():
        return sonde._native.remark_groups(group_of, groups)
    from sonde.native.reference_remarks import reference_remark_groups  # the twin is loaded only when asked for

    return reference_remark_groups(group_of, groups)


def tree_edits(
    left_sizes: "array[int]",
    left_labels: "array[int]",
    left_groups: "array[int]",
    right_sizes: "array[int]",
    right_labels: "array[int]",
    right_groups: "array[int]",
) -> tuple[int, bytes, bytes]:
    """How to edit one tree into another most cheaply, on the core that `SONDE_CORE` asks for; native by default.

    Only whole subtrees are inserted and deleted, at a cost of their nodes; to match two unequal nodes costs 1 if they
    are of one group. The roots are always matched, at a cost of 10**9 if they are of none.

    Args:
        left_sizes: of the subtrees of each tree, in preorder, the node counted; all arguments are buffers of int32.
        left_labels: equal for equal nodes of either tree; 0 up to the nodes of both trees.
        left_groups: one for all nodes of a label; the same range; negative: the node is matched with equal ones only.
        right_sizes, right_labels, right_groups: the same of the right tree.
    Returns:
        The cost, and two int32 columns: node numbers, in preorder, of the left and the right tree. -1 on the right: the
        subtree on the left is deleted; -1 on the left: that on the right is inserted; what is in such a subtree is not
        listed. Of several cheapest edits those that come of going through children from the last to the first, and
        inserting where one can, else deleting, else matching.
    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
        ValueError: the sizes are those of no tree, a label or group is out of range, equal labels are of several
            groups, the columns of a tree differ in length, or there are more than 10,000**2 pairs of nodes.
    Guarantee: no other edits cost less.
    Cost: O(n * d) time for trees of n nodes that differ by d, unless most of them look the same; at worst the sum, over
        all pairs of nodes of equal depth, of the products of their numbers of children. O(n) memory, two bits for
        each cell of the largest table that is looked at, and a cache of 16 MiB at most. The native core does not hold
        the interpreter's lock.
    Source: Selkow, Information Processing Letters 6(6), 1977; in bands: Ukkonen, Information and Control 64, 1985.
    Differs: from Selkow, who gives the cost only, the edits are found, with ties settled; bands are measured in nodes
        and widened, costs of equal pairs of subtrees are kept, lists of leaves are compared 64 at a time.
    """
    if _use_native():
        edits = sonde._native.tree_edits
    else:
        from sonde.native.reference_tree_edits import reference_tree_edits as edits  # loaded only when asked for
    return edits(left_sizes, left_labels, left_groups, right_sizes, right_labels, right_groups)


def has_twins() -> bool:
    """Whether the twins are installed: wheels are without them."""
    return find_spec("sonde.native.reference") is not None


def _numbers(geometry: CacheGeometry) -> tuple[int, int, int]:
    return geometry.size_bytes, geometry.ways, geometry.line_bytes


def _use_native() -> bool:
    core = os.environ.get("SONDE_CORE", "native")
    if core == "python" and not has_twins():
        raise UsageError(
            "cannot use the core 'python' that SONDE_CORE names: wheels have the native one only",
            slug="no-twins",
            hint="unset SONDE_CORE; python -m pip install --no-binary sonde --force-reinstall sonde has both",
        )
    if core in ("native", "python"):
        return core == "native"
    raise UsageError(
        f"cannot use the core '{core}' that SONDE_CORE names: there are 'native' and 'python'",
        slug="unknown-core",
        hint="unset SONDE_CORE",
    )
