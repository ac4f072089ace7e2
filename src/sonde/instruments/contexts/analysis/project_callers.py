"""On whose behalf a library works: the function of the program that is nearest above it."""

from collections import Counter

from sonde.code import origins_of
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, is_stand_in


def mostly_for(profile: ContextProfile, function: int) -> tuple[int, float] | None:
    """For which function of the program another one has more than half of its own weight.

    Args:
        function: number of one that is not the program's.
    Returns:
        its number, and the share of the weight; None where there is no such function.
    Cost: O(n) for n contexts.
    """
    tree, origins = profile.contexts, origins_of(profile.functions)
    is_own = [origins[each] == "own" and not is_stand_in(each) for each in profile.functions]
    nearest = [NO_PARENT] * (len(tree) + 1)  # the last one is the caller of roots, -1
    found: Counter[int] = Counter()
    weights = tree.self_ns if profile.has_time else tree.calls
    for row, (above, number, weight) in enumerate(zip(tree.parent, tree.function, weights, strict=True)):
        nearest[row] = number if is_own[number] else nearest[above]
        if number == function:
            found[nearest[row]] += weight
    whole = found.total()
    for caller, weight in found.most_common(1):
        if caller != NO_PARENT and 2 * weight > whole:
            return caller, weight / whole
    return None
