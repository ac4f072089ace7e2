"""What agents have counted of tasks."""

from array import array
from dataclasses import replace

from sonde.instruments.contexts.analyses.spool_sums import MOST, SumKind, sums_of
from sonde.instruments.contexts.profile import LoopTimes, TaskAwait, TaskGroup, TaskTimes, merged_tasks
from sonde.native import Spool


class TaskSums:
    """Bring the tasks of all processes of a run together."""

    def __init__(self) -> None:
        self._sum: TaskTimes | None = None
        self._functions = 0
        """Known so far."""

    def update(self, spool: Spool, numbers: "array[int]", *, ns_per_tick: float) -> None:
        """Add the tasks of one process.

        Args:
            numbers: of the functions of the spool.
            ns_per_tick: rate of the clock of the spool.
        """
        found = _decoded(spool, len(numbers), ns_per_tick)
        if found is None:
            return
        known = range(self._functions)
        self._functions = max(self._functions, 1 + max(numbers, default=0))
        self._sum = merged_tasks([self._sum, found], [known, numbers])

    def snapshot(self) -> TaskTimes | None:
        """What was added so far; None where no program had tasks."""
        return self._sum


def _decoded(spool: Spool, functions: int, rate: float) -> TaskTimes | None:
    """With functions as the spool numbers them. What a damaged file says that makes no sense is left out."""
    groups: list[TaskGroup] = []
    awaits: list[TaskAwait] = []
    loops: LoopTimes | None = None

    def function(number: int) -> int:
        return number if number < functions else -1

    def place(word: int) -> tuple[int, int]:
        return function((word >> 32) - 1), word & 0xFFFF_FFFF

    for kind, numbers, counts, name in sums_of(spool):
        match kind, [min(count, MOST) for count in counts]:
            case SumKind.TASKS, [tasks, ended, cancelled, failed, steps, life, run, awaited, ready, longest, at]:
                # Each is rounded, and the whole is to be the sum of its parts.
                times = [round(ticks * rate) for ticks in (run, awaited, ready)]
                total = sum(times) if life == run + awaited + ready else round(life * rate)
                sums = (tasks, ended, cancelled, failed, steps, total, *times, round(longest * rate), *place(at))
                groups.append(TaskGroup(name, function(numbers[0]), function(numbers[1]), numbers[2], *sums))
            case SumKind.AWAIT, [times_, awaited, ready, longest] if numbers[0] < len(groups):
                spans = (round(awaited * rate), round(ready * rate), round(longest * rate))
                awaits.append(
                    TaskAwait(numbers[0], function(numbers[1]), numbers[2], function(numbers[3]), name, times_, *spans)
                )
            case SumKind.LOOPS, [count, span, held, longest, at, group] if count:
                spans = (round(span * rate), round(held * rate), round(longest * rate))
                loops = LoopTimes(count, *spans, *place(at), group)
    if loops is None or not groups:
        return None
    if loops.longest_of >= len(groups) or not loops.longest_step_ns:
        loops = replace(loops, longest_of=-1)
    return TaskTimes(tuple(groups), tuple(awaits), loops)
