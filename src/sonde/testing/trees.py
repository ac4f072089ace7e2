"""Profiles compared by what they say, whatever the order of their rows and functions."""

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Function

Path = tuple[tuple[Function, int], ...]
Values = dict[Path, tuple[int, int, int, int]]
"""Calls, total calls, nanoseconds and total nanoseconds by path of (function, call line)."""


def values_by_path(profile: ContextProfile) -> Values:
    """What a profile says of each context; contexts of the same path are one."""
    tree = profile.contexts
    values: Values = {}
    for row, path in enumerate(_paths(profile)):
        calls, total_calls, self_ns, total_ns = values.get(path, (0, 0, 0, 0))
        values[path] = (
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


def check_bounds(profile: ContextProfile, truth: ContextProfile, *, rounding_ns: int = 0) -> None:
    """Check what an approximate profile says of every context against an exact one of the same calls.

    Args:
        rounding_ns: how far the totals of time may be apart, as each context's time was rounded.
    Raises:
        AssertionError: a true value is outside its bounds, or the totals are not those of the exact profile
            less what the losses say.
    """
    bounds = profile.approximation
    assert bounds is not None
    column = 0 if bounds.metric == "calls" else 2
    listed, true = values_by_path(profile), {path: values[column] for path, values in values_by_path(truth).items()}
    errors = dict(zip(_paths(profile), profile.contexts.error or bytes(len(profile.contexts)), strict=True))
    for path, values in listed.items():
        least, most = values[column], values[column] + errors[path]
        assert least <= true.get(path, 0) <= most, f"{true.get(path, 0)} is not within {least} and {most}"
    for path in true.keys() - listed.keys():
        assert true[path] <= bounds.floor, f"a context with {true[path]} is not listed, and the floor is {bounds.floor}"
    lost = sum(loss.amount for loss in profile.losses if loss.kind == "contexts-not-stored")
    assert profile.total_calls + lost == truth.total_calls, f"{profile.total_calls} calls of {truth.total_calls}"
    assert abs(profile.total_ns - truth.total_ns) <= rounding_ns, f"{profile.total_ns} ns of {truth.total_ns}"


def _paths(profile: ContextProfile) -> list[Path]:
    tree = profile.contexts
    paths: list[Path] = []
    for row, parent in enumerate(tree.parent):
        step = (profile.functions[tree.function[row]], tree.call_line[row])
        paths.append((*(paths[parent] if parent != NO_PARENT else ()), step))
    return paths


def _plain(profile: ContextProfile) -> tuple[object, ...]:
    tree = profile.contexts
    columns = (tree.parent, tree.function, tree.call_line, tree.calls, tree.total_calls, tree.self_ns, tree.total_ns)
    doubts = (tree.error, tree.calls_deviation, tree.ns_deviation)
    about = (profile.functions, profile.run, profile.processes, profile.losses, dict(profile.sources))
    bounds = (profile.approximation, profile.sampling, profile.pruned_root_calls, profile.pruned_root_ns)
    return (*(tuple(column) for column in columns + doubts), *about, *bounds)
