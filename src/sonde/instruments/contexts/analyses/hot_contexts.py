"""The hot calling contexts of a stream of calls, in bounded memory."""

from array import array
from typing import Literal, Self

from sonde.events import EventBatch, FunctionTable
from sonde.instruments.contexts.analyses.exact_contexts import contexts_of_columns
from sonde.instruments.contexts.analyses.stated_bounds import losses_of, widened, with_exceeded_bound
from sonde.instruments.contexts.hotness import PHI, hot_limits
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Run
from sonde.native import new_hot_tree


class HotContexts:
    """Find the contexts with the most calls, or the most exclusive time, and their callers.

    With N the total of the metric, a context is hot from phi N. The snapshot lists every hot context; each
    of them, and each of their callers, with an error.

    Args:
        metric: `calls` or `time`.
        phi: share of the total from which a context is hot.
        epsilon: share of the total that counts may be off by; None: a fifth of phi.
        nodes: contexts to keep at most, callers included; None: six times as many as counters.
        space_saving: by lazy Space-Saving, as the source has it, and by calls only; else by compaction,
            which is faster, and keeps fewer contexts where few are heavy.
    Raises:
        UsageError: `bad-metric`, `bad-phi`, `bad-epsilon` or `budget-too-small`.
    Guarantee: value <= true <= value + error for every context listed, true <= floor for every other; errors
        and floor are at most epsilon N, unless a loss `bound-exceeded` says how much they are. Calls and
        time of contexts that are not listed are in the totals of their callers. Merging keeps all of this.
    Cost: O(1) amortised for each event; 128 bytes for each node, and at most `nodes` of them.
    Source: D'Elia, PhD thesis, section 3.1; Metwally, Agrawal, El Abbadi, ICDT 2005; for compaction Misra,
        Gries, 1982, and Manku, Motwani, VLDB 2002; for merging Agarwal et al., PODS 2012.
    Differs: weights, and bounds for each context, see docs/notes/weighted-space-saving.md.

    >>> from sonde.events import Function
    >>> functions = FunctionTable(Function(f"f{number}", "app", "app.py", number) for number in range(30))
    >>> batch = EventBatch()
    >>> for call in range(100):
    ...     batch.enter(thread=0, function=call % 30 if call % 2 else 0, call_line=1, time_ns=call)
    ...     batch.leave(thread=0, time_ns=call)
    >>> analysis = HotContexts(functions, metric="calls", phi=0.3, epsilon=0.1, nodes=15)
    >>> analysis.update(batch)
    >>> profile = analysis.snapshot()
    >>> [(row, calls) for row, calls in enumerate(profile.contexts.calls) if calls >= profile.hot_threshold]
    [(0, 50)]
    >>> (len(profile.contexts) <= 15, profile.total_calls, profile.approximation.floor <= 10)
    (True, 100, True)
    """

    def __init__(
        self,
        functions: FunctionTable,
        metric: Literal["calls", "time"] = "time",
        phi: float = PHI,
        epsilon: float | None = None,
        nodes: int | None = None,
        space_saving: bool = False,
    ) -> None:
        limits = hot_limits(metric, phi, epsilon, nodes=nodes, space_saving=space_saving)
        self._functions = functions
        self._metric = metric
        self._phi = phi
        self._epsilon = limits.epsilon
        self._counters = limits.counters
        self._tree = new_hot_tree(metric, limits.counters, limits.nodes, space_saving)

    def update(self, batch: EventBatch) -> None:
        """Count a batch of events.

        Raises:
            ValueError: an event has an unknown kind, or a thread number or time that is too large.
        """
        self._tree.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)

    def merge(self, other: Self) -> None:
        """Add everything that `other` has counted; `other` stays as it is. The larger phi and epsilon hold.

        Raises:
            ValueError: `other` is this analysis, or looks for contexts that are hot by something else.
        """
        function_map = array("I", (self._functions.number(function) for function in other._functions))
        self._tree.merge(other._tree, function_map)
        self._phi = max(self._phi, other._phi)
        self._epsilon = max(self._epsilon, other._epsilon)

    def snapshot(self) -> ContextProfile:
        """The profile of all events so far; activations that run count up to their thread's last event."""
        tree = self._tree
        pruned_calls, pruned_ns = tree.unlisted
        profile = ContextProfile(
            functions=tuple(self._functions),
            contexts=contexts_of_columns(tree.columns()),
            run=Run(clock="recorded"),
            losses=losses_of(tree),
            pruned_root_calls=pruned_calls,
            pruned_root_ns=pruned_ns,
            approximation=Approximation(
                metric=self._metric,
                phi=self._phi,
                epsilon=self._epsilon,
                floor=tree.floor,
                counters=self._counters,
            ),
        )
        dropped = tree.dropped if self._metric == "calls" else tree.dropped_ns
        return with_exceeded_bound(widened(profile, dropped))
