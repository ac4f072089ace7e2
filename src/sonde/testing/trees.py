"""Profiles compared by what they say, whatever the order of their rows and functions."""

from sonde.profiles import NO_PARENT, ContextProfile, Function

Values = dict[tuple[tuple[Function, int], ...], tuple[int, int, int, int]]
"""Calls, total calls, nanoseconds and total nanoseconds by path of (function, call line)."""


def values_by_path(profile: ContextProfile) -> Values:
    """What a profile says of each context; contexts of the same path are one."""
    tree = profile.contexts
    paths: list[tuple[tuple[Function, int], ...]] = []
    values: Values = {}
    for row, parent in enumerate(tree.parent):
        step = (profile.functions[tree.function[row]], tree.call_line[row])
        paths.append((*(paths[parent] if parent != NO_PARENT else ()), step))
        calls, total_calls, self_ns, total_ns = values.get(paths[row], (0, 0, 0, 0))
        values[paths[row]] = (
            calls + tree.calls[row],
            total_calls + tree.total_calls[row],
            self_ns + tree.self_ns[row],
            total_ns + tree.total_ns[row],
        )
    return values


def same(one: ContextProfile, other: ContextProfile) -> bool:
    """Whether two profiles say the same of the same contexts, and lack the same."""
    return values_by_path(one) == values_by_path(other) and sorted(map(repr, one.losses)) == sorted(
        map(repr, other.losses)
    )


def identical(one: ContextProfile, other: ContextProfile) -> bool:
    """Whether two profiles are equal, whatever the types of their columns."""
    return _plain(one) == _plain(other)


def _plain(profile: ContextProfile) -> tuple[object, ...]:
    tree = profile.contexts
    columns = (tree.parent, tree.function, tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    about = (profile.functions, profile.run, profile.processes, profile.losses, dict(profile.sources))
    return (*(tuple(column) for column in columns), *about)
