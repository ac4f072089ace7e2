"""A flat profile: calls and time by function, without their callers."""

from typing import Self

from sonde.events import ENTER, EventBatch, FunctionTable
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Loss, Run, contexts_from_self


class FlatCalls:
    """Count the calls of each function and the time spent in it, outside its callees.

    Guarantee: calls and times add up to those of the stream.
    Cost: O(1) per event; O(functions) space.
    Source: what every profiler has printed since prof; nothing published is followed.
    """

    def __init__(self, functions: FunctionTable) -> None:
        self._functions = functions
        self._calls: dict[int, int] = {}
        self._self_ns: dict[int, int] = {}
        self._stacks: dict[int, list[int]] = {}
        self._now: dict[int, int] = {}
        self._unmatched = 0

    def update(self, batch: EventBatch) -> None:
        """Take in a batch: time that passes on a thread belongs to the function on top of its stack."""
        for kind, thread, function, now in zip(batch.kind, batch.thread, batch.function, batch.time_ns, strict=True):
            stack = self._stacks.setdefault(thread, [])
            if stack:
                passed = max(0, now - self._now[thread])
                self._self_ns[stack[-1]] = self._self_ns.get(stack[-1], 0) + passed
            self._now[thread] = max(now, self._now.get(thread, 0))
            if kind == ENTER:
                stack.append(function)
                self._calls[function] = self._calls.get(function, 0) + 1
            elif stack:
                stack.pop()
            else:
                self._unmatched += 1

    def merge(self, other: Self) -> None:
        """Add what `other` has counted."""
        number = [self._functions.number(function) for function in other._functions]
        for mine, theirs in ((self._calls, other._calls), (self._self_ns, other._self_ns)):
            for function, value in theirs.items():
                mine[number[function]] = mine.get(number[function], 0) + value
        self._unmatched += other._unmatched

    def snapshot(self) -> ContextProfile:
        """One context without a caller for each function."""
        rows = sorted(self._calls)
        lost = (Loss("unmatched-ends", self._unmatched, "ends of calls whose beginning was not recorded"),)
        return ContextProfile(
            functions=tuple(self._functions),
            contexts=contexts_from_self(
                parent=[NO_PARENT] * len(rows),
                function=rows,
                call_line=[0] * len(rows),
                calls=[self._calls[function] for function in rows],
                self_ns=[self._self_ns.get(function, 0) for function in rows],
            ),
            run=Run(clock="recorded"),
            losses=lost if self._unmatched else (),
        )
