"""The trees of threads that agents kept apart."""

from array import array
from collections.abc import Callable
from dataclasses import replace

from sonde._native import ContextTree
from sonde.instruments.contexts.analyses.spool_sums import MOST, SumKind, sums_of
from sonde.instruments.contexts.profile import NO_PARENT, Contexts, MeasuredThread, ThreadTrees
from sonde.native import Spool

_THREAD = 0x4000_0000
"""Flag of a function of the spool that stands for a thread."""
_FIRST = 1 << 24
"""The tree numbers threads from here on, as functions: a process has less than so many of them."""


def is_thread(described: tuple[str, str, str, int, int]) -> bool:
    """Whether a function of a spool stands for a thread."""
    return described[4] & (_THREAD | 0x8000_0000) == _THREAD


def _times(spool: Spool) -> dict[int, tuple[int, int]]:
    """Of threads that have ended, by number: elapsed and processor time in nanoseconds."""
    times = {}
    for kind, (number, *_), counts, _name in sums_of(spool):
        match kind, counts:
            case SumKind.THREAD, [began, ended, processor_began, processor_ended] if (
                began <= ended <= MOST and processor_began <= processor_ended <= MOST
            ):
                times[number] = (ended - began, processor_ended - processor_began)
    return times


class ThreadsApart:
    """Bring the trees of all threads of a run together, as the children of threads."""

    def __init__(self, *, sided: bool) -> None:
        self._tree = ContextTree(sided=sided)
        self._threads: list[MeasuredThread] = []

    def update(self, process: int, spool: Spool, numbers: "array[int]", *, ns_per_tick: float, end_ticks: int) -> None:
        """Add the threads of one process, if it kept them apart.

        Args:
            process: its index among the measured ones.
            numbers: of the functions of the spool.
            ns_per_tick, end_ticks: as for `SpooledContexts.update`.
        """
        if not any(map(is_thread, spool.functions)):
            return
        numbers, times = numbers[:], _times(spool)
        for place, described in enumerate(spool.functions):
            if is_thread(described):
                numbers[place] = _FIRST + len(self._threads)
                elapsed = times.get(described[3], (None, None))
                self._threads.append(MeasuredThread(process, described[3], described[0], *elapsed))
        self._tree.add_spool(spool, numbers, ns_per_tick, end_ticks, apart=True)

    def begin_sided(self) -> None:
        """What comes next may be hot."""
        exact, self._tree = self._tree, ContextTree(sided=True)
        if self._threads:
            self._tree.merge(exact, array("I", range(_FIRST + len(self._threads))))

    def snapshot(self, contexts_of: Callable[[ContextTree], Contexts]) -> ThreadTrees | None:
        """The threads that ran anything, and what they ran; None when they were not kept apart.

        Args:
            contexts_of: makes contexts of a tree.
        """
        if not self._threads:
            return None
        contexts = contexts_of(self._tree)
        roots = [
            number for parent, number in zip(contexts.parent, contexts.function, strict=True) if parent == NO_PARENT
        ]
        place_of = {number: -1 - place for place, number in enumerate(sorted(roots))}
        function = array("q", (place_of.get(number, number) for number in contexts.function))
        threads = tuple(self._threads[number - _FIRST] for number in sorted(roots))
        return ThreadTrees(threads, replace(contexts, function=function))
