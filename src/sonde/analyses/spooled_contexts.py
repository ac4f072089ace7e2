"""The calling context tree that agents counted inside the measured processes."""

from array import array

from sonde._native import ContextTree
from sonde.analyses.exact_contexts import contexts_of_columns
from sonde.events import FunctionTable, function_of_code
from sonde.native import Spool
from sonde.profiles import ContextProfile, Loss, MeasuredProcess, Run


class SpooledContexts:
    """Merge the trees of all threads and processes of a run by the names of their functions.

    The inline twin of `ExactContexts`: the counting was done where the calls were, by the
    same tree code; here it is brought together.

    Cost: O(contexts) over all spools.
    """

    def __init__(self) -> None:
        self._functions = FunctionTable()
        self._tree = ContextTree()
        self._processes: list[MeasuredProcess] = []
        self._losses: dict[tuple[str, str], int] = {}
        self._orphans = 0

    def update(self, spool: Spool, *, ns_per_tick: float, end_ticks: int, ended: str) -> None:
        """Add the calls of one process.

        Args:
            ns_per_tick: rate of the clock of the spool.
            end_ticks: tick up to which activations that had not ended count.
            ended: in words, how the process ended.
        """
        numbers = array("I", (self._functions.number(function_of_code(*raw)) for raw in spool.functions))
        calls = self._tree.add_spool(spool, numbers, ns_per_tick, end_ticks)
        self._processes.append(
            MeasuredProcess(
                pid=spool.pid,
                parent_pid=spool.parent_pid,
                command=" ".join(spool.command.split("\n")),
                python=spool.python,
                mechanism=spool.mechanism,
                threads=spool.threads,
                calls=calls,
                ended=ended,
            )
        )
        self._collect_losses(spool)

    def lose(self, kind: str, amount: int, detail: str) -> None:
        """Add a loss that was noticed outside the spools."""
        if amount:
            self._losses[kind, detail] = self._losses.get((kind, detail), 0) + amount

    def snapshot(self, run: Run) -> ContextProfile:
        """The profile of everything added so far."""
        return ContextProfile(
            functions=tuple(self._functions),
            contexts=contexts_of_columns(self._tree.columns()),
            run=run,
            processes=tuple(self._processes),
            losses=tuple(Loss(kind, amount, detail) for (kind, detail), amount in self._losses.items()),
        )

    def _collect_losses(self, spool: Spool) -> None:
        for kind, amount, detail in spool.notes:
            self.lose(kind, amount, detail)
        self.lose(
            "contexts-not-stored",
            spool.dropped_calls,
            "calls found no room for a new context (disk or address space full) and were not counted",
        )
        self.lose("spool-truncated", int(spool.truncated), "the cell file ends early: contexts are missing")
        self.lose(
            "contexts-orphaned",
            self._tree.orphans - self._orphans,
            "cells of a damaged cell file make no sense and were not counted",
        )
        self._orphans = self._tree.orphans
