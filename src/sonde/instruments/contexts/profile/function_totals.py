"""Sums over the calling contexts of each function: the flat profile behind a tree."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.contexts.profile.context_profile import ContextProfile, Contexts
from sonde.native import function_sums


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
    columns = (tree.parent, function, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    sums = function_sums([array("q", column) for column in columns], n_functions)
    return FunctionTotals(*(array("q", column) for column in sums))
