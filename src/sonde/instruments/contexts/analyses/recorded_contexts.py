"""The calling context tree of a recorded trace."""

from array import array
from collections.abc import Callable
from dataclasses import replace

from sonde._native import BurstGate, ContextTree, HotTree, Recorded
from sonde.instruments.contexts.analyses.exact_contexts import contexts_of_columns
from sonde.instruments.contexts.analyses.sampled_contexts import scale_up
from sonde.instruments.contexts.analyses.stated_bounds import at_most_ns, losses_of, widened, with_exceeded_bound
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.profile import Approximation, ContextProfile, MeasuredProcess, Run, Sampling
from sonde.options.bursts import Bursts
from sonde.trace import TraceReader

_ROOM_EVENTS = 1 << 15
"""Three quarters of a megabyte: stays in the cache between being decoded and being counted."""
_MORE = 0


class RecordedContexts:
    """Count a trace as if its program ran now: exactly, or what is hot; all of it, or in bursts.

    The recorded twin of `SpooledContexts`: from the same events comes the same profile.

    Args:
        hot: what to look for; None keeps every context.
        bursts: when to look; None: all the time.
    Guarantee: replaying in parts, as the trace grows, gives the profile of the whole. Bounds are those of
        `HotContexts`.
    Cost: O(1) for each event as in `HotContexts`; memory is that of the tree and of one part of the trace.
    """

    def __init__(self, trace: TraceReader, hot: HotLimits | None = None, bursts: Bursts | None = None) -> None:
        self._trace, self._hot, self._bursts = trace, hot, bursts
        self._tree = (
            ContextTree(sided=bursts is not None)
            if hot is None
            else HotTree(hot.metric, hot.counters, hot.nodes, hot.space_saving)
        )
        self._gate: BurstGate | None = None
        if bursts is not None:
            rate = trace.about.ns_per_tick
            self._gate = BurstGate(max(2, round(bursts.interval_ns / rate)), max(1, round(bursts.burst_ns / rate)))

    def replay(self, *, progress: Callable[[], None] = lambda: None) -> None:
        """Count the events that are there and were not counted yet.

        Args:
            progress: called now and then.
        Raises:
            InputError: `corrupt-trace`; what came before the damage was counted.
        """
        part = Recorded(_ROOM_EVENTS)
        while (result := part.read(self._trace.native)) == _MORE:
            self._tree.feed_recorded(part, self._trace.note_functions(), self._gate)
            progress()
        if self._trace.conclude(result).state == "finished" and self._gate is not None:
            self._tree.end_recorded(self._gate)  # else the burst that goes on may do so with the next part

    def forget(self) -> None:
        """Give back the storage of what was counted, of a trace that is nobody's to keep."""
        self._trace.native.forget()

    @property
    def clock(self) -> str:
        """The clock of the trace, see `Run.clock`."""
        return self._trace.about.clock

    def snapshot(self, run: Run) -> ContextProfile:
        """The profile of everything counted so far."""
        about, tree = self._trace.about, self._tree
        rate = about.ns_per_tick
        unlisted_calls, unlisted_ns = tree.unlisted
        profile = ContextProfile(
            functions=tuple(self._trace.functions),
            contexts=contexts_of_columns(tree.columns(rate)),
            run=run,
            losses=losses_of(tree),
            pruned_root_calls=unlisted_calls,
            pruned_root_ns=round(unlisted_ns * rate),
            approximation=self._approximation(),
        )
        if self._hot is not None:
            profile = widened(
                profile, tree.dropped if self._hot.metric == "calls" else self._at_most_ns(tree.dropped_ns)
            )
        profile = with_exceeded_bound(self._scaled(profile))
        process = MeasuredProcess(
            pid=about.pid,
            parent_pid=about.parent_pid,
            command=" ".join(about.command.split("\n")),
            python=about.python,
            mechanism=about.mechanism,
            threads=tree.threads,
            calls=profile.total_calls,
            ended="recorded",
        )
        return replace(profile, processes=(process,))

    def _at_most_ns(self, ticks: int) -> int:
        return at_most_ns(ticks, self._trace.about.ns_per_tick)

    def _approximation(self) -> Approximation | None:
        if self._hot is None:
            return None
        by_time = self._hot.metric == "time"
        floor = self._tree.floor
        return Approximation(
            metric="time" if by_time else "calls",
            phi=self._hot.phi,
            epsilon=self._hot.epsilon,
            floor=self._at_most_ns(floor) if by_time else floor,
            counters=self._hot.counters,
        )

    def _scaled(self, profile: ContextProfile) -> ContextProfile:
        if self._gate is None or self._bursts is None:
            return profile
        elapsed = self._gate.elapsed
        sampling = Sampling(
            interval_ns=self._bursts.interval_ns,
            burst_ns=self._bursts.burst_ns,
            bursts=self._gate.bursts,
            fraction=min(1.0, self._gate.open_time / elapsed) if elapsed else 1.0,
        )
        calls_squares, ns_squares = (array("d", column) for column in self._tree.burst_columns())
        rate = self._trace.about.ns_per_tick
        return scale_up(profile, sampling, calls_squares, [square * rate * rate for square in ns_squares])
