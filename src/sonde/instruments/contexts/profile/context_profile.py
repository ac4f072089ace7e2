"""A calling context tree as a value: what ran, called from where, how often, how long."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Literal

from sonde.base.errors import InternalError
from sonde.events import FUNCTION_KINDS, Function
from sonde.evidence import Loss
from sonde.instruments.contexts.profile.approximation import Approximation, Metric, Sampling
from sonde.instruments.contexts.profile.line_samples import LineSamples
from sonde.instruments.contexts.profile.own_estimates import OwnEstimate, OwnEstimates
from sonde.instruments.contexts.profile.task_times import TaskTimes, check_tasks

NO_PARENT = -1

CYCLES, ESTIMATE, SAMPLES = "cycles", "estimate", "samples"
"""Clocks of profiles in which each compiled function is a root, whoever called it: its cycles were measured, are
estimated, or are those of samples of where threads were. Cycles of what was inlined into it are estimated in the first
two, unless samples are there, too (`cycles, samples`)."""

TimeKind = Literal["wall", "processor", "lock", "tasks"]
"""Elapsed time, or that in which the thread ran, or had the interpreter's lock; elapsed time of tasks of asyncio."""


@dataclass(frozen=True, slots=True)
class MeasuredProcess:
    """One operating-system process that contributed to the profile."""

    pid: int
    parent_pid: int
    command: str
    python: str
    """Version, e.g. `3.12.1`."""
    mechanism: str
    """Which source saw the calls, e.g. `cpython-monitoring`."""
    threads: int
    calls: int
    ended: str
    """`exited 0`, `killed by SIGTERM`, `still running`, `ended`, `ended early or by os._exit`."""
    taken_ns: int = 0
    """Nanoseconds that were taken out of the times: what it cost to watch the calls, as calibrated."""
    costs_ns: tuple[float, ...] = ()
    """What one event cost: beginning and end of a call, and of one of a C function; empty: nothing was taken out."""


@dataclass(frozen=True, slots=True)
class Run:
    """Where and how a profile was measured."""

    command: tuple[str, ...] = ()
    started_at: str = ""
    """ISO 8601, UTC."""
    duration_ns: int = 0
    """Wall-clock time from start to end of the command."""
    ended: str = ""
    clock: str = "none"
    """`tsc`, `monotonic`, `sampled`, `CYCLES`, `ESTIMATE`, `SAMPLES`, or `none` when only calls were counted."""
    time_kind: TimeKind = "wall"
    """What times are of; older files have wall-clock time."""
    unseen_wait_ns: int = 0
    """Of processor time: nanoseconds; a wait shorter than this may count as if the thread had run."""
    processor_ns: int = 0
    """At most so much processor time had the program and what it started and waited for; 0: not known."""
    machine: str = ""
    sonde_version: str = ""
    complete: bool = True
    """False when the run was cut off and this is what could be recovered."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """The nodes of a calling context tree, one row each, parents before children.

    All columns have shape `(n_contexts,)`, type code `q` (int64); the last three may be empty.
    """

    parent: Sequence[int]
    """Row of the caller's context, `NO_PARENT` for roots; always less than the own row."""
    function: Sequence[int]
    """Index into `ContextProfile.functions`."""
    call_line: Sequence[int]
    """Line in the caller from which the call was made; 0 when there is none."""
    calls: Sequence[int]
    """Activations of the function in this context (a resumed generator counts as one)."""
    total_calls: Sequence[int]
    """`calls` of this context and all below it."""
    self_ns: Sequence[int]
    """Nanoseconds in this context outside its callees; zeros when the clock is `none`."""
    total_ns: Sequence[int]
    """Nanoseconds in this context including its callees."""
    error: Sequence[int] = ()
    """The true value of the approximation's metric is at most this much more; empty: all are exact."""
    calls_deviation: Sequence[int] = ()
    """Standard error of `calls`, scaled as they are; empty: nothing was sampled."""
    ns_deviation: Sequence[int] = ()
    """Standard error of `self_ns`, scaled as they are; empty: nothing was sampled."""

    def __len__(self) -> int:
        return len(self.parent)

    def children(self) -> list[list[int]]:
        """Rows of the children of each row; roots are the last entry. O(n)."""
        below: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for row, parent in enumerate(self.parent):
            below[parent].append(row)
        return below

    def of_rows(self, rows: Sequence[int]) -> "Contexts":
        """Some of the contexts as a tree; their values, the inclusive ones too, stay as they are.

        Args:
            rows: ascending. A context whose caller is not among them becomes a root.
        Cost: O(len(rows)), and O(n) bytes.
        """
        new_row = array("q", [NO_PARENT]) * (len(self) + 1)  # the last one is the caller of roots, -1
        for number, row in enumerate(rows):
            new_row[row] = number

        def taken(column: Sequence[int]) -> "array[int]":
            return array("q", [column[row] for row in rows])

        def optional(column: Sequence[int]) -> Sequence[int]:
            return taken(column) if len(column) and len(rows) else ()

        return Contexts(
            parent=array("q", [new_row[self.parent[row]] for row in rows]),
            function=taken(self.function),
            call_line=taken(self.call_line),
            calls=taken(self.calls),
            total_calls=taken(self.total_calls),
            self_ns=taken(self.self_ns),
            total_ns=taken(self.total_ns),
            error=optional(self.error),
            calls_deviation=optional(self.calls_deviation),
            ns_deviation=optional(self.ns_deviation),
        )


