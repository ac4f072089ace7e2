"""The calling context trees that agents counted inside the measured processes."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde._native import ContextTree
from sonde.events import Function, FunctionTable, function_of_code
from sonde.instruments.contexts.analyses.exact_contexts import contexts_of_columns
from sonde.instruments.contexts.analyses.sampled_contexts import scale_up
from sonde.instruments.contexts.analyses.sampled_times import (
    mean_costs,
    threads_with_sampled_times,
    with_sampled_times,
)
from sonde.instruments.contexts.analyses.spool_sums import MOST
from sonde.instruments.contexts.analyses.stated_bounds import widened, with_exceeded_bound
from sonde.instruments.contexts.analyses.task_sums import TaskSums
from sonde.instruments.contexts.analyses.threads_apart import ThreadsApart, is_thread
from sonde.instruments.contexts.hotness import PHI_PER_EPSILON, HotLimits
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Contexts,
    Loss,
    MeasuredProcess,
    Run,
    Sampling,
)
from sonde.native import Spool
from sonde.options.bursts import Bursts

_BY_CALLS, _BY_TIME = 1, 2
"""`sn_metric` of native/core/base/cells.h."""
_SAMPLED = 3
"""`sn_clock_kind` there: another process has credited times."""
_PS_PER_NS = 1000
_MOST_WAITING = 100.0
"""So much longer a program may have taken for others that had the processor; more are in damaged files."""


class SpooledContexts:
    """Merge the trees of all threads and processes of a run by the names of their functions.

    The inline twin of `ExactContexts` and `HotContexts`: the counting was done where the calls were,
    by the same tree code; here it is brought together.

    Args:
        hot: what the agents looked for; None when they kept everything, or when it is not known any more.
        bursts: when they looked; None: all the time.
    Threads that agents kept apart are kept so besides.

    Guarantee: values are at most the true ones, and these at most the values and their errors; errors and floors of
        processes, and of threads that were kept apart, add up. Time of calls that found no room (a loss says how
        many) is in no bound.
    Cost: O(contexts) over all spools.
    """

    def __init__(self, hot: HotLimits | None = None, bursts: Bursts | None = None) -> None:
        self._hot, self._bursts = hot, bursts
        self._functions = FunctionTable()
        self._tree = ContextTree(sided=hot is not None)
        self._apart = ThreadsApart(sided=hot is not None)
        self._tasks = TaskSums()
        self._processes: list[MeasuredProcess] = []
        self._losses: dict[tuple[str, str], int] = {}
        self._orphans = 0
        self._dropped = 0
        """By metric, calls that found no room; how much time such calls took is not known."""
        self._costs: list[tuple[int, tuple[float, ...]]] | None = None
        """Of processes whose times are sampled: calls, and what counting one cost; None: there are none."""
        self._elapsed = self._looked = self._burst_count = 0
        """Ticks that processes ran, and were looked at; bursts."""
        self.unseen_wait_ns = 0
        """If times are of the processor: a wait shorter than this may count as if the thread had run. Else 0."""

    def update(
        self,
        spool: Spool,
        *,
        ns_per_tick: float,
        end_ticks: int,
        ended: str,
        functions: Sequence[Function] | None = None,
        inner: Sequence[tuple[Spool, Sequence[Function]]] = (),
    ) -> None:
        """Add the calls of one process.

        Args:
            ns_per_tick: rate of the clock of the spool.
            end_ticks: tick up to which activations that had not ended count.
            ended: in words, how the process ended.
            functions: by their numbers in the spool; None: the spool describes them itself.
            inner: exact spools of what was called from the contexts of this one, without times, and their functions.
        """
        is_sampled = spool.clock == _SAMPLED
        if is_sampled and self._costs is None:
            self._costs = []
            if self._hot is None:
                self._begin_sided()
        if spool.metric and self._hot is None:
            self._begin_hot(spool)
        number = self._functions.number
        if functions is None:
            raws = spool.functions
            numbers = array("I", (0 if is_thread(raw) else number(function_of_code(*raw)) for raw in raws))
        else:
            numbers = array("I", map(number, functions))
        if inner:
            maps = [(each, array("I", (0, 0, *map(number, of)))) for each, of in inner]
            calls = self._tree.add_spools(spool, numbers, ns_per_tick, end_ticks, maps)
        else:
            calls = self._tree.add_spool(spool, numbers, ns_per_tick, end_ticks)
        self._apart.update(len(self._processes), spool, numbers, ns_per_tick=ns_per_tick, end_ticks=end_ticks)
        self._tasks.update(spool, numbers, ns_per_tick=ns_per_tick)
        self._look_at_bursts(spool, end_ticks)
        if spool.unseen_ticks:
            self.unseen_wait_ns = max(1, self.unseen_wait_ns, _whole_ns(spool.unseen_ticks * ns_per_tick))
        taken_ns, costs_ns = _whole_ns(spool.taken_ticks * ns_per_tick), _costs_of(spool, ns_per_tick)
        if self._costs is not None:
            costs = tuple(each * _waiting_factor(spool) for each in costs_ns)
            self._costs.append((calls, costs))
            taken_ns += _whole_ns(calls * sum(costs[:2])) if is_sampled else 0
        self._processes.append(
            MeasuredProcess(
                pid=spool.pid,
                parent_pid=spool.parent_pid,
                command=" ".join(spool.command.split("\n")),
                python=spool.python,
                mechanism=" and ".join(dict.fromkeys((spool.mechanism, *(each.mechanism for each, _ in inner)))),
                threads=spool.threads,
                calls=calls,
                ended=ended,
                taken_ns=taken_ns,
                costs_ns=costs_ns,
            )
        )
        for each in (spool, *(each for each, _ in inner)):
            self._collect_losses(each)

    def look_at(self, bursts: int, looked_ns: int, elapsed_ns: int) -> None:
        """Add in how many bursts, and how long of how much, processes were looked at whose spools do not say it."""
        self._burst_count += bursts
        self._looked += looked_ns
        self._elapsed += elapsed_ns

    def lose(self, kind: str, amount: int, detail: str) -> None:
        """Add a loss that was noticed outside the spools."""
        if amount:
            self._losses[kind, detail] = self._losses.get((kind, detail), 0) + amount

    def snapshot(self, run: Run) -> ContextProfile:
        """The profile of everything added so far."""
        counted = self._profile_of(self._tree, run)
        profile = self._with_times(counted)
        threads = self._apart.snapshot(lambda tree: self._contexts_of_threads(tree, counted, profile))
        return with_exceeded_bound(replace(profile, threads=threads, tasks=self._tasks.snapshot()))

    def _with_times(self, counted: ContextProfile) -> ContextProfile:
        if self._costs is None:
            return counted
        return with_sampled_times(counted, _squares_of(self._tree), mean_costs(self._costs))

    def _contexts_of_threads(self, tree: ContextTree, counted: ContextProfile, profile: ContextProfile) -> Contexts:
        threads = self._profile_of(tree, counted.run).contexts
        if self._costs is None:
            return threads
        costs = mean_costs(self._costs)
        return threads_with_sampled_times(threads, _squares_of(tree), counted.contexts, profile.contexts, costs)

    def _profile_of(self, tree: ContextTree, run: Run) -> ContextProfile:
        """What a tree has counted, with its bounds, and scaled up."""
        unlisted_calls, unlisted_ns = tree.unlisted
        profile = ContextProfile(
            functions=tuple(self._functions),
            contexts=contexts_of_columns(tree.columns()),
            run=run,
            processes=tuple(self._processes),
            losses=tuple(Loss(kind, amount, detail) for (kind, detail), amount in self._losses.items()),
            pruned_root_calls=unlisted_calls,
            pruned_root_ns=unlisted_ns,
            approximation=self._approximation(),
        )
        profile = widened(profile, self._dropped)
        if self._bursts is not None:
            calls_squares, ns_squares = (array("d", column) for column in tree.burst_columns())
            profile = scale_up(profile, self._sampling(self._bursts), calls_squares, ns_squares)
        return profile

    def _look_at_bursts(self, spool: Spool, end_ticks: int) -> None:
        """Add up how long the process was looked at, and how long it ran."""
        if not spool.first_burst:
            return
        end = max(end_ticks, spool.last_ticks)
        self._elapsed += max(0, end - spool.first_burst)
        self._looked += spool.looked_ticks
        self._burst_count += spool.bursts
        if spool.burst_start:  # one went on when the process ended
            self._looked += max(0, end - spool.burst_start)
            self._burst_count += 1

    def _sampling(self, bursts: Bursts) -> Sampling:
        return Sampling(
            interval_ns=bursts.interval_ns,
            burst_ns=bursts.burst_ns,
            bursts=self._burst_count,
            fraction=min(1.0, self._looked / self._elapsed) if self._elapsed else 1.0,
            adaptive=1 / bursts.one_in if bursts.one_in else None,
        )

    def _begin_hot(self, spool: Spool) -> None:
        """The notes of the launcher are lost: what was looked for follows from the spool."""
        epsilon = 1 / spool.counters
        metric = "time" if spool.metric == _BY_TIME else "calls"
        self._hot = HotLimits(metric, min(0.5, PHI_PER_EPSILON * epsilon), epsilon, spool.counters, 0)
        self._begin_sided()

    def _begin_sided(self) -> None:
        """What comes next needs sides."""
        exact, self._tree = self._tree, ContextTree(sided=True)
        self._tree.merge(exact, array("I", range(len(self._functions))))
        self._apart.begin_sided()

    def _approximation(self) -> Approximation | None:
        if self._hot is None:
            return None
        return Approximation(
            metric="time" if self._hot.metric == "time" else "calls",
            phi=self._hot.phi,
            epsilon=self._hot.epsilon,
            floor=self._tree.floor,
            counters=self._hot.counters,
        )

    def _collect_losses(self, spool: Spool) -> None:
        for kind, amount, detail in spool.notes:
            self.lose(kind, amount, detail)
        self.lose(
            "contexts-not-stored",
            spool.dropped_calls,
            "calls found no room for a new context, as the disk or the address space was full, or the stack deeper than"
            " the tree may have nodes, and were not counted",
        )
        self.lose(
            "events-not-recorded",
            spool.lost_events,
            "calls and returns found no room, in the trace or in the tree of the process, and were not recorded",
        )
        self.lose("spool-truncated", int(spool.truncated), "the cell file ends early: contexts are missing")
        self.lose(
            "contexts-orphaned",
            self._tree.orphans - self._orphans,
            "cells of a damaged cell file make no sense and were not counted",
        )
        self._orphans = self._tree.orphans
        if spool.metric == _BY_CALLS:
            self._dropped += spool.dropped_calls


def _squares_of(tree: ContextTree) -> "array[float]":
    """Variances of the own times of its contexts."""
    return array("d", tree.burst_columns()[1])


def _costs_of(spool: Spool, ns_per_tick: float) -> tuple[float, ...]:
    """Nanoseconds that watching an event cost; empty: nothing is taken out."""
    if not any(spool.cost_ticks):
        return ()
    return tuple(ticks / _PS_PER_NS if spool.clock == _SAMPLED else ticks * ns_per_tick for ticks in spool.cost_ticks)


def _waiting_factor(spool: Spool) -> float:
    """How much longer anything took of elapsed time, as the threads of the process had to wait for a processor."""
    if spool.clock != _SAMPLED or spool.unseen_ticks or not spool.looked_ticks:
        return 1.0
    return min(_MOST_WAITING, 1 + spool.burst_start / spool.looked_ticks)


def _whole_ns(value: float) -> int:
    """What a damaged file may hold is no number, or no time."""
    return int(value) if 0 <= value <= MOST else 0
