"""All tasks of asyncio that were looked at from outside, as a profile: what they await, with estimated times."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sonde.instruments.contexts.analyses.stack_contexts import SeenStacks, stack_contexts
from sonde.instruments.contexts.profile import (
    COLLECTING,
    LOCK_WAITING,
    READY,
    TASK_WAITING,
    WAITING,
    ContextProfile,
    Loss,
    MeasuredProcess,
    Run,
)

_LEAVES = {WAITING: WAITING, LOCK_WAITING: TASK_WAITING, COLLECTING: READY}
"""What there is below functions, as threads have it, and what these numbers are of tasks:
`native/core/stacks/task_sampler.h`."""
_NOTABLE = 0.01
"""Share of the tasks that were looked at from which it is worth saying what was left out."""


def task_contexts(
    sampler: SeenStacks, run: Run, processes: Sequence[MeasuredProcess], *, period_ns: int
) -> ContextProfile:
    """The profile of what tasks awaited; the looking has ended.

    Args:
        run: with the kind of time, without its clock.
        processes: in the order in which the sampler numbers them.
        period_ns: that was asked for, from one look to the next.
    Guarantee: own times are those of `native/core/stacks/task_sampler.h`: together those of all tasks.
    Cost: O(n) for n contexts.
    """
    profile = stack_contexts(sampler, run, processes, period_ns=period_ns)
    functions = tuple(_LEAVES.get(function, function) for function in profile.functions)
    return replace(profile, functions=functions, losses=tuple(_losses(sampler.sums())))


def _losses(sums: dict[str, int]) -> Iterable[Loss]:
    if sums["torn"] > _NOTABLE * (sums["stacks"] + sums["torn"]):
        yield Loss(
            "tasks-changed", sums["torn"], "samples of tasks were dropped, as these went on while they were read"
        )
    if sums["not_in_c"]:
        detail = "samples of tasks of a class that is not derived from asyncio's own, in C: they are in no time"
        yield Loss("tasks-not-in-c", sums["not_in_c"], detail)
    if sums["too_many"]:
        yield Loss("tasks-too-many", sums["too_many"], "samples of tasks beyond 131,072 of a process were left out")
    if sums["too_deep"]:
        yield Loss("stacks-too-deep", sums["too_deep"], "chains of more than 256 awaits were cut")
    if sums["without_room"]:
        yield Loss("stacks-not-stored", sums["without_room"], "tasks found no room among contexts, lines or names")
