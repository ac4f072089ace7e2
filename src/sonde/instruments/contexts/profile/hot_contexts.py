"""Which contexts are hot, as far as a profile can tell, and the part of the tree that leads to them."""

from dataclasses import replace
from typing import Literal

from sonde.instruments.contexts.profile.approximation import hot_threshold
from sonde.instruments.contexts.profile.context_profile import ContextProfile
from sonde.instruments.contexts.profile.pruning import prune

ContextClass = Literal["hot", "possibly hot", "cold"]
"""Hot: the value alone reaches the threshold. Possibly hot: value and error together do; in truth it may be
cold. Cold: it is not hot, and is listed because something below it is, or because there was room."""


def context_classes(profile: ContextProfile, *, phi: float | None = None) -> list[ContextClass]:
    """Tell hot contexts from cold ones: (n_contexts,).

    Args:
        phi: share of the total from which a context is hot; the approximation's when not given.
    Raises:
        InternalError: the profile is exact and `phi` is not given.
    Guarantee: whatever is hot in truth is hot or possibly hot, unless the profile is sampled; what is hot is
        hot in truth.
    Cost: O(n).

    >>> from sonde.instruments.contexts.profile import Approximation, Function, contexts_from_self
    >>> tree = contexts_from_self(
    ...     parent=[-1, 0, 0], function=[0, 0, 0], call_line=[0, 3, 4], calls=[1, 90, 9], self_ns=[0, 0, 0],
    ...     error=[0, 0, 2])
    >>> bounds = Approximation(metric="calls", phi=0.1, epsilon=0.02, floor=2, counters=50)
    >>> context_classes(ContextProfile((Function("f", "m", "m.py", 1),), tree, approximation=bounds))
    ['cold', 'hot', 'possibly hot']
    """
    threshold = profile.hot_threshold if phi is None else hot_threshold(phi, profile.metric_total)
    return [
        "hot" if value >= threshold else "possibly hot" if value + error >= threshold else "cold"
        for value, error in zip(profile.metric_values(), profile.errors(), strict=True)
    ]


def hot_context_tree(profile: ContextProfile, *, phi: float | None = None) -> ContextProfile:
    """Keep what is hot or possibly hot, and what leads there: the (phi, epsilon)-HCCT, or of an exact profile the HCCT.

    Args:
        phi: as for `context_classes`.
    Raises:
        InternalError: the profile is exact and `phi` is not given.
    Guarantee: totals are unchanged, of the profile and of every context kept; in an approximate profile, bounds
        hold as before. Every leaf is hot or possibly hot.
    Cost: O(n).
    Source: D'Elia, PhD thesis, section 3.1.2, definition 2, and section 3.1.3.
    """
    keep = bytearray(kind != "cold" for kind in context_classes(profile, phi=phi))
    pruned = prune(profile, keep)
    if pruned.approximation is None:
        left_out = len(profile.contexts) - len(pruned.contexts)
        return replace(pruned, pruned_contexts=profile.pruned_contexts + left_out)
    return pruned
