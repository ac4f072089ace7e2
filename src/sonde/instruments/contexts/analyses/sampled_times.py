"""Exact calls with sampled times: what another process has credited to the contexts that agents count."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isqrt

from sonde.events import Function
from sonde.instruments.contexts.analyses.counting_costs import CountingCosts, without_counting
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts, Sampling

PERIOD_NS = 1_000_000
"""Between two looks, on average, if nobody says more."""


def mean_costs(parts: Iterable[tuple[int, Sequence[float]]]) -> CountingCosts:
    """What a call cost on average, over processes with so many calls and so many nanoseconds of each kind.

    >>> mean_costs([(1, (0, 10, 0, 0)), (3, (0, 30, 0, 0))])
    CountingCosts(caller=0.0, callee=25.0, builtin_caller=0.0, builtin_callee=0.0)
    """
    known = [(calls, costs) for calls, costs in parts if calls and len(costs) == 4]
    whole = sum(calls for calls, _ in known)
    if not whole:
        return CountingCosts()
    return CountingCosts(*(sum(calls * costs[i] for calls, costs in known) / whole for i in range(4)))


def with_sampled_times(profile: ContextProfile, squares: Sequence[float], costs: CountingCosts) -> ContextProfile:
    """The profile of trees with credited times, and their standard errors, less what counting took.

    Args:
        profile: of the trees as they are.
        squares: (n_contexts,) float64, variances of own times in squares of nanoseconds.
    Guarantee: calls stay as they are.
    Cost: O(n_contexts).
    """
    tree = profile.contexts
    own = without_counting(tree, costs, *_counted(profile.functions))
    return replace(
        profile,
        contexts=replace(_with_own_times(tree, own, costs), ns_deviation=_deviations(squares)),
        pruned_root_ns=_less_calls(profile.pruned_root_ns, profile.pruned_root_calls, costs),
        run=replace(profile.run, clock="sampled", unseen_wait_ns=0),
        sampling=_sampling(profile.total_ns),
    )


def threads_with_sampled_times(
    threads: Contexts, squares: Sequence[float], sampled: Contexts, tree: Contexts, costs: CountingCosts
) -> Contexts:
    """What each thread ran, of times that are sampled: of each context the part that is left over all threads.

    Args:
        threads: as counted and credited; its roots stand for threads.
        squares: variances of own times there.
        sampled, tree: the contexts over all threads, with the cost of counting, and without it.
    """
    place = {
        (above, function, line): row
        for row, (above, function, line) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True))
    }
    here, own = array("q"), array("q")
    for above, function, line, ns in zip(
        threads.parent, threads.function, threads.call_line, threads.self_ns, strict=True
    ):
        row = NO_PARENT if above == NO_PARENT else place.get((here[above], function, line), NO_PARENT)
        here.append(row)
        whole = sampled.self_ns[row] if row != NO_PARENT else 0
        own.append(ns * tree.self_ns[row] // whole if whole else ns)
    return replace(_with_own_times(threads, own, costs), ns_deviation=_deviations(squares))


def _counted(functions: Sequence[Function]) -> tuple[set[int], set[int]]:
    """Functions whose calls were counted by an agent; those of them that are written in C."""
    python = {number for number, each in enumerate(functions) if each.language == "python"}
    return python, {number for number in python if functions[number].kind == "builtin"}


def _with_own_times(tree: Contexts, own: "array[int]", costs: CountingCosts) -> Contexts:
    """The tree with other own times; what was not kept below a context is less, too."""
    totals = array("q", own)
    not_kept, calls_not_kept = array("q", tree.total_ns), array("q", tree.total_calls)
    for row in range(len(tree)):
        not_kept[row] -= tree.self_ns[row]
        calls_not_kept[row] -= tree.calls[row]
        if (above := tree.parent[row]) != NO_PARENT:
            not_kept[above] -= tree.total_ns[row]
            calls_not_kept[above] -= tree.total_calls[row]
    for row in range(len(tree) - 1, -1, -1):
        if not_kept[row]:
            totals[row] += _less_calls(not_kept[row], calls_not_kept[row], costs)
        if (above := tree.parent[row]) != NO_PARENT:
            totals[above] += totals[row]
    return replace(tree, self_ns=own, total_ns=totals)


def _less_calls(ns: int, calls: int, costs: CountingCosts) -> int:
    return max(0, ns - round(calls * (costs.caller + costs.callee)))


def _deviations(squares: Sequence[float]) -> "array[int]":
    return array("q", (isqrt(whole - 1) + 1 if (whole := int(square)) > 0 else 0 for square in squares))


def _sampling(total_ns: int) -> Sampling:
    """Of a run whose sampler is not there any more to say it."""
    return Sampling(interval_ns=PERIOD_NS, burst_ns=0, bursts=total_ns // PERIOD_NS, fraction=1.0)
