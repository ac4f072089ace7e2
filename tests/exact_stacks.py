"""The slow, obvious twin of the stack writers: every stack of a profile, by climbing from each context."""

from collections import Counter

from sonde.formats.frame_name import NOT_LISTED, qualified_name
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Function, Run, contexts_from_self


def exact_stacks(profile: ContextProfile, metric: str) -> Counter[tuple[str, ...]]:
    """Weight of each stack of names, root first; what belongs to contexts not listed has a leaf of its own."""
    tree = profile.contexts
    is_time = metric == "time"
    own, total = (tree.self_ns, tree.total_ns) if is_time else (tree.calls, tree.total_calls)
    stacks: Counter[tuple[str, ...]] = Counter()
    for row in range(len(tree)):
        stack = stack_of(profile, row)
        stacks[stack] += own[row]
        below = sum(total[child] for child in range(len(tree)) if tree.parent[child] == row)
        stacks[(*stack, NOT_LISTED)] += total[row] - own[row] - below
    stacks[(NOT_LISTED,)] += profile.pruned_root_ns if is_time else profile.pruned_root_calls
    return +stacks


def stack_of(profile: ContextProfile, row: int) -> tuple[str, ...]:
    """Names from the root to a context."""
    names: list[str] = []
    while row != NO_PARENT:
        names.append(qualified_name(profile.functions[profile.contexts.function[row]]))
        row = profile.contexts.parent[row]
    return tuple(reversed(names))


def chain(depth: int) -> ContextProfile:
    """One function that calls itself, `depth` contexts deep, one call and one nanosecond each."""
    return ContextProfile(
        functions=(Function("dive", "deep", "deep.py", 1),),
        contexts=contexts_from_self(
            parent=range(-1, depth - 1),
            function=[0] * depth,
            call_line=[0] + [2] * (depth - 1),
            calls=[1] * depth,
            self_ns=[1] * depth,
        ),
        run=Run(clock="tsc"),
    )
