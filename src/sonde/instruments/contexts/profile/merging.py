"""Several profiles as one: contexts are matched, values added up, bounds kept.

An exact profile is one whose unlisted contexts have a true value of 0, an approximate one says that they
have at most `floor`. So what a part does not list still has bounds there, and those are added up like all
others. If more contexts are left than the largest part monitored, the lightest are taken out again.
"""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde.base.errors import InputError
from sonde.evidence import Loss
from sonde.instruments.contexts.profile.approximation import Approximation, Sampling
from sonde.instruments.contexts.profile.clock_text import KINDS_OF_TIME, same_clock_hint
from sonde.instruments.contexts.profile.common_tree import CommonTree, lay_over
from sonde.instruments.contexts.profile.context_profile import ContextProfile, Contexts
from sonde.instruments.contexts.profile.deviations import rounded_up_root
from sonde.instruments.contexts.profile.line_samples import merged_line_samples
from sonde.instruments.contexts.profile.merged_runs import merged_run
from sonde.instruments.contexts.profile.own_estimates import merged_own_estimates
from sonde.instruments.contexts.profile.pruning import prune
from sonde.instruments.contexts.profile.task_times import merged_tasks
from sonde.instruments.contexts.profile.thread_trees import merged_threads
from sonde.store.merged_runs import merged_losses, merged_sources


def merge_profiles(profiles: Sequence[ContextProfile], *, names: Sequence[str] = ()) -> ContextProfile:
    """Bring the profiles of several runs, processes or machines together, exact and approximate in any mixture.

    Contexts are one when equal functions lead to them over equal lines. Times are kept only if all have them. Threads
    stay what they are, and apart, if they are so in all profiles; else only the sums over them are kept.

    Args:
        names: what to call the profiles in messages, their files for instance.
    Raises:
        InputError: there is nothing to merge, a profile lacks contexts that were left out on reading, two are
            hot by different metrics, one that is hot by time meets one without times, or times are of the processor in
            some and elapsed in others.
    Guarantee: totals of calls and time are the sums of those of the parts. Exact parts give the exact profile of
        all their calls. If the bounds of every part hold, so do those of the result: a listed context has a true
        value in [value, value + error], any other one at most `floor`. If every approximate part comes from
        Space-Saving with its `counters`, or from such a merge, then floor <= N / min(counters). Up to the order
        of rows, merging is commutative, and as long as nothing is taken out, associative.
    Cost: O(n log n) for n contexts of all parts together, about 3 us each.
    Source: Agarwal, Cormode, Huang, Phillips, Wei, Yi, Mergeable Summaries, PODS 2012.
    Differs: they subtract the (m+1)-th counter from the others; here values stay lower bounds of their own and the
        floor takes that counter over. Exact and approximate parts mix. Proof below.

    Proof of the floor. Let part i have total N_i, and let the bound u_i(c) of a context c be value + error, or
    floor_i where it is not listed. For every j >= m_i, the bounds of any j contexts sum up to N_i * j / m_i at
    most (*): the m_i monitored ones have bounds that sum up to N_i and are each at least floor_i, others have at
    most floor_i. If t of the j are monitored, the sum is at most N_i - (m_i - t) * floor_i + (j - t) * floor_i
    = N_i + (j - m_i) * floor_i, and floor_i <= N_i / m_i. In exact parts (*) holds with any m_i.
    Bounds of the merge are sums over the parts, so it has (*) with N = sum N_i and k = min m_i. Take out all but
    the m = max m_i largest bounds, and let u be the largest of the others. Any m + 1 contexts have at most
    N * (m + 1) / k, so u <= N / k. And (*) holds again: for j <= m, as the j largest are what they were; for
    j > m, as each further one adds at most u. With j = k contexts that are not listed: floor <= N / k.
    """
    if not profiles:
        raise InputError("cannot merge profiles: there are none", slug="nothing-to-merge")
    names = names or [f"profile {number}" for number in range(1, len(profiles) + 1)]
    _check_mergeable(profiles, names)
    profiles = _all_with_times_or_none(profiles)
    common = lay_over(profiles)
    numbers = [[common.functions.number(each) for each in one.functions] for one in profiles]
    merged = ContextProfile(
        functions=tuple(common.functions),
        contexts=_merged_contexts(profiles, common),
        run=merged_run([profile.run for profile in profiles]),
        processes=tuple(process for profile in profiles for process in profile.processes),
        losses=merged_losses(profiles),
        sources=merged_sources(profiles),
        pruned_root_calls=sum(profile.pruned_root_calls for profile in profiles),
        pruned_root_ns=sum(profile.pruned_root_ns for profile in profiles),
        threads=merged_threads(profiles, numbers),
        tasks=merged_tasks([each.tasks for each in profiles], numbers),
        line_samples=merged_line_samples(profile.line_samples for profile in profiles),
        own_estimates=merged_own_estimates([profile.own_estimates for profile in profiles]),
        approximation=_merged_bounds([each.approximation for each in profiles if each.approximation is not None]),
        sampling=_merged_sampling(profiles),
    )
    return _without_lightest(merged)


