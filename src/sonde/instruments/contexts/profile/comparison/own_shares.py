"""Shares of own time by function, of which `sonde.evidence` says what they have in common."""

from collections.abc import Mapping, Sequence

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


def vectors(profiles: Sequence[Shares]) -> list[list[float]]:
    """The shares of the functions that any of them knows, the same one at the same place."""
    functions = list(dict.fromkeys(function for each in profiles for function in each))
    return [[each.get(function, 0.0) for function in functions] for each in profiles]


def mean_shares(profiles: Sequence[Shares]) -> dict[Function, float]:
    """The average profile, in which each of them has the same weight."""
    sums: dict[Function, float] = {}
    for each in profiles:
        for function, share in each.items():
            sums[function] = sums.get(function, 0.0) + share
    return normalized(sums)
