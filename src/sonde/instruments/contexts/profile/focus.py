"""Looking at one function: its contexts as the roots of a tree of their own."""

from array import array
from dataclasses import replace

from sonde.code import is_called, no_such_function
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile


def focus_on(profile: ContextProfile, name: str) -> ContextProfile:
    """Keep what ran in functions of a name, wherever they were called from.

    Args:
        profile: read whole.
        name: qualified name, its last part or parts (`parse` for `Parser.parse`), or a label as printed.
    Raises:
        UsageError: no function is called so.
    Guarantee: the total is the time in which at least one of these functions was on the stack of a thread;
        in an approximate profile, the part of it that is known.
    Cost: O(n).
    """
    wanted = [is_called(function, name) for function in profile.functions]
    tree = profile.contexts
    is_kept = bytearray(len(tree) + 1)  # the last one is the caller of roots, -1
    for row, (above, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        is_kept[row] = is_kept[above] or wanted[function]
    rows = [row for row in range(len(tree)) if is_kept[row]]
    if not rows:
        raise no_such_function(name, profile.functions)
    contexts = tree.of_rows(rows)
    lines = [0 if above == NO_PARENT else line for above, line in zip(contexts.parent, contexts.call_line, strict=True)]
    contexts = replace(contexts, call_line=array("q", lines))
    bounds = profile.approximation
    if bounds is not None and bounds.whole is None:  # the same contexts are hot as in the whole run
        bounds = replace(bounds, whole=profile.metric_total)
    return replace(
        profile, contexts=contexts, pruned_root_calls=0, pruned_root_ns=0, threads=None, approximation=bounds
    )
