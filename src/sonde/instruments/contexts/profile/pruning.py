"""Leaving contexts out of a tree so that every total stays as it is: chosen ones, or the lightest."""

from collections.abc import Sequence
from dataclasses import replace

from sonde.base.largest import largest
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile


def prune(profile: ContextProfile, keep: Sequence[int]) -> ContextProfile:
    """Keep some contexts, and the callers that lead to them.

    Args:
        keep: (n_contexts,) 1 for what is to be kept.
    Guarantee: totals are unchanged, of the profile and of every context kept: what is left out is part of its
        caller's. The floor of an approximate profile rises to the largest bound among what is left out.
    Cost: O(n).
    """
    tree = profile.contexts
    is_kept = bytearray(keep)
    for row in range(len(tree) - 1, -1, -1):
        if is_kept[row] and tree.parent[row] != NO_PARENT:
            is_kept[tree.parent[row]] = 1
    rows = [row for row in range(len(tree)) if is_kept[row]]
    if len(rows) == len(tree):
        return profile
    pruned = replace(profile, contexts=tree.of_rows(rows))
    pruned = replace(
        pruned,
        pruned_root_calls=profile.pruned_root_calls + profile.total_calls - pruned.total_calls,
        pruned_root_ns=profile.pruned_root_ns + profile.total_ns - pruned.total_ns,
    )
    bounds = profile.approximation
    if bounds is None:
        return pruned
    columns = zip(is_kept, profile.metric_values(), profile.errors(), strict=True)
    largest = max((value + error for listed, value, error in columns if not listed), default=0)
    return replace(pruned, approximation=replace(bounds, floor=max(bounds.floor, largest)))


def keep_heaviest(profile: ContextProfile, limit: int) -> ContextProfile:
    """Keep the `limit` contexts with the largest inclusive weight; totals are unchanged.

    Guarantee: the parent of every context kept is kept.
    Cost: O(n log n) time, O(n) space.
    """
    left_out = len(profile.contexts) - limit
    if left_out <= 0:
        return profile
    # A parent weighs at least as much as its child, and comes before it.
    heaviest = largest(profile.weights(), limit)
    kept = replace(
        profile,
        contexts=profile.contexts.of_rows(heaviest),
        pruned_contexts=profile.pruned_contexts + left_out,
    )
    return replace(
        kept,
        pruned_root_calls=kept.pruned_root_calls + profile.total_calls - kept.total_calls,
        pruned_root_ns=kept.pruned_root_ns + profile.total_ns - kept.total_ns,
    )
