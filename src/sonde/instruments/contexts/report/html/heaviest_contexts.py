"""The heaviest part of a tree that is still a tree."""

from dataclasses import replace

from sonde.instruments.contexts.profile import ContextProfile


def heaviest_rows(profile: ContextProfile, limit: int) -> list[int]:
    """The `limit` contexts with the largest inclusive weight, ascending.

    Guarantee: the parent of every context is among them.
    Cost: O(n log n) time, O(n) space.
    """
    weights = profile.weights()
    if len(weights) <= limit:
        return list(range(len(weights)))
    # A parent weighs at least as much as its child and comes before it, and the sort is
    # stable, so every prefix of this order is closed under "parent of".
    return sorted(sorted(range(len(weights)), key=weights.__getitem__, reverse=True)[:limit])


def keep_heaviest(profile: ContextProfile, limit: int) -> ContextProfile:
    """Keep the `limit` contexts with the largest inclusive weight; totals are unchanged.

    Guarantee: the parent of every context kept is kept.
    Cost: O(n log n) time, O(n) space.
    """
    left_out = len(profile.contexts) - limit
    if left_out <= 0:
        return profile
    contexts = profile.contexts.of_rows(heaviest_rows(profile, limit))
    kept = replace(profile, contexts=contexts, pruned_contexts=profile.pruned_contexts + left_out)
    return replace(
        kept,
        pruned_root_calls=kept.pruned_root_calls + profile.total_calls - kept.total_calls,
        pruned_root_ns=kept.pruned_root_ns + profile.total_ns - kept.total_ns,
    )
