"""The heaviest part of a tree that is still a tree."""

from array import array
from collections.abc import Sequence
from dataclasses import replace

from sonde.profiles import NO_PARENT, ContextProfile, Contexts


def keep_heaviest(profile: ContextProfile, limit: int) -> ContextProfile:
    """Keep the `limit` contexts with the largest inclusive weight; totals are unchanged.

    Guarantee: the parent of every context kept is kept.
    Cost: O(n log n) time, O(n) space.
    """
    tree = profile.contexts
    if len(tree) <= limit:
        return profile
    weights = profile.weights()
    # A parent weighs at least as much as its child and comes before it, and the sort is
    # stable, so every prefix of this order is closed under "parent of".
    kept = sorted(sorted(range(len(tree)), key=weights.__getitem__, reverse=True)[:limit])
    row_of = {NO_PARENT: NO_PARENT} | {old: new for new, old in enumerate(kept)}

    def pick(column: Sequence[int]) -> "array[int]":
        return array("q", map(column.__getitem__, kept))

    contexts = Contexts(
        parent=array("q", (row_of[tree.parent[old]] for old in kept)),
        function=pick(tree.function),
        call_line=pick(tree.call_line),
        calls=pick(tree.calls),
        total_calls=pick(tree.total_calls),
        self_ns=pick(tree.self_ns),
        total_ns=pick(tree.total_ns),
    )
    return replace(profile, contexts=contexts, pruned_contexts=profile.pruned_contexts + len(tree) - limit)
