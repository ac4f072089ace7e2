"""What agents have counted of tasks: records of a spool whose counts are 64-bit words in the machine's order."""

import struct
from array import array
from dataclasses import replace

from sonde.instruments.contexts.profile import LoopTimes, TaskAwait, TaskGroup, TaskTimes, merged_tasks
from sonde.native import Spool

_MOST = 2**63 - 1


class _Record:
    """`sn_record_kind` of native/core/base/cells.h."""

    TASKS, AWAIT, LOOPS = 4, 5, 6


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

    for kind, numbers, raw, name in spool.sums:
        words = [min(word, _MOST) for word in struct.unpack(f"={len(raw) // 8}Q", raw[: len(raw) // 8 * 8])]
        match kind, words:
            case _Record.TASKS, [tasks, ended, cancelled, failed, steps, life, run, awaited, ready, longest, at]:
                # Each is rounded, and the whole is to be the sum of its parts.
                times = [round(ticks * rate) for ticks in (run, awaited, ready)]
                total = sum(times) if life == run + awaited + ready else round(life * rate)
                counts = (tasks, ended, cancelled, failed, steps, total, *times, round(longest * rate), *place(at))
                groups.append(TaskGroup(name, function(numbers[0]), function(numbers[1]), numbers[2], *counts))
            case _Record.AWAIT, [times_, awaited, ready, longest] if numbers[0] < len(groups):
                spans = (round(awaited * rate), round(ready * rate), round(longest * rate))
                awaits.append(
                    TaskAwait(numbers[0], function(numbers[1]), numbers[2], function(numbers[3]), name, times_, *spans)
                )
            case _Record.LOOPS, [count, span, held, longest, at, group] if count:
                spans = (round(span * rate), round(held * rate), round(longest * rate))
                loops = LoopTimes(count, *spans, *place(at), group)
    if loops is None or not groups:
        return None
    if loops.longest_of >= len(groups) or not loops.longest_step_ns:
        loops = replace(loops, longest_of=-1)
    return TaskTimes(tuple(groups), tuple(awaits), loops)