def _check_mergeable(profiles: Sequence[ContextProfile], names: Sequence[str]) -> None:
    metrics: dict[str, str] = {}
    for profile, name in zip(profiles, names, strict=True):
        if profile.pruned_contexts:
            raise InputError(
                f"cannot merge '{name}': {profile.pruned_contexts:,} of its contexts were left out",
                slug="partial-profile",
                hint="merge whole profiles",
            )
        if profile.approximation is not None:
            metrics.setdefault(profile.approximation.metric, name)
    if len(metrics) > 1:
        raise InputError(
            f"cannot merge '{metrics['calls']}' and '{metrics['time']}': one is hot by calls, the other by time",
            slug="different-metrics",
            hint="record both with the same --metric",
        )
    for profile, name in zip(profiles, names, strict=True):
        if "time" in metrics and not profile.has_time:
            raise InputError(
                f"cannot merge '{metrics['time']}' and '{name}': one is hot by time, the other has no times",
                slug="no-times",
                hint="record both with times, or both with --metric calls",
            )
    clocks = {profile.run.time_kind: (profile, name) for profile, name in zip(profiles, names, strict=True)}
    one, other, *_ = sorted(clocks, key=list(KINDS_OF_TIME).index) * 2
    if len(clocks) > 1 and all(profile.has_time for profile in profiles):
        raise InputError(
            f"cannot merge '{clocks[one][1]}' and '{clocks[other][1]}': one has {KINDS_OF_TIME[one]}, the other"
            f" {KINDS_OF_TIME[other]}",
            slug="different-clocks",
            hint=same_clock_hint(clocks[one][0], clocks[other][0]),
        )


def _all_with_times_or_none(profiles: Sequence[ContextProfile]) -> Sequence[ContextProfile]:
    """Take away all times when some profiles have none: half of them would look like the whole."""
    if len({profile.has_time for profile in profiles}) == 1:
        return profiles
    return [_without_times(profile) for profile in profiles]


def _without_times(profile: ContextProfile) -> ContextProfile:
    if not profile.has_time:
        return profile
    threads = profile.threads
    detail = "nanoseconds were not merged: other profiles have no times, and some would look like all"
    return replace(
        profile,
        contexts=_calls_alone(profile.contexts),
        threads=None if threads is None else replace(threads, contexts=_calls_alone(threads.contexts)),
        run=replace(profile.run, clock="none", time_kind="wall", unseen_wait_ns=0),
        losses=(*profile.losses, Loss("times-not-merged", profile.total_ns, detail)),
        pruned_root_ns=0,
    )


def _calls_alone(tree: Contexts) -> Contexts:
    zeros = array("q", bytes(8 * len(tree)))
    return replace(tree, self_ns=zeros, total_ns=zeros, ns_deviation=zeros if len(tree.ns_deviation) else ())


