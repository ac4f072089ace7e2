"""A tree that was seen in bursts, scaled up to the whole run."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde.instruments.contexts.analyses.burst_estimates import scaled
from sonde.instruments.contexts.profile import NO_PARENT, Approximation, ContextProfile, Sampling


def scale_up(
    profile: ContextProfile, sampling: Sampling, calls_squares: Sequence[float], ns_squares: Sequence[float]
) -> ContextProfile:
    """Estimate what would have been counted had the program been watched all the time.

    Args:
        profile: what the bursts brought.
        calls_squares, ns_squares: (n_contexts,) float64, sums over the bursts of the squares of what each
            brought to a context.
    Guarantee: own and pruned values are scaled each, and totals are their sums; the shares of contexts
        stay as they were. Errors and floor are those of the sample, scaled: they bound what bounded memory
        cost, not the chance of sampling, which the deviations tell.
    Cost: O(n_contexts).
    """
    if not sampling.bursts or not sampling.fraction:
        return profile
    tree, bursts, fraction = profile.contexts, sampling.bursts, sampling.fraction
    calls, calls_deviation = scaled(tree.calls, calls_squares, bursts=bursts, fraction=fraction)
    self_ns, ns_deviation = scaled(tree.self_ns, ns_squares, bursts=bursts, fraction=fraction)

    def up(values: Sequence[int]) -> "array[int]":
        return array("q", (round(value / fraction) for value in values))

    contexts = replace(
        tree,
        calls=calls,
        total_calls=_totals(tree.parent, calls, up(_pruned(tree.parent, tree.calls, tree.total_calls))),
        self_ns=self_ns,
        total_ns=_totals(tree.parent, self_ns, up(_pruned(tree.parent, tree.self_ns, tree.total_ns))),
        error=up(tree.error),
        calls_deviation=calls_deviation,
        ns_deviation=ns_deviation,
    )
    bounds = profile.approximation
    return replace(
        profile,
        contexts=contexts,
        pruned_root_calls=round(profile.pruned_root_calls / fraction),
        pruned_root_ns=round(profile.pruned_root_ns / fraction),
        approximation=bounds and _scaled_bounds(bounds, fraction),
        sampling=sampling,
    )


def _scaled_bounds(bounds: Approximation, fraction: float) -> Approximation:
    return replace(bounds, floor=round(bounds.floor / fraction))


def _pruned(parent: Sequence[int], own: Sequence[int], total: Sequence[int]) -> "array[int]":
    """What each context's total has beyond its own value and its children's totals."""
    rest = array("q", (whole - value for whole, value in zip(total, own, strict=True)))
    for row, above in enumerate(parent):
        if above != NO_PARENT:
            rest[above] -= total[row]
    return rest


def _totals(parent: Sequence[int], own: Sequence[int], pruned: Sequence[int]) -> "array[int]":
    totals = array("q", map(int.__add__, own, pruned))
    for row in range(len(parent) - 1, -1, -1):
        if parent[row] != NO_PARENT:
            totals[parent[row]] += totals[row]
    return totals
