"""Shares of own time by function, and how much two profiles have of them in common."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from sonde.code import Function, is_import_machinery
from sonde.instruments.contexts.profile.context_profile import ContextProfile

Shares = Mapping[Function, float]
"""They add up to 1, or there are none."""


def own_shares(profile: ContextProfile) -> dict[Function, float]:
    """Shares of own time, without what the interpreter does before the program, and for its imports."""
    own: dict[Function, float] = {}
    tree, functions = profile.contexts, profile.functions
    for number, ns in zip(tree.function, tree.self_ns, strict=True):
        function = functions[number]
        if ns > 0 and not function.file.startswith("<frozen ") and not is_import_machinery(function):
            own[function] = own.get(function, 0.0) + ns
    return normalized(own)


def normalized(amounts: Mapping[Function, float]) -> dict[Function, float]:
    """Amounts as shares of their sum; those of 0 are left out."""
    whole = sum(amounts.values())
    return {function: amount / whole for function, amount in amounts.items() if amount}


def weighted_overlap(one: Shares, other: Shares) -> float:
    """The sum of the lesser of both shares, over all functions: 0 to 1.

    Source: Buytaert, PhD thesis, section 4.4.2, the weighted metric.
    """
    return sum(min(share, other.get(function, 0.0)) for function, share in one.items())


def unweighted_overlap(one: Shares, other: Shares, most: int | None = None) -> float:
    """How many of the functions that either has both have, as a share; 1 where neither has any.

    Args:
        most: only so many of each, those with the largest shares.

    Source: Buytaert, PhD thesis, section 4.4.2, the unweighted metric.
    """
    first, second = (set(sorted(each, key=lambda name: -each[name])[:most]) for each in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0


def stability(profiles: Sequence[Shares]) -> float | None:
    """The mean weighted overlap of each two profiles; None for fewer than two.

    Source: Buytaert, PhD thesis, section 4.4.2, "Stability".
    """
    overlaps = [weighted_overlap(one, other) for one, other in combinations(profiles, 2)]
    return sum(overlaps) / len(overlaps) if overlaps else None


def mean_shares(profiles: Sequence[Shares]) -> dict[Function, float]:
    """The average profile, in which each of them has the same weight."""
    sums: dict[Function, float] = {}
    for each in profiles:
        for function, share in each.items():
            sums[function] = sums.get(function, 0.0) + share
    return normalized(sums)