@dataclass(frozen=True, slots=True)
class MeasuredThread:
    """One thread of a measured process."""

    process: int
    """Index into `ContextProfile.processes`."""
    number: int
    """From 1 on in the order in which the threads of the process first ran Python code."""
    name: str
    """Python's name of it when it began; empty: it has none, as C code started it."""
    elapsed_ns: int | None = None
    """From its first counted call to its end, or to that of the run; None: not known."""
    processor_ns: int | None = None
    """That it ran meanwhile, with what it cost to watch it; None: not known."""

    @property
    def label(self) -> str:
        """The name, or what stands for it."""
        return self.name or f"thread {self.number}"


@dataclass(frozen=True, slots=True)
class ThreadTrees:
    """What each thread ran. A context is in it once for each thread that it ran on."""

    threads: tuple[MeasuredThread, ...]
    contexts: Contexts
    """The roots, and no others, stand for threads: their function is -1 less the index into `threads`, and they have no
    values of their own."""


@dataclass(frozen=True, slots=True)
class ContextProfile:
    """A calling context tree with the functions, run and losses behind it: exact, or with its bounds.

    >>> main = Function("main", "app", "app.py", 1)
    >>> work = Function("work", "app", "app.py", 5)
    >>> tree = contexts_from_self(
    ...     parent=[-1, 0], function=[0, 1], call_line=[0, 3], calls=[1, 10], self_ns=[5, 95])
    >>> profile = ContextProfile(functions=(main, work), contexts=tree)
    >>> profile.check_valid()
    >>> (profile.total_calls, profile.total_ns)
    (11, 100)
    """

    functions: tuple[Function, ...]
    contexts: Contexts
    run: Run = field(default_factory=Run)
    processes: tuple[MeasuredProcess, ...] = ()
    losses: tuple[Loss, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Text of source files, by the path used in `functions`, as they were when the run ended."""
    pruned_contexts: int = 0
    """Contexts left out when only the heaviest were read; totals still include them."""
    pruned_root_calls: int = 0
    """Calls below no listed root: those of roots that were left out, or forgotten in bounded memory."""
    pruned_root_ns: int = 0
    """Nanoseconds below no listed root."""
    threads: ThreadTrees | None = None
    """The same by thread; None: the threads were not kept apart."""
    tasks: TaskTimes | None = None
    """What tasks of asyncio awaited; None: there were none, or they were not seen."""
    line_samples: LineSamples = field(default_factory=dict[Function, Mapping[int, int]])
    """Where the own time of functions was seen to go; empty: lines were not sampled."""
    own_estimates: OwnEstimates = field(default_factory=dict[Function, OwnEstimate])
    """Own times of functions over all of their contexts, where they are known better than from these; each holds for a
    function that has just this own time."""
    approximation: Approximation | None = None
    """How far values may be from the truth; None: they are exact."""
    sampling: Sampling | None = None
    """Which part of the run was looked at; None: all of it."""

    @property
    def has_time(self) -> bool:
        """Whether times were measured, not just calls."""
        return self.run.clock != "none"

    @property
    def has_calls(self) -> bool:
        """Whether calls were counted; of stacks that were looked at they are not known."""
        return self.sampling is None or self.sampling.has_calls

    @property
    def has_units(self) -> bool:
        """Whether its roots are compiled functions, and what is below them was inlined."""
        return not {CYCLES, ESTIMATE, SAMPLES}.isdisjoint(self.run.clock.split(", "))  # a merged one may have both

    @property
    def is_wall_time(self) -> bool:
        """Whether times are those that went by, waiting included."""
        return self.has_time and self.run.time_kind == "wall"

    @property
    def is_processor_time(self) -> bool:
        """Whether times are those in which the threads ran, not those that went by."""
        return self.has_time and self.run.time_kind == "processor"

    @property
    def total_calls(self) -> int:
        """All activations counted, over every root."""
        return self._sum_over_roots(self.contexts.total_calls) + self.pruned_root_calls

    @property
    def total_ns(self) -> int:
        """Thread time measured, elapsed or of the processor, over every root."""
        return self._sum_over_roots(self.contexts.total_ns) + self.pruned_root_ns

    @property
    def taken_ns(self) -> int:
        """Nanoseconds that were taken out of the times, over all processes."""
        return sum(process.taken_ns for process in self.processes)

    def weights(self) -> Sequence[int]:
        """The column that orders contexts: inclusive time, or calls when time was not measured."""
        return self.contexts.total_ns if self.has_time else self.contexts.total_calls

    @property
    def whole(self) -> int:
        """What shares are of: the thread time, or all calls when time was not measured."""
        return self.total_ns if self.has_time else self.total_calls

    @property
    def metric(self) -> Metric:
        """What makes contexts hot: what the approximation is of, else time if it was measured, else calls."""
        if self.approximation is not None:
            return self.approximation.metric
        return "time" if self.has_time else "calls"

    @property
    def metric_total(self) -> int:
        """The total of the metric, N: calls or nanoseconds."""
        return self.total_ns if self.metric == "time" else self.total_calls

    def metric_values(self) -> Sequence[int]:
        """Own values of the metric: (n_contexts,) int64, calls or nanoseconds; never more than the truth."""
        return self.contexts.self_ns if self.metric == "time" else self.contexts.calls

    def errors(self) -> Sequence[int]:
        """The column of errors, written out: (n_contexts,) int64, zeros in an exact profile."""
        error = self.contexts.error
        return error if len(error) else array("q", bytes(8 * len(self.contexts)))

    @property
    def left_something_out(self) -> bool:
        """Whether contexts were given up in bounded memory, so that values may be too small."""
        return self.approximation is not None and (self.approximation.floor > 0 or any(self.contexts.error))

    @property
    def hot_threshold(self) -> int:
        """Least value of a hot context.

        Raises:
            InternalError: the profile is exact, so that nobody has said what is hot.
        """
        if self.approximation is None:
            raise InternalError("cannot say what is hot: this profile is exact and has no phi", slug="invalid-profile")
        return self.approximation.hot_threshold(self.metric_total)

    def check_valid(self) -> None:
        """Check every invariant of the value.

        Raises:
            InternalError: the first invariant found broken, with the row.
        """
        tree = self.contexts
        optional = (tree.error, tree.calls_deviation, tree.ns_deviation)
        columns = (
            *(tree.function, tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns),
            *(column for column in optional if len(column)),
        )
        if any(len(column) != len(tree) for column in columns):
            raise _broken(f"columns have lengths {[len(tree), *map(len, columns)]}")
        if self.approximation is None and any(tree.error):
            raise _broken("contexts have errors, but it is said to be exact")
        if self.sampling is None and any(map(any, optional[1:])):
            raise _broken("contexts have deviations, but it is said not to be sampled")
        if min(self.pruned_contexts, self.pruned_root_calls, self.pruned_root_ns) < 0:
            raise _broken("what is left out has a negative value")
        is_whole = self.approximation is None and not self.pruned_contexts
        if is_whole and (self.pruned_root_calls or self.pruned_root_ns):
            raise _broken("calls or time are in no context, but it is said to be whole and exact")
        for column in columns if len(tree) else ():
            if min(column) < 0:
                row = next(row for row, value in enumerate(column) if value < 0)
                raise _broken(f"context {row} has a negative value")
        below_calls = [0] * len(tree)
        below_ns = [0] * len(tree)
        for row in range(len(tree) - 1, -1, -1):
            parent = tree.parent[row]
            if not NO_PARENT <= parent < row:
                raise _broken(f"context {row} has parent {parent}, not before it")
            if not 0 <= tree.function[row] < len(self.functions):
                raise _broken(f"context {row} names function {tree.function[row]} of {len(self.functions)}")
            for what, total, own, below in (
                ("calls", tree.total_calls, tree.calls, below_calls),
                ("nanoseconds", tree.total_ns, tree.self_ns, below_ns),
            ):
                missing = total[row] - own[row] - below[row]
                if missing < 0 or (missing > 0 and is_whole):
                    raise _broken(
                        f"context {row} has {total[row]} {what} in total, but {own[row]} of its own"
                        f" and {below[row]} below it"
                    )
                if parent != NO_PARENT:
                    below[parent] += total[row]
        check_tasks(self.tasks, len(self.functions), _broken)
        for function, lines in self.line_samples.items():
            if any(line < 0 or samples < 1 for line, samples in lines.items()):
                raise _broken(f"function {function.name!r} was seen in lines {dict(lines)}")
        for function in self.functions:
            if function.kind not in FUNCTION_KINDS:
                raise _broken(f"function {function.name!r} has kind {function.kind!r}")

    def _sum_over_roots(self, column: Sequence[int]) -> int:
        return sum(compress(column, map(NO_PARENT.__eq__, self.contexts.parent)))


def contexts_from_self(
    *,
    parent: Sequence[int],
    function: Sequence[int],
    call_line: Sequence[int],
    calls: Sequence[int],
    self_ns: Sequence[int],
    error: Sequence[int] = (),
) -> Contexts:
    """Build the columns of a tree from exclusive values; the inclusive ones are summed up.

    Args:
        parent, function, call_line, calls, self_ns: as in `Contexts`, equally long.
        error: likewise; empty for an exact tree.
    Cost: O(n).
    """
    return Contexts(
        parent=array("q", parent),
        function=array("q", function),
        call_line=array("q", call_line),
        calls=array("q", calls),
        total_calls=_subtree_sums(parent, calls),
        self_ns=array("q", self_ns),
        total_ns=_subtree_sums(parent, self_ns),
        error=array("q", error) if len(error) else (),
    )


def _subtree_sums(parent: Sequence[int], values: Sequence[int]) -> "array[int]":
    totals = array("q", values)
    for row in range(len(parent) - 1, 0, -1):
        above = parent[row]
        if above >= 0:
            totals[above] += totals[row]
    return totals


def _broken(fact: str) -> InternalError:
    return InternalError(f"cannot trust this profile: {fact}", slug="invalid-profile")