def _merged_contexts(profiles: Sequence[ContextProfile], common: CommonTree) -> Contexts:
    """All contexts of all parts, each with the sums of its values."""
    trees = [profile.contexts for profile in profiles]
    is_sampled = any(profile.sampling is not None for profile in profiles)
    is_exact = all(profile.approximation is None for profile in profiles)
    return Contexts(
        parent=common.parent,
        function=common.function,
        call_line=common.call_line,
        calls=common.summed(tree.calls for tree in trees),
        total_calls=common.summed(tree.total_calls for tree in trees),
        self_ns=common.summed(tree.self_ns for tree in trees),
        total_ns=common.summed(tree.total_ns for tree in trees),
        error=() if is_exact else _merged_errors(profiles, common),
        calls_deviation=_in_squares([tree.calls_deviation for tree in trees], common) if is_sampled else (),
        ns_deviation=_in_squares([tree.ns_deviation for tree in trees], common) if is_sampled else (),
    )


def _merged_errors(profiles: Sequence[ContextProfile], common: CommonTree) -> "array[int]":
    """Errors where a context is listed, floors where it is not."""
    floors = [0 if each.approximation is None else each.approximation.floor for each in profiles]
    errors = common.summed(profile.contexts.error for profile in profiles)
    for floor, row_of in zip(floors, common.placed, strict=True):
        if floor:
            is_listed = bytearray(len(common))
            for row in row_of:
                is_listed[row] = 1
            for row, listed in enumerate(is_listed):
                if not listed:
                    errors[row] += floor
    return errors


def _in_squares(columns: Sequence[Sequence[int]], common: CommonTree) -> "array[int]":
    """Standard errors of independent samples: the squares add up. Rounded up, so that none vanishes."""
    squares = [0] * len(common)
    for column, row_of in zip(columns, common.placed, strict=True):
        if len(column):
            for row, deviation in zip(row_of, column, strict=True):
                squares[row] += deviation * deviation
    return array("q", map(rounded_up_root, squares))


def _merged_bounds(parts: Sequence[Approximation]) -> Approximation | None:
    """Floors add up; of the parameters the coarsest holds for all."""
    if not parts:
        return None
    return Approximation(
        metric=parts[0].metric,
        phi=max(part.phi for part in parts),
        epsilon=max(part.epsilon for part in parts),
        floor=sum(part.floor for part in parts),
        counters=max(part.counters for part in parts),
    )


def _merged_sampling(profiles: Sequence[ContextProfile]) -> Sampling | None:
    """Bursts added up; their length and distance are means over them, the share looked at one over elapsed time."""
    sampled = [profile.sampling for profile in profiles if profile.sampling is not None]
    if not sampled:
        return None
    bursts = sum(part.bursts for part in sampled)
    weights = [part.bursts for part in sampled] if bursts else [1] * len(sampled)
    ratios = [part.adaptive for part in sampled if part.adaptive is not None]
    elapsed = [profile.run.duration_ns for profile in profiles]
    elapsed = elapsed if any(elapsed) else [1] * len(profiles)
    looked_at = [1.0 if profile.sampling is None else profile.sampling.fraction for profile in profiles]
    return Sampling(
        interval_ns=_mean([part.interval_ns for part in sampled], weights),
        burst_ns=_mean([part.burst_ns for part in sampled], weights),
        bursts=bursts,
        fraction=min(1.0, sum(map(float.__mul__, looked_at, map(float, elapsed))) / sum(elapsed)),
        adaptive=min(ratios, default=None),
        has_calls=all(part.has_calls for part in sampled),
        asked_ns=_mean([part.asked_ns for part in sampled], weights),
        late=sum(part.late for part in sampled),
    )


def _mean(values: Sequence[int], weights: Sequence[int]) -> int:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) // sum(weights)


def _without_lightest(merged: ContextProfile) -> ContextProfile:
    """Keep as many contexts as were monitored in the largest part, those with the largest bounds, and their callers."""
    bounds = merged.approximation
    if bounds is None:
        return merged
    upper = [value + error for value, error in zip(merged.metric_values(), merged.errors(), strict=True)]
    if sum(1 for each in upper if each) <= bounds.counters:
        return merged
    keep = bytearray(len(upper))
    # The sort is stable: of equal bounds the first are kept, callers before callees.
    for row in sorted(range(len(upper)), key=upper.__getitem__, reverse=True)[: bounds.counters]:
        keep[row] = 1
    return prune(merged, keep)
