"""Profiles and what they say as dictionaries by path, and summaries made the slow way, so that the truth is known."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

from sonde.instruments.contexts.profile import NO_PARENT, Approximation, ContextProfile, Function, contexts_from_self

Step = tuple[Function, int]
Path = tuple[Step, ...]

FUNCTIONS = tuple(Function(name, "app", "app.py", 10 * line) for line, name in enumerate("abcd", 1))

streams_of_calls = st.lists(
    st.tuples(
        st.lists(st.tuples(st.sampled_from(FUNCTIONS), st.integers(0, 1)), min_size=1, max_size=3).map(tuple),
        st.integers(1, 4) | st.integers(1, 60),
    ),
    max_size=30,
)
"""Paths, and how many calls were made there."""


def paths_of(profile: ContextProfile) -> list[Path]:
    """The path of every row."""
    tree, paths = profile.contexts, list[Path]()
    for parent, function, line in zip(tree.parent, tree.function, tree.call_line, strict=True):
        paths.append((*(paths[parent] if parent != NO_PARENT else ()), (profile.functions[function], line)))
    return paths


def by_path(profile: ContextProfile, column: Sequence[int]) -> Counter[Path]:
    """A column by path; rows of one path added up."""
    found: Counter[Path] = Counter()
    for path, value in zip(paths_of(profile), column, strict=True):
        found[path] += value
    return found


def summary_of(calls: Sequence[tuple[Path, int]], counters: int | None) -> ContextProfile:
    """A profile by calls: exact, or what Space-Saving with this many counters knows."""
    values: Counter[Path] = Counter()
    errors: Counter[Path] = Counter()
    floor = 0
    for path, weight in calls:
        if path not in values and counters is not None and len(values) == counters:
            victim = min(values, key=lambda each: values[each] + errors[each])
            floor = values.pop(victim) + errors.pop(victim)
        errors.setdefault(path, floor)
        values[path] += weight
    return tree_of(values, errors, floor, counters, sum(weight for _, weight in calls))


def tree_of(
    values: Counter[Path], errors: Counter[Path], floor: int, counters: int | None, total: int
) -> ContextProfile:
    """The tree over some paths; callers that are on the way only have no calls of their own."""
    ways = sorted({path[:depth] for path in values for depth in range(1, len(path) + 1)}, key=len)
    row_of = {path: row for row, path in enumerate(ways)} | {(): NO_PARENT}
    is_approximate = counters is not None
    tree = contexts_from_self(
        parent=[row_of[path[:-1]] for path in ways],
        function=[FUNCTIONS.index(path[-1][0]) for path in ways],
        call_line=[path[-1][1] for path in ways],
        calls=[values[path] for path in ways],
        self_ns=[0] * len(ways),
        error=[errors[path] if path in values else floor for path in ways] if is_approximate else (),
    )
    bounds = None
    if counters is not None:
        bounds = Approximation(metric="calls", phi=1.0, epsilon=1 / counters, floor=floor, counters=counters)
    profile = ContextProfile(FUNCTIONS, tree, approximation=bounds)
    return ContextProfile(FUNCTIONS, tree, approximation=bounds, pruned_root_calls=total - profile.total_calls)


def truth_of(calls: Sequence[tuple[Path, int]]) -> Counter[Path]:
    """How often each path was called."""
    truth: Counter[Path] = Counter()
    for path, weight in calls:
        truth[path] += weight
    return truth
