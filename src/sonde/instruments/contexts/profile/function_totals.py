"""Sums over the calling contexts of each function: the flat profile behind a tree."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile, Contexts


@dataclass(frozen=True, slots=True)
class FunctionTotals:
    """What each function did over all its contexts.

    All columns have shape `(n_functions,)`, type code `q` (int64), and are indexed by function.
    """

    contexts: Sequence[int]
    """In how many contexts the function ran."""
    calls: Sequence[int]
    """Activations."""
    total_calls: Sequence[int]
    """Activations of the function and of all below it; recursion counted once."""
    self_ns: Sequence[int]
    """Nanoseconds in the function outside its callees."""
    total_ns: Sequence[int]
    """Nanoseconds in the function including its callees; recursion counted once."""


def function_totals(profile: ContextProfile) -> FunctionTotals:
    """Sum up a profile by function.

    Guarantee: `total_ns[f]` is the time during which at least one activation of `f` was on the stack;
        so it never exceeds the profile's total, however deep `f` recurses.
    Cost: O(n) time and space for n contexts, no recursion.
    """
    return totals_by_function(profile.contexts, profile.contexts.function, len(profile.functions))


def totals_by_function(tree: Contexts, function: Sequence[int], n_functions: int) -> FunctionTotals:
    """Sum up a tree whose contexts are numbered with other functions than its own column says.

    Args:
        tree: the contexts; its `function` column is ignored.
        function: (n_contexts,) function of each context, below `n_functions`.
    """
    contexts, calls, total_calls, self_ns, total_ns = (array("q", bytes(8 * n_functions)) for _ in range(5))
    for own, own_calls, own_ns in zip(function, tree.calls, tree.self_ns, strict=True):
        contexts[own] += 1
        calls[own] += own_calls
        self_ns[own] += own_ns
    for row in _outermost(tree.parent, function, n_functions):
        total_calls[function[row]] += tree.total_calls[row]
        total_ns[function[row]] += tree.total_ns[row]
    return FunctionTotals(contexts, calls, total_calls, self_ns, total_ns)


def _outermost(parent: Sequence[int], function: Sequence[int], n_functions: int) -> list[int]:
    """Rows that have no ancestor running the same function: a walk that counts activations per function."""
    first_child, next_sibling = _links(parent)
    active = array("q", bytes(8 * n_functions))
    found = []
    for root in (row for row, above in enumerate(parent) if above == NO_PARENT):
        row = root
        while True:
            own = function[row]
            if not active[own]:
                found.append(row)
            active[own] += 1
            if first_child[row] != NO_PARENT:
                row = first_child[row]
                continue
            active[own] -= 1
            while row != root and next_sibling[row] == NO_PARENT:
                row = parent[row]
                active[function[row]] -= 1
            if row == root:
                break
            row = next_sibling[row]
    return found


def _links(parent: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    first_child = array("q", [NO_PARENT]) * len(parent)
    next_sibling = array("q", [NO_PARENT]) * len(parent)
    for row in range(len(parent) - 1, -1, -1):
        above = parent[row]
        if above != NO_PARENT:
            next_sibling[row] = first_child[above]
            first_child[above] = row
    return first_child, next_sibling
